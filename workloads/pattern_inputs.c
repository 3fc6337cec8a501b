/* pattern_inputs.c - experts, process groups and populations for patterns, and the files that they
 * are read from.
 *
 * A pattern names its inputs (workloads/pattern.h); any other input is refused, not ignored. A skew
 * is an exponent if it is a number, else a file of counts.
 */
#include "workloads/pattern_inputs.h"

#include "base/text_scan.h"
#include "machine/mesh.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the frequencies of experts ---- */

/* A line of counts per layer of the model. Memory follows the counts of one line, which has 65536
 * bytes at most. */

static enum failure_kind read_counts(struct expert_load *load, const struct byte_line *line,
                                     struct failure *failure)
{
    enum { MOST = BYTE_SOURCE_LONGEST_LINE / 2 + 1 };
    const char *at = line->text;
    uint64_t sum = 0;
    load->count = memory_allocate(MOST, sizeof *load->count);
    if (load->count == NULL)
        return fail_memory(failure, "the counts of experts");
    for (load->experts = 0; at < line->end; load->experts++) {
        uint64_t *count = &load->count[load->experts];
        if (scan_number(line, &at, "a count", 0, UINT32_MAX, count, failure) != FAIL_NONE)
            return FAIL_INPUT;
        sum += *count;
    }
    if (sum == 0)
        return scan_refuse(line, failure, "expected a count above 0, found none");
    return FAIL_NONE;
}

enum failure_kind expert_counts_read(struct expert_load *load, struct byte_source *source,
                                     uint32_t layer, struct failure *failure)
{
    struct byte_line line;
    enum failure_kind kind;
    uint32_t found = 0;
    load->count = NULL;
    do
        kind = scan_content(source, "#%", &line, failure);
    while (kind == FAIL_NONE && line.text != NULL && ++found < layer);
    if (kind == FAIL_NONE && line.text == NULL)
        kind = scan_refuse(&line, failure, "expected %u lines of counts, one per layer, found %u",
                           layer, found);
    else if (kind == FAIL_NONE)
        kind = read_counts(load, &line, failure);
    byte_source_close(source);
    if (kind != FAIL_NONE) {
        free(load->count);
        load->count = NULL;
    }
    return kind;
}

/* ---- populations ---- */

/* Grammar: NAME SIZE CHANCE CHANCE .., separated by blanks or tabs; as many chances as there are
 * lines. Blank lines, and those that begin with # or %, are ignored. Memory depends on the first
 * line's chances, which were read. */

struct reader {
    struct byte_line line;
    struct population_table *table;
    uint32_t lines;
    struct failure *failure;
};

static enum failure_kind read_neurons(struct reader *reader, const char **at)
{
    struct population_table *table = reader->table;
    const char *word = *at;
    uint64_t size;
    if (!scan_decimal(at, reader->line.end, &size) || size < 1 ||
        size > (uint64_t)MESH_MAX_NODES - table->neurons) {
        char expected[80];
        snprintf(expected, sizeof expected, "a number of neurons from 1, at most %d in all",
                 MESH_MAX_NODES);
        return scan_expected(&reader->line, word, expected, reader->failure);
    }
    table->size[reader->lines] = (uint32_t)size;
    table->neurons += (uint32_t)size;
    return FAIL_NONE;
}

/* Reads the first line's chances, whose number is that of the populations. */
static enum failure_kind count_populations(struct reader *reader, const char *at)
{
    struct population_table *table = reader->table;
    const char *end = reader->line.end;
    double chance;
    while (scan_fraction(&at, end, &chance))
        table->count++;
    if (at < end || table->count == 0 || table->count > POPULATIONS_MOST) {
        char expected[80];
        snprintf(expected, sizeof expected, "1 to %d chances from 0 to 1", POPULATIONS_MOST);
        return scan_expected(&reader->line, at, expected, reader->failure);
    }
    table->size = memory_allocate(table->count, sizeof *table->size);
    table->chance = memory_allocate((size_t)table->count * table->count, sizeof *table->chance);
    return table->size != NULL && table->chance != NULL
               ? FAIL_NONE
               : fail_memory(reader->failure, "the chances of populations");
}

static enum failure_kind read_chances(struct reader *reader, const char *at)
{
    struct population_table *table = reader->table;
    const char *end = reader->line.end;
    double *chance = table->chance + (size_t)reader->lines * table->count;
    for (uint32_t i = 0; i < table->count; i++) {
        const char *word = at;
        if (!scan_fraction(&at, end, &chance[i]) || chance[i] > 1)
            return scan_expected(&reader->line, word, "a chance from 0 to 1", reader->failure);
    }
    if (at == end)
        return FAIL_NONE;
    char expected[80];
    snprintf(expected, sizeof expected, "the end of the line after %u chances", table->count);
    return scan_expected(&reader->line, at, expected, reader->failure);
}

static enum failure_kind read_population(struct reader *reader)
{
    const char *end = reader->line.end, *at = reader->line.text;
    while (!scan_at_gap(at, end))
        at++;
    at = scan_blanks(at, end);
    if (reader->lines == 0) {
        const char *chances = at;
        uint64_t size;
        if (scan_decimal(&chances, end, &size) && count_populations(reader, chances) != FAIL_NONE)
            return reader->failure->kind;
    } else if (reader->lines == reader->table->count) {
        return scan_refuse(&reader->line, reader->failure,
                           "expected %u populations, one for each chance of the first line, "
                           "found one more",
                           reader->table->count);
    }
    if (reader->table->count == 0) /* the text here is not a number */
        return scan_expected(&reader->line, at, "a number of neurons", reader->failure);
    enum failure_kind kind = read_neurons(reader, &at);
    if (kind == FAIL_NONE)
        kind = read_chances(reader, at);
    reader->lines++;
    return kind;
}

enum failure_kind population_table_read(struct population_table *table, struct byte_source *source,
                                        struct failure *failure)
{
    struct reader reader = {.table = table, .failure = failure};
    *table = (struct population_table){0};
    enum failure_kind kind;
    while ((kind = scan_content(source, "#%", &reader.line, failure)) == FAIL_NONE &&
           reader.line.text != NULL)
        if ((kind = read_population(&reader)) != FAIL_NONE)
            break;
    if (kind == FAIL_NONE && (table->count == 0 || reader.lines < table->count))
        kind = scan_refuse(&reader.line, failure,
                           "expected a population for each chance of the first, found %u of %u",
                           reader.lines, table->count);
    byte_source_close(source);
    if (kind != FAIL_NONE)
        population_table_free(table);
    return kind;
}

void population_table_free(struct population_table *table)
{
    free(table->size);
    free(table->chance);
    *table = (struct population_table){0};
}

/* ---- all inputs ---- */

/* Returns the kinds of inputs for which options were given, as bits. */
static unsigned kinds_given(const struct pattern_inputs *inputs)
{
    bool has_experts =
        inputs->experts != 0 || inputs->place != NULL || inputs->skew != NULL || inputs->layer != 0;
    bool has_groups = inputs->groups != 0 || inputs->stride != 0 || inputs->group_file != NULL;
    return (has_experts ? PATTERN_EXPERTS : 0) | (has_groups ? PATTERN_GROUPS : 0) |
           (inputs->algorithm != ALGORITHM_NONE ? PATTERN_ALGORITHM : 0) |
           (inputs->matrix != NULL || inputs->active != 0 ? PATTERN_POPULATIONS : 0);
}

static enum failure_kind check_needs(const struct pattern_inputs *inputs,
                                     const struct pattern *pattern, struct failure *failure)
{
    if ((pattern->needs & PATTERN_POPULATIONS) && inputs->matrix == NULL)
        return fail(failure, FAIL_USAGE, "pattern %s needs --matrix FILE, a table of populations",
                    pattern->name);
    if ((pattern->needs & PATTERN_ALGORITHM) && inputs->algorithm == ALGORITHM_NONE)
        return fail(failure, FAIL_USAGE,
                    "pattern %s needs --algorithm direct, ring, halving or tree, of 'meshcast gen'",
                    pattern->name);
    return FAIL_NONE;
}

enum failure_kind pattern_inputs_check(const struct pattern_inputs *inputs,
                                       const struct pattern *const *pattern, uint32_t patterns,
                                       struct failure *failure)
{
    static const struct {
        enum pattern_input kind;
        const char *text;
    } KINDS[] = {
        {PATTERN_EXPERTS, "--experts, --place, --skew and --layer are for pattern moe"},
        {PATTERN_GROUPS,
         "--groups and --stride are for patterns allgather, alltoall, reducescatter and allreduce"},
        {PATTERN_ALGORITHM, "--algorithm is for patterns of collectives, such as allreduce"},
        {PATTERN_POPULATIONS, "--matrix and --active are for pattern populations"},
    };
    unsigned surplus = kinds_given(inputs);
    for (uint32_t i = 0; i < patterns; i++)
        surplus &= ~pattern[i]->takes;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (surplus & KINDS[i].kind)
            return fail(failure, FAIL_USAGE, "%s", KINDS[i].text);
    for (uint32_t i = 0; i < patterns; i++)
        if (check_needs(inputs, pattern[i], failure) != FAIL_NONE)
            return failure->kind;
    if (inputs->stride != 0 && inputs->groups == 0)
        return fail(failure, FAIL_USAGE, "--stride needs --groups G, a number");
    return FAIL_NONE;
}

/* True if the text is a number that C would read, such as -1, 1e9 or inf. */
static bool is_any_number(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

/* Reads the places of experts, if a file has them, with their number. */
static enum failure_kind read_place(const struct pattern_inputs *inputs, struct expert_load *load,
                                    struct failure *failure)
{
    *load = (struct expert_load){.experts = inputs->experts, .exponent = EXPERT_EXPONENT};
    (void)expert_order_find(inputs->place, &load->place);
    if (expert_nodes_read(&load->nodes, inputs->place, inputs->experts, NULL, failure) ==
            FAIL_NONE &&
        load->nodes.node != NULL)
        load->experts = load->nodes.lines;
    return failure->kind;
}

static enum failure_kind read_groups(const struct pattern_inputs *inputs, struct node_lines *groups,
                                     struct failure *failure)
{
    static const struct node_lines_format FORMAT = {
        .what = "group", .most = MESH_MAX_NODES, .is_disjoint = true};
    struct byte_source *source;
    if (byte_source_open(&source, inputs->group_file, failure) != FAIL_NONE)
        return failure->kind;
    return node_lines_read_source(groups, &FORMAT, source, inputs->group_file, failure);
}

/* Reads the skew of experts. */
static enum failure_kind read_load(const struct pattern_inputs *inputs, struct expert_load *load,
                                   struct failure *failure)
{
    const char *at = inputs->skew;
    bool is_file =
        at != NULL && !(scan_fraction(&at, at + strlen(at), &load->exponent) && *at == '\0');
    if (inputs->layer != 0 && !is_file)
        return fail(failure, FAIL_USAGE, "--layer needs --skew FILE");
    if (!is_file)
        return FAIL_NONE;
    uint32_t layer = inputs->layer != 0 ? inputs->layer : 1;
    struct failure unread = {0};
    struct byte_source *source;
    uint32_t experts = load->experts;
    if (byte_source_open(&source, inputs->skew, &unread) == FAIL_NONE)
        expert_counts_read(load, source, layer, &unread);
    if (unread.kind == FAIL_SYSTEM && is_any_number(inputs->skew))
        return fail(failure, FAIL_USAGE,
                    "--skew takes an exponent from 0 in digits, or a FILE of counts, not '%.200s'",
                    inputs->skew);
    if (unread.kind != FAIL_NONE)
        return fail_as(failure, &unread);
    if (load->nodes.node != NULL && load->nodes.lines != load->experts)
        return fail(failure, FAIL_USAGE,
                    "%.200s has %" PRIu32 " experts, %.200s %" PRIu32 ", which differ",
                    inputs->skew, load->experts, inputs->place, experts);
    if (experts != 0 && experts != load->experts)
        return fail(failure, FAIL_USAGE, "--experts %" PRIu32 " are not the %" PRIu32 " of %.200s",
                    experts, load->experts, inputs->skew);
    return FAIL_NONE;
}

enum failure_kind pattern_inputs_read(const struct pattern_inputs *inputs,
                                      struct pattern_files *files, struct failure *failure)
{
    *files = (struct pattern_files){.load = {0}};
    if ((kinds_given(inputs) & PATTERN_EXPERTS) &&
        (read_place(inputs, &files->load, failure) != FAIL_NONE ||
         read_load(inputs, &files->load, failure) != FAIL_NONE))
        return failure->kind;
    if (inputs->group_file != NULL && read_groups(inputs, &files->groups, failure) != FAIL_NONE)
        return failure->kind;
    struct byte_source *source;
    if (inputs->matrix != NULL && byte_source_open(&source, inputs->matrix, failure) == FAIL_NONE)
        population_table_read(&files->populations, source, failure);
    return failure->kind;
}

void pattern_inputs_enter(const struct pattern_inputs *inputs, const struct pattern_files *files,
                          const struct pattern *pattern, struct pattern_options *options)
{
    options->per_node = inputs->per_node;
    if (pattern->takes & PATTERN_GROUPS) {
        options->groups = inputs->groups;
        options->stride = inputs->stride;
        options->group_lines = inputs->group_file != NULL ? &files->groups : NULL;
    }
    if (pattern->takes & PATTERN_ALGORITHM)
        options->algorithm = (enum collective_algorithm)inputs->algorithm;
    if (kinds_given(inputs) & pattern->takes & PATTERN_EXPERTS)
        options->experts = &files->load;
    if (inputs->matrix != NULL && (pattern->takes & PATTERN_POPULATIONS)) {
        options->populations = &files->populations;
        options->active = inputs->active;
    }
}

void pattern_files_free(struct pattern_files *files)
{
    free(files->load.count);
    node_lines_free(&files->load.nodes);
    node_lines_free(&files->groups);
    population_table_free(&files->populations);
    *files = (struct pattern_files){.load = {0}};
}
