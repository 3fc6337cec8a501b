/* report_expander.c - what `expander` reports, as JSON and as tables.
 *
 * A single graph has a line a certificate, with the theorem that it follows from; a family has a
 * row a number of groups. Certified values are shown rounded down and values of sets rounded up, so
 * that no figure on the screen claims more than was proven.
 */
#include "library/report_expander.h"

#include "base/printable.h"
#include "library/meshcast.h" /* MESHCAST_VERSION */
#include "library/report_parts.h"

#include <inttypes.h>
#include <math.h>

enum { INPUTS_A_LINE = 12 };

/* ---- JSON ---- */

/* JSON shows ten digits: certified values are rounded down to nine places, found ones up. */
static json_t *at_least(double lambda)
{
    return json_real(floor(lambda * 1e9) / 1e9);
}

static json_t *at_most(double lambda)
{
    return json_real(ceil(lambda * 1e9 - 1e-3) / 1e9);
}

static json_t *certificate_json(const struct bracket *bracket, enum certificate_kind kind)
{
    const struct certificate *certificate = &bracket->certificate[kind];
    struct report_object object = report_object_open();
    report_set(&object, "name", json_string(certificate_name(kind)));
    report_set(&object, "theorem", json_string(certificate_theorem(kind)));
    report_set(&object, "lambda", certificate->holds ? at_least(certificate->lambda) : json_null());
    if (!certificate->holds)
        report_set(&object, "left_out", json_string(certificate->why));
    return report_object_close(&object);
}

static json_t *set_json(const struct weak_set *set)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < set->count; i++)
        report_append(&array, json_integer((json_int_t)set->input[i]));
    return array;
}

static json_t *bracket_json(const struct bracket *bracket, double seconds)
{
    struct report_object object = report_object_open();
    json_t *certificates = json_array();
    for (int i = 0; i < CERTIFICATES; i++)
        json_array_append_new(certificates, certificate_json(bracket, (enum certificate_kind)i));
    report_set_count(&object, "c", bracket->groups);
    report_set(&object, "regular", json_boolean(bracket_is_regular(bracket)));
    report_set_count(&object, "least_load", bracket->least_load);
    report_set_count(&object, "most_load", bracket->most_load);
    report_set_count(&object, "multi_edges", bracket->multi_edges);
    report_set_count(&object, "multi_inputs", bracket->multi_inputs);
    report_set_count(&object, "largest_set", bracket->largest_set);
    report_set(&object, "certificates", certificates);
    report_set(&object, "lambda_certified", at_least(bracket_certified(bracket)));
    report_set(&object, "lambda_certified_by",
               bracket->any ? json_string(certificate_name(bracket->best)) : json_null());
    report_set(&object, "lambda_found", at_most(bracket->upper));
    report_set_count(&object, "found_neighbours", bracket->found.neighbours);
    report_set(&object, "found_set", set_json(&bracket->found));
    report_set(&object, "second_singular_value",
               bracket->second_value > 0 ? json_real(bracket->second_value) : json_null());
    report_set(&object, "lambda_random", at_least(bracket->random_lambda));
    report_set(&object, "wall_seconds", json_real(seconds));
    return report_object_close(&object);
}

static struct report_object open_graph(const char *name, const struct expander *graph)
{
    bool has_field = graph->kind == EXPANDER_REED_SOLOMON;
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    report_set(&object, "graph", report_json_text(name));
    report_set(&object, "kind", json_string(expander_kind_name(graph->kind)));
    report_set_count(&object, "inputs", graph->inputs);
    report_set_count(&object, "m", graph->inputs); /* its former name */
    report_set_count(&object, "r", graph->degree);
    report_set(&object, "q", has_field ? json_integer(graph->field.q) : json_null());
    report_set(&object, "k", has_field ? json_integer(graph->dimension) : json_null());
    return object;
}

json_t *report_graph_json(const char *name, const struct expander *graph)
{
    struct report_object object = open_graph(name, graph);
    report_set_count(&object, "c", graph->groups);
    return report_object_close(&object);
}

json_t *report_expander_json(const struct expander_report *report)
{
    struct report_object object = open_graph(report->name, report->graph);
    json_t *brackets = json_array();
    for (uint32_t i = 0; i < report->sizes; i++)
        if (json_array_append_new(brackets,
                                  bracket_json(&report->bracket[i], report->seconds[i])) != 0)
            object.failed = true;
    report_set(&object, "brackets", brackets);
    return report_object_close(&object);
}

/* ---- tables ---- */

static double down(double lambda)
{
    return floor(lambda * 1e4) / 1e4;
}

/* The rounding of the quotient itself does not count. */
double report_expander_up(double lambda)
{
    return ceil(lambda * 1e4 - 1e-8) / 1e4;
}

const char *report_expander_set(const struct bracket *bracket, char text[REPORT_SET_SIZE])
{
    uint32_t inputs = bracket->found.count, neighbours = bracket->found.neighbours;
    uint32_t edges = inputs * bracket->degree;
    snprintf(text, REPORT_SET_SIZE,
             "%" PRIu32 " input%s with %" PRIu32 " distinct neighbour%s of %" PRIu32 " edge%s",
             inputs, report_plural(inputs), neighbours, report_plural(neighbours), edges,
             report_plural(edges));
    return text;
}

static void print_graph(const struct expander *graph, FILE *out)
{
    fprintf(out, "%s, %" PRIu32 " inputs, r = %" PRIu32 " edges each",
            expander_kind_name(graph->kind), graph->inputs, graph->degree);
    if (graph->kind == EXPANDER_REED_SOLOMON)
        fprintf(out, ", polynomials of degree < %" PRIu32 " over F_%" PRIu32, graph->dimension,
                graph->field.q);
    fputc('\n', out);
}

static void print_degrees(const struct bracket *bracket, FILE *out)
{
    fprintf(out, "c = %" PRIu32 " groups, ", bracket->groups);
    if (bracket->least_load == bracket->most_load)
        fprintf(out, "%" PRIu32 " edges each: regular\n", bracket->least_load);
    else
        fprintf(out, "%" PRIu32 " to %" PRIu32 " edges each: %s\n", bracket->least_load,
                bracket->most_load,
                bracket_is_regular(bracket) ? "as regular as r m / c allows" : "NOT REGULAR");
    fprintf(out,
            "%" PRIu32 " multi-edges, at %" PRIu32 " inputs; sets of up to c / r = %" PRIu32
            " inputs count\n",
            bracket->multi_edges, bracket->multi_inputs, bracket->largest_set);
}

static void print_set(const struct weak_set *set, FILE *out)
{
    for (uint32_t i = 0; i < set->count; i++)
        fprintf(out, "%s%" PRIu32, i % INPUTS_A_LINE == 0 ? "\n    " : " ", set->input[i]);
    fputc('\n', out);
}

static void print_found(const struct bracket *bracket, FILE *out)
{
    char set[REPORT_SET_SIZE];
    fprintf(out, "  %s, counted again:", report_expander_set(bracket, set));
    print_set(&bracket->found, out);
}

static void print_single(const struct bracket *bracket, double seconds, FILE *out)
{
    print_degrees(bracket, out);
    fputc('\n', out);
    report_print_heading("lambda is at least (certified for this graph)", out);
    for (int i = 0; i < CERTIFICATES; i++) {
        const struct certificate *own = &bracket->certificate[i];
        const char *name = certificate_name((enum certificate_kind)i);
        if (own->holds)
            fprintf(out, "%s %-12s %.4f   %s\n",
                    bracket->any && i == (int)bracket->best ? "*" : " ", name, down(own->lambda),
                    certificate_theorem((enum certificate_kind)i));
        else
            fprintf(out, "  %-12s      -   %s\n", name, own->why);
    }
    fputc('\n', out);
    report_print_heading("lambda is at most (a set that was found)", out);
    fprintf(out, "  %-12s %.4f\n", "search", report_expander_up(bracket->upper));
    print_found(bracket, out);
    fputc('\n', out);
    report_print_heading("a random permutation of these sizes (no claim about this graph)", out);
    fprintf(out,
            "  %-12s %.4f   lambda of all but one in a million, by the union bound of Section 5\n",
            "union bound", down(bracket->random_lambda));
    fprintf(out, "\n  wall time %.2f s\n", seconds);
}

static void print_value(const struct certificate *certificate, FILE *out)
{
    if (certificate->holds)
        fprintf(out, " %11.4f", down(certificate->lambda));
    else
        fprintf(out, " %11s", "-");
}

static void print_family(const struct expander_report *report, FILE *out)
{
    char head[160];
    snprintf(head, sizeof head, "%8s %8s %11s %11s %11s %11s %11s %12s %8s", "c", "edges", "exact",
             "spectral", "codegree", "certified", "search <=", "random, P", "seconds");
    fputc('\n', out);
    report_print_heading(head, out);
    for (uint32_t i = 0; i < report->sizes; i++) {
        const struct bracket *bracket = &report->bracket[i];
        fprintf(out, "%8" PRIu32 " %7" PRIu32 "%s", bracket->groups, bracket->most_load,
                bracket->least_load == bracket->most_load ? " " : "-");
        print_value(&bracket->certificate[CERTIFICATE_EXACT], out);
        print_value(&bracket->certificate[CERTIFICATE_SPECTRAL], out);
        print_value(&bracket->certificate[CERTIFICATE_CODEGREE], out);
        fprintf(out, " %11.4f %11.4f %12.4f %8.2f\n", down(bracket_certified(bracket)),
                report_expander_up(bracket->upper), down(bracket->random_lambda),
                report->seconds[i]);
    }
    fputs("\nlambda >= exact, spectral, codegree: certified for this graph; <= search: by a set of "
          "inputs;\nrandom: all but one in a million permutations of these sizes have as much; "
          "edges: of a group,\nwith - where some have one less or more.\n",
          out);
    for (uint32_t i = 0; i < report->sizes; i++) {
        fprintf(out, "\nc = %" PRIu32 "\n", report->bracket[i].groups);
        print_found(&report->bracket[i], out);
    }
}

void report_print_expander(const struct expander_report *report, FILE *out)
{
    char name[PRINTABLE_NAME];
    fprintf(out, "%s: ", printable_name(report->name, name));
    print_graph(report->graph, out);
    if (report->sizes == 1)
        print_single(&report->bracket[0], report->seconds[0], out);
    else
        print_family(report, out);
}
