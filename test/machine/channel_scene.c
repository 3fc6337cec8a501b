/* channel_scene.c - trees in bounded channels: how their runs start, and what all must keep. */
#include "test/machine/channel_scene.h"

#include <check.h>

uint32_t channel_count(const struct channel_setting *setting)
{
    return setting->channels == 0 ? CHANNELS_OF_BOTH : setting->channels;
}

static uint32_t capacity(const struct channel_setting *setting)
{
    return machine_channel_capacity(channel_count(setting), setting->slots, setting->copy_is_free) +
           setting->spare;
}

void channel_start(struct machine_run *run, const struct channel_setting *setting)
{
    run_start(run, setting->rows, setting->cols,
              (struct machine_config){.slots = setting->packet_slots,
                                      .threads = setting->threads,
                                      .copy_is_free = setting->copy_is_free,
                                      .buffer = capacity(setting)});
}

static void switch_class(void *context, struct site site, uint32_t packet)
{
    struct headers *header = context;
    (void)site;
    header->packet[packet].state ^= 1; /* bit 0: rows first */
}

void channel_finish(struct machine_run *run, const struct channel_setting *setting)
{
    struct failure failure = {0};
    struct channel_rule rule = {.routing = run_plain_rule(run),
                                .class_of = run_plain_class,
                                .channels = channel_count(setting),
                                .slots = setting->slots,
                                .spare = setting->spare,
                                .switch_class = setting->switches ? switch_class : NULL};
    machine_begin_phase(run->machine, "channels");
    enum failure_kind kind = machine_channel(run->machine, &rule, true, UINT64_MAX, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    run_check_deliveries(run);
    ck_assert_uint_eq(machine_counts(run->machine)->delivered, run->slots);
    ck_assert_uint_eq(machine_travelling(run->machine) + machine_resting(run->machine), 0);
    ck_assert_uint_le(machine_counts(run->machine)->peak, capacity(setting));
    run_audit(run);
}
