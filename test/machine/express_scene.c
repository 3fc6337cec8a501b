/* express_scene.c - a rule for express packets under test, and the checks of their traces.
 *
 * An express packet has a slot without a destination, which it keeps, so that it can rest for ever.
 * The slots before it are destinations; they leave as one tree, of the packet's class.
 */
#include "test/machine/express_scene.h"

#include "primitives/multicast_tree.h"
#include "test/machine/inject_one.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rule ---- */

struct headers *express_headers(const struct express_scene *scene)
{
    return machine_headers(scene->run.machine);
}

static bool is_express(const struct express_scene *scene, uint32_t packet)
{
    return express_headers(scene)->packet[packet].state & EXPRESS;
}

static unsigned outputs(void *context, struct site site, uint32_t packet)
{
    const struct express_scene *scene = context;
    if (!is_express(scene, packet))
        return scene->plain.outputs(scene->plain.context, site, packet);
    node_place target = express_headers(scene)->packet[packet].target;
    if (place_row(target) != site.row)
        return place_row(target) < site.row ? OUT_NORTH : OUT_SOUTH;
    if (place_col(target) != site.col)
        return place_col(target) < site.col ? OUT_WEST : OUT_EAST;
    return OUT_HOLD;
}

static uint32_t take(void *context, struct site site, uint32_t packet, enum output output)
{
    const struct express_scene *scene = context;
    return scene->plain.take(scene->plain.context, site, packet, output);
}

static uint32_t stop(void *context, struct site site, uint32_t packet, enum direction direction)
{
    const struct express_scene *scene = context;
    if (!is_express(scene, packet))
        return scene->plain.stop(scene->plain.context, site, packet, direction);
    node_place target = express_headers(scene)->packet[packet].target;
    return direction_is_vertical(direction) ? place_row(target) : place_col(target);
}

static unsigned class_of(void *context, uint32_t packet)
{
    const struct express_scene *scene = context;
    return is_express(scene, packet) ? CHANNEL_EXPRESS
                                     : express_headers(scene)->packet[packet].state & ROW_FIRST;
}

static uint32_t inject(void *context, struct site site, uint32_t packet)
{
    struct express_scene *scene = context;
    struct headers *header = express_headers(scene);
    uint32_t count = scene->hand[packet], end = header->packet[packet].first + count;
    (void)site;
    if (!is_express(scene, packet))
        return packet;
    if (count == 0)
        return MACHINE_NONE;
    scene->hand[packet] = 0;
    uint32_t tree = end > packet ? packet : packet_split(header, packet, end);
    header->packet[tree].state = header->packet[packet].state & ROW_FIRST;
    return tree;
}

/* ---- scenes ---- */

struct express_scene *express_make(uint32_t rows, uint32_t cols, struct machine_config config)
{
    struct express_scene *scene = calloc(1, sizeof *scene);
    scene->slots = 1;
    config.slots = MOST_SLOTS;
    run_start(&scene->run, rows, cols, config);
    scene->plain = run_plain_rule(&scene->run);
    return scene;
}

void express_end(struct express_scene *scene)
{
    run_end(&scene->run);
    free(scene);
}

uint32_t express_add(struct express_scene *scene, node_index source, node_index target,
                     uint32_t count, const node_index *destination)
{
    struct headers *header = express_headers(scene);
    const struct machine *machine = scene->run.machine;
    uint32_t first = scene->run.slots, packet = first + count;
    ck_assert_uint_lt(packet, MOST_SLOTS);
    for (uint32_t i = 0; i <= count; i++) {
        header->destination[first + i] =
            i < count ? site_place(machine_site(machine, destination[i])) : MACHINE_NO_PLACE;
        header->packet[first + i].message = packet;
    }
    run_ask(&scene->run, packet, count, destination);
    header->packet[packet].first = first;
    header->packet[packet].target = site_place(machine_site(machine, target));
    header->packet[packet].state = EXPRESS | ROW_FIRST;
    scene->run.slots = packet + 1;
    scene->hand[packet] = count;
    ck_assert_int_eq(inject_one(scene->run.machine, source, packet, NULL), FAIL_NONE);
    return packet;
}

enum failure_kind express_go(struct express_scene *scene, bool wake, uint64_t limit,
                             struct failure *failure)
{
    if (machine_phases(scene->run.machine) == 0)
        machine_begin_phase(scene->run.machine, "express");
    struct channel_rule rule = {
        .routing = {.context = scene, .outputs = outputs, .take = take, .stop = stop},
        .class_of = class_of,
        .channels = CHANNELS_OF_BOTH,
        .slots = scene->slots,
        .inject = inject};
    return machine_channel(scene->run.machine, &rule, wake, limit, failure);
}

void express_must_go(struct express_scene *scene, bool wake, uint64_t limit)
{
    struct failure failure = {0};
    enum failure_kind kind = express_go(scene, wake, limit, &failure);
    ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
}

void express_expect(struct express_scene *scene, const char *events)
{
    run_audit(&scene->run);
    char *text = run_text(&scene->run), *at = strchr(text, '\n') + 1;
    while (at[0] == '0' || at[0] == '#')
        at = strchr(at, '\n') + 1;
    ck_assert_str_eq(at, events);
    free(text);
}

bool express_rests_at(const struct express_scene *scene, uint32_t packet, node_index node)
{
    uint32_t resting = machine_first_resting(scene->run.machine, node);
    while (resting != MACHINE_NONE && resting != packet)
        resting = machine_next_resting(scene->run.machine, resting);
    return resting == packet;
}
