/* network_options.c - the options of schemes and of the network: their rows, and their effects. */
#include "library/network_options.h"

#include "base/parallel.h"
#include "base/text_scan.h"
#include "routers/router.h"

#include <string.h>

/* ---- lists ---- */

enum failure_kind option_for_elements(void *field, char *value,
                                      enum failure_kind (*add)(void *field, const char *text,
                                                               struct failure *failure),
                                      struct failure *failure)
{
    for (char *text = value; text != NULL;) {
        char *comma = strchr(text, ',');
        if (comma != NULL)
            *comma = '\0';
        if (add(field, text, failure) != FAIL_NONE)
            return failure->kind;
        text = comma == NULL ? NULL : comma + 1;
    }
    return FAIL_NONE;
}

enum failure_kind option_check_room(const void *list, uint32_t count, const void *value,
                                    size_t size, const char *text, struct failure *failure)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp((const char *)list + i * size, value, size) == 0)
            return fail(failure, FAIL_USAGE, "a list has '%.40s' twice; once is enough", text);
    if (count < NETWORK_LIST_MAX)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "a list has %d values at most; run load again for the others",
                NETWORK_LIST_MAX);
}

/* ---- schemes ---- */

static enum failure_kind add_scheme(void *field, const char *text, struct failure *failure)
{
    struct scheme_list *list = field;
    const struct scheme *scheme;
    if (*text == '\0')
        return fail(failure, FAIL_USAGE, "a list has an empty word; write A,B without blanks");
    if (name_family_index(&scheme_names, text) == UINT32_MAX && router_find(text) != NULL)
        return fail(failure, FAIL_USAGE, "'%s' is a router: meshcast route --router %s", text,
                    text);
    if (scheme_find(text, &scheme, failure) == FAIL_NONE &&
        option_check_room(list->value, list->count, &scheme, sizeof scheme, text, failure) ==
            FAIL_NONE)
        list->value[list->count++] = scheme;
    return failure->kind;
}

int accept_schemes(void *field, char *value, struct failure *failure)
{
    ((struct scheme_list *)field)->count = 0;
    return option_for_elements(field, value, add_scheme, failure);
}

static int add_parameter(struct scheme_parameters *list, const char *begin, const char *end,
                         struct failure *failure)
{
    if (list->count == SCHEME_PARAMETERS_GIVEN)
        return fail(failure, FAIL_USAGE, "--param may be given %d times at most",
                    SCHEME_PARAMETERS_GIVEN);
    snprintf(list->text[list->count++], sizeof list->text[0], "%s%s", begin, end);
    return FAIL_NONE;
}

int accept_scheme_parameter(void *field, char *value, struct failure *failure)
{
    return add_parameter(field, "", value, failure);
}

int accept_routing(void *field, char *value, struct failure *failure)
{
    return add_parameter(field, "routing=", value, failure);
}

static bool has_parameter(const struct scheme *scheme, const char *text)
{
    size_t length = strcspn(text, "=");
    for (uint32_t i = 0; i < SCHEME_PARAMETERS && scheme->parameter[i].name != NULL; i++)
        if (strlen(scheme->parameter[i].name) == length &&
            strncmp(scheme->parameter[i].name, text, length) == 0)
            return true;
    return false;
}

enum failure_kind scheme_parameters_choose(const struct scheme_parameters *parameters,
                                           const struct scheme *scheme,
                                           struct scheme_choices *choices, struct failure *failure)
{
    *choices = (struct scheme_choices){{0}};
    for (uint32_t i = 0; i < parameters->count; i++)
        if (has_parameter(scheme, parameters->text[i]) &&
            scheme_choose(scheme, parameters->text[i], choices, failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

enum failure_kind scheme_parameters_check(const struct scheme_parameters *parameters,
                                          const struct scheme *const *schemes, uint32_t count,
                                          struct failure *failure)
{
    for (uint32_t i = 0; i < parameters->count; i++) {
        bool is_known = false;
        struct scheme_choices choices;
        for (uint32_t j = 0; j < count; j++)
            is_known |= has_parameter(schemes[j], parameters->text[i]);
        /* the message is the first one's */
        if (!is_known &&
            scheme_choose(schemes[0], parameters->text[i], &choices, failure) != FAIL_NONE)
            return failure->kind;
    }
    return FAIL_NONE;
}

enum failure_kind scheme_missing(struct failure *failure)
{
    char names[320];
    name_family_list(&scheme_names, names, sizeof names);
    return fail(failure, FAIL_USAGE, "missing --schemes A,B,...; the schemes are: %s", names);
}

void scheme_print(uint32_t index, FILE *out)
{
    const struct scheme *scheme = scheme_at(index);
    fprintf(out, "  %-10s %s\n", scheme->name, scheme->summary);
    if (scheme->parameter[0].name != NULL)
        fputs("\nParameters, which --param NAME=VALUE sets:\n", out);
    for (uint32_t p = 0; p < SCHEME_PARAMETERS && scheme->parameter[p].name != NULL; p++) {
        const struct scheme_parameter *parameter = &scheme->parameter[p];
        fprintf(out, "  %s=", parameter->name);
        for (uint32_t c = 0; parameter->choice[c] != NULL; c++)
            fprintf(out, "%s%s", c > 0 ? "|" : "", parameter->choice[c]);
        fprintf(out, "  %s; the default is %s\n", parameter->help, parameter->choice[0]);
    }
}

void scheme_offer_parameters(const struct meshcast_offers *offers)
{
    bool names_some = offers->gives(offers->line, &scheme_names, NULL);
    for (uint32_t i = 0; i < scheme_count(); i++) {
        const struct scheme *scheme = scheme_at(i);
        if (names_some && !offers->gives(offers->line, &scheme_names, scheme->name))
            continue;
        for (uint32_t p = 0; p < SCHEME_PARAMETERS && scheme->parameter[p].name != NULL; p++) {
            const struct scheme_parameter *parameter = &scheme->parameter[p];
            for (uint32_t c = 0; parameter->choice[c] != NULL; c++)
                offers->offer(offers->line, parameter->name, parameter->choice[c]);
            offers->offer(offers->line, parameter->name, NULL);
        }
    }
}

static bool read_flits(const char **text, uint32_t *flits)
{
    *flits = option_scan_number(*text, NETWORK_MAX_FLITS, text);
    return *flits > 0;
}

enum failure_kind flits_range_read(const char *text, struct flits_range *range,
                                   struct failure *failure)
{
    const char *at = text;
    bool is_read = read_flits(&at, &range->least);
    range->most = range->least;
    if (is_read && *at == ':') {
        at++;
        is_read = read_flits(&at, &range->most);
    }
    if (!is_read || *at != '\0' || range->most < range->least)
        return fail(failure, FAIL_USAGE,
                    "--flits takes a length L or a range A:B of lengths, 1 .. %d, not '%.40s'",
                    NETWORK_MAX_FLITS, text);
    return FAIL_NONE;
}

int accept_flits(void *field, char *value, struct failure *failure)
{
    return flits_range_read(value, field, failure);
}

const char *flits_range_text(struct flits_range range, char text[FLITS_TEXT])
{
    if (range.least == range.most)
        snprintf(text, FLITS_TEXT, "%u", range.least);
    else
        snprintf(text, FLITS_TEXT, "%u:%u", range.least, range.most);
    return text;
}

/* ---- the network ---- */

const char *const switching_names[] = {"wormhole", "cut-through", "store-and-forward", "circuit",
                                       NULL};
const char *const ports_names[] = {"all", "one", NULL};
const char *const release_names[] = {"entered", "left", NULL};
const char *const header_names[] = {"none", "list", "bitmap", NULL};
const char *const startup_mode_names[] = {"serial", "per-port", NULL};

static int accept_clock(void *field, char *value, struct failure *failure)
{
    const char *at = value;
    double *clock = field;
    if (scan_fraction(&at, value + strlen(value), clock) && *at == '\0' && *clock > 0)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE,
                "--clock takes a number of GHz above 0, such as 1.5, not '%.40s'", value);
}

const struct meshcast_option network_option_row[NETWORK_OPTION_ROWS] = {
    SCHEME_PARAMETER_ROWS(struct network_options, parameters),
    OPTION_OTHER("clock", "GHZ", RARE, struct network_options, clock, accept_clock,
                 "the clock of the network; times are also given in microseconds"),
    OPTION_NUMBER("flit-bytes", "B", RARE, struct network_options, flit_bytes, 1, UINT32_MAX,
                  "bytes per flit; what nodes receive is also given in bytes per cycle, with\n"
                  "--clock in GB/s"),
    OPTION_CHOICE("switching", "NAME", COMMON, struct network_options, switching, switching_names,
                  "wormhole (the default: a blocked worm keeps its channels), cut-through (a\n"
                  "header goes where its whole message has room), store-and-forward, or circuit\n"
                  "(the header reserves the whole path; alone a worm of 2 flits or more takes\n"
                  "startup + (hops + 1)(3 + router delay) + flits - 1 cycles,\n"
                  "and flits - 2 more with V > 1 and B = 1)"),
    OPTION_NUMBER("vcs", "V", COMMON, struct network_options, vcs, 1, NETWORK_MAX_VCS,
                  "virtual channels per link; the default is 1"),
    OPTION_NUMBER(
        "injection", "I", RARE, struct network_options, injection, 1, NETWORK_MAX_CHANNELS,
        "injection channels, by which a node sends; the default is as many as it has links"),
    OPTION_NUMBER(
        "consumption", "C", RARE, struct network_options, consumption, 1, NETWORK_MAX_CHANNELS,
        "ejection (consumption) channels, by which it takes in; the default is as many as\n"
        "it has links"),
    OPTION_NUMBER("startup", "N", RARE, struct network_options, startup, 0, NETWORK_MAX_DELAY,
                  "cycles that a node works on each worm that it sends; the default is 0"),
    OPTION_CHOICE("startup-mode", "NAME", RARE, struct network_options, startup_mode,
                  startup_mode_names,
                  "serial (the default: one worm after the other), or per-port (each\n"
                  "injection channel by itself)"),
    OPTION_NUMBER("router-delay", "N", RARE, struct network_options, router_delay, 0,
                  NETWORK_MAX_DELAY,
                  "cycles that a header waits in each router before it asks for an output;\n"
                  "the default is 0"),
    OPTION_CHOICE("ports", "all|one", RARE, struct network_options, ports, ports_names,
                  "whether a node sends to all children at once, or to one at a time"),
    OPTION_CHOICE("release", "entered|left", RARE, struct network_options, release, release_names,
                  "when a virtual channel is free again: when the worm's tail has entered its\n"
                  "buffer (the default), or when it has left it"),
    OPTION_CHOICE("header", "NAME", RARE, struct network_options, header, header_names,
                  "list or bitmap: a worm is longer by the flits that the numbers of its stops\n"
                  "need, or a bit for each node, beyond its first flit; the default is none"),
    OPTION_NUMBER("flit-bits", "B", RARE, struct network_options, flit_bits, 1,
                  NETWORK_MAX_FLIT_BITS, "bits of a flit of such a header; the default is 64"),
    OPTION_NUMBER("buffer", "B", COMMON, struct network_options, buffer, 1, NETWORK_MAX_BUFFER,
                  "flits that a virtual channel holds; the default is 4. Under\n"
                  "store-and-forward: messages that a node holds; the default is any number"),
    OPTION_SEED(RARE, struct network_options, seed,
                "of random choices, decimal or 0x...; the default is 0"),
    OPTION_NUMBER("threads", "T", RARE, struct network_options, threads, 1, 1024,
                  "the default is a thread per free core on large networks; results are the same\n"
                  "for all T"),
};

enum failure_kind network_options_check(const struct network_options *options,
                                        struct failure *failure)
{
    if (options->flit_bits > 0 && options->header == STOPS_UNNAMED)
        return fail(failure, FAIL_USAGE, "--flit-bits goes with --header list and bitmap");
    return FAIL_NONE;
}

struct network_settings network_options_settings(const struct network_options *options,
                                                 const struct topology *topology)
{
    struct network_settings settings = network_settings_default();
    uint32_t lines = topology->nodes / topology->shape.size[0];
    settings.switching = (enum switching)options->switching;
    settings.is_one_port = options->ports == 1;
    settings.releases_when_left = options->release == 1;
    settings.startup_is_per_port = options->startup_mode == 1;
    if (options->vcs > 0)
        settings.vcs = options->vcs;
    if (options->buffer > 0 || settings.switching == SWITCHING_STORE_AND_FORWARD)
        settings.buffer = options->buffer;
    settings.header = (enum header_form)options->header;
    if (options->flit_bits > 0)
        settings.flit_bits = options->flit_bits;
    settings.injection = options->injection;
    settings.consumption = options->consumption;
    settings.startup = options->startup;
    settings.router_delay = options->router_delay;
    settings.threads = parallel_threads_for(topology->nodes, lines, options->threads);
    return settings;
}

bool network_options_watch(void *context, uint64_t done, uint64_t all, uint64_t cycle)
{
    const struct network_watch *watch = context;
    (void)cycle;
    command_progress(watch->command, done, all, watch->name);
    return interrupt_is_sent(watch->command->interrupt);
}
