/* express_scene.h - express packets under test: they walk straight to header.target, and hand slots
 * on.
 *
 * Trees go by the plain rule of test/machine/machine_run.c.
 */
#ifndef MESHCAST_TEST_MACHINE_EXPRESS_SCENE_H
#define MESHCAST_TEST_MACHINE_EXPRESS_SCENE_H

#include "machine/channel.h"
#include "test/machine/machine_run.h"

enum { ROW_FIRST = 1, EXPRESS = 2 }; /* bits of header.state */

enum { MOST_SLOTS = 4096 };

struct express_scene {
    struct machine_run run;
    struct routing_rule plain;
    uint32_t slots;            /* of a channel: 1, or what the test sets before the first step */
    uint32_t hand[MOST_SLOTS]; /* [packet]: how many slots it hands on when it can */
};

/* A machine of that size; of `config` what run_start reads, but slots. */
struct express_scene *express_make(uint32_t rows, uint32_t cols, struct machine_config config);

void express_end(struct express_scene *scene);

struct headers *express_headers(const struct express_scene *scene);

/* An express packet with these destinations, which it hands over as soon as it can, and a slot that
 * it keeps; its name. */
uint32_t express_add(struct express_scene *scene, node_index source, node_index target,
                     uint32_t count, const node_index *destination);

/* machine_channel, in a phase "express" if the test has begun none. express_must_go has to succeed. */
enum failure_kind express_go(struct express_scene *scene, bool wake, uint64_t limit,
                             struct failure *failure);
void express_must_go(struct express_scene *scene, bool wake, uint64_t limit);

/* The trace behind its head and the injections must be this, and its audit clean. */
void express_expect(struct express_scene *scene, const char *events);

bool express_rests_at(const struct express_scene *scene, uint32_t packet, node_index node);

#endif
