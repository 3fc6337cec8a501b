/* topics.c - the subjects of help that are no commands: what commands can name. */
#include "library/commands.h"
#include "library/network_options.h"
#include "library/run_options.h"
#include "network/schemes/scheme.h"
#include "routers/router.h"
#include "workloads/pattern.h"

static const char *router_summary(uint32_t index)
{
    return router_at(index)->summary;
}

static const char *scheme_summary(uint32_t index)
{
    return scheme_at(index)->summary;
}

static const char *pattern_summary(uint32_t index)
{
    return pattern_at(index)->summary;
}

static const struct meshcast_topic TOPICS[] = {
    {"routers", "router", &router_names, router_summary, run_print_router},
    {"schemes", "scheme", &scheme_names, scheme_summary, scheme_print},
    {"patterns", "pattern", &pattern_names, pattern_summary, gen_print_pattern},
    {"formats", "formats", NULL, NULL, import_print_formats},
};

enum { TOPICS_COUNT = sizeof TOPICS / sizeof *TOPICS };

const struct meshcast_topic *meshcast_topic_at(uint32_t index)
{
    return index < TOPICS_COUNT ? &TOPICS[index] : NULL;
}
