/* channel_scene.h - trees in bounded channels under test.
 *
 * The packets are plain trees of test/machine/machine_run.c, class 1 along rows first, class 0 along
 * columns first. What the machine states as its channels' capacity, and the spare slots, are the
 * buffer of every run, so they are enforced at the end of each step; the audit sees it once more.
 */
#ifndef MESHCAST_TEST_MACHINE_CHANNEL_SCENE_H
#define MESHCAST_TEST_MACHINE_CHANNEL_SCENE_H

#include "machine/channel.h"
#include "test/machine/machine_run.h"

struct channel_setting {
    uint32_t rows, cols, packet_slots, slots, threads;
    bool copy_is_free;
    uint32_t spare;
    bool switches;     /* a packet that cannot start one way tries the other */
    uint32_t channels; /* 0: CHANNELS_OF_BOTH */
};

uint32_t channel_count(const struct channel_setting *setting);

/* A machine of that setting, its packets to be injected by run_inject. */
void channel_start(struct machine_run *run, const struct channel_setting *setting);

/* Runs all packets to their ends and checks deliveries, capacity and rules. */
void channel_finish(struct machine_run *run, const struct channel_setting *setting);

#endif
