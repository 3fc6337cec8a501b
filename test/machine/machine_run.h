/* machine_run.h - a machine under test: its trace in a temporary file, plain multicast packets, and
 * the audit of what it did. For the tests of machine/ and primitives/.
 */
#ifndef MESHCAST_TEST_MACHINE_MACHINE_RUN_H
#define MESHCAST_TEST_MACHINE_MACHINE_RUN_H

#include "machine/machine.h"
#include "machine/rule.h"
#include "test/temporary.h"

#include <stdbool.h>
#include <stdint.h>

/* Deliveries, each as message << 32 | node. */
struct run_deliveries {
    uint64_t *delivery;
    size_t count, room;
};

struct machine_run {
    struct machine *machine;
    uint32_t slots;            /* that packets made so far take */
    char path[TEMPORARY_PATH]; /* of the trace */
    FILE *trace;
    struct machine_observer observer;  /* notes deliveries */
    struct run_deliveries asked, made; /* by run_ask(), and by the machine */
};

/* Starts a kernel's machine on rows x cols nodes with a trace in a temporary file. Of `config` only
 * slots, buffer, copy_is_free, progress and threads (0: one) are read. */
void run_start(struct machine_run *run, uint32_t rows, uint32_t cols, struct machine_config config);

/* Notes that `message` is to be delivered to these nodes; run_inject() does so for its own packets. */
void run_ask(struct machine_run *run, uint32_t message, uint32_t count,
             const node_index *destination);

/* All that was asked for was delivered once, and nothing else. */
void run_check_deliveries(struct machine_run *run);

/* Makes a packet of the next slots, for these destinations, and injects it at `source`; its state
 * bit 0 is set for rows first. Gives the packet, or MACHINE_NONE with `failure` filled. */
uint32_t run_inject(struct machine_run *run, node_index source, uint32_t count,
                    const node_index *destination, bool row_first, struct failure *failure);

/* Makes a packet of one slot that is to go from `source` to header.target. */
uint32_t run_inject_target(struct machine_run *run, node_index source, node_index target,
                           bool column_first);

/* Injects a packet at each node where one `is_there`: with the node's number, of a slot without a
 * destination, with the node's key as its target. */
void run_inject_keys(struct machine *machine, const uint32_t *key, const bool *is_there);

/* Two machines must have the same counts and peaks, and the same packets resting at each node. */
void run_check_same(const struct machine *machine, const struct machine *other);

/* Machines of `config` without a trace, with one thread to four, must come to the same as `machine` by `act`. */
void run_check_threads(const struct machine *machine, struct machine_config config,
                       void (*act)(struct machine *machine, const void *scene), const void *scene);

/* The rule for packets of run_inject: dimension-ordered trees, by looking at every slot. Nothing of
 * primitives/ is used. */
struct routing_rule run_plain_rule(struct machine_run *run);
unsigned run_plain_class(void *context, uint32_t packet);

/* Audits the trace so far without a message set; the audit must find no broken rule and the
 * counts of the machine. */
void run_audit(struct machine_run *run);

/* The trace so far as one text, to be freed. */
char *run_text(struct machine_run *run);

/* Frees the machine and removes the trace. */
void run_end(struct machine_run *run);

#endif
