/* network_settings.c - the settings of a network: defaults, and valid combinations. */
#include "network/network_private.h"

struct network_settings network_settings_default(void)
{
    return (struct network_settings){
        .switching = SWITCHING_WORMHOLE, .vcs = 1, .buffer = 4, .flit_bits = 64, .threads = 1};
}

static enum failure_kind check_range(const char *what, uint64_t value, uint64_t least,
                                     uint64_t most, struct failure *failure)
{
    if (value >= least && value <= most)
        return FAIL_NONE;
    return fail(failure, FAIL_USAGE, "%s must be %llu to %llu, not %llu", what,
                (unsigned long long)least, (unsigned long long)most, (unsigned long long)value);
}

static enum failure_kind check_ranges(const struct network_settings *settings, uint32_t flits,
                                      struct failure *failure)
{
    bool is_stored = settings->switching == SWITCHING_STORE_AND_FORWARD;
    const struct {
        const char *what;
        uint32_t value, least, most;
    } range[] = {
        {"the number of virtual channels", settings->vcs, 1, NETWORK_MAX_VCS},
        {"the buffer", settings->buffer, !is_stored, NETWORK_MAX_BUFFER},
        {"the number of injection channels", settings->injection, 0, NETWORK_MAX_CHANNELS},
        {"the number of ejection channels", settings->consumption, 0, NETWORK_MAX_CHANNELS},
        {"the startup", settings->startup, 0, NETWORK_MAX_DELAY},
        {"the router delay", settings->router_delay, 0, NETWORK_MAX_DELAY},
        {"the bits of a flit", settings->flit_bits, 1, NETWORK_MAX_FLIT_BITS},
        {"the flits of a message", flits, 1, NETWORK_MAX_FLITS},
        {"the number of threads", settings->threads, 1, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (check_range(range[i].what, range[i].value, range[i].least, range[i].most, failure) !=
            FAIL_NONE)
            return FAIL_USAGE;
    return FAIL_NONE;
}

enum failure_kind check_cut_through(const struct network_settings *settings, uint32_t flits,
                                    struct failure *failure)
{
    if (settings->switching != SWITCHING_CUT_THROUGH || settings->buffer >= flits)
        return FAIL_NONE;
    return fail(
        failure, FAIL_USAGE,
        "cut-through needs buffers for whole messages: %u flits, not %u; --buffer %u would do",
        flits, settings->buffer, flits);
}

uint64_t network_header_flits(const struct network_settings *settings, uint32_t nodes,
                              uint32_t stops)
{
    if (settings->header == STOPS_UNNAMED)
        return 0;
    uint64_t bits = nodes, address = 1;
    while ((nodes - 1) >> address != 0)
        address++;
    if (settings->header == STOPS_LISTED)
        bits = stops * address;
    return (bits - 1) / settings->flit_bits;
}

/* Returns the number of links, their virtual channels, and injection channels. */
static uint64_t entries_of(const struct network_settings *settings, const struct topology *topology)
{
    return topology->links * (settings->vcs + 1) +
           channels_in(topology, injection_setting(settings));
}

enum failure_kind network_check_settings(const struct network_settings *settings,
                                         const struct topology *topology,
                                         const struct routing *routing, uint32_t flits,
                                         struct failure *failure)
{
    if (check_ranges(settings, flits, failure) != FAIL_NONE)
        return FAIL_USAGE;
    uint32_t classes = routing->classes(topology);
    char shape[TOPOLOGY_LONG_TEXT_SIZE];
    topology_text(topology, shape);
    if (classes == 0)
        return fail(failure, FAIL_USAGE, "routing %s cannot run on %s: it needs %s", routing->name,
                    shape, routing->runs_on);
    if (settings->vcs < classes)
        return fail(failure, FAIL_USAGE,
                    "routing %s needs %u virtual channels on %s to be free of deadlock, not %u",
                    routing->name, classes, shape, settings->vcs);
    if (check_cut_through(settings, flits, failure) != FAIL_NONE)
        return FAIL_USAGE;
    if (settings->switching == SWITCHING_CIRCUIT && topology->has_one_way)
        return fail(failure, FAIL_USAGE,
                    "circuit switching needs links in both directions, for acknowledgements; "
                    "--switching wormhole would do");
    if (settings->switching == SWITCHING_STORE_AND_FORWARD && settings->releases_when_left)
        return fail(failure, FAIL_USAGE,
                    "release=left goes with wormhole and cut-through, not with store-and-forward");
    if (settings->is_one_port && settings->injection > 1)
        return fail(failure, FAIL_USAGE,
                    "one port has one injection channel, not %u; --injection 1 would do",
                    settings->injection);
    if (entries_of(settings, topology) >= CREDIT_RELEASES)
        return fail(failure, FAIL_USAGE, "%s has more than 2^31 virtual and injection channels",
                    shape);
    return FAIL_NONE;
}
