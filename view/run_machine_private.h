/* run_machine_private.h - what the encoder of a run of the mesh machine keeps, shared by its three files. */
#ifndef MESHCAST_VIEW_RUN_MACHINE_PRIVATE_H
#define MESHCAST_VIEW_RUN_MACHINE_PRIVATE_H

#include "view/columns.h"
#include "view/run_encoder_private.h"

#include <stdbool.h>

#define NO_PACKET UINT32_MAX

/* What an event does; the numbers are those of the format. */
enum operation { MOVE_ON, MOVE, INJECT = MOVE + DIRECTIONS, COPY, DELIVER, END, DISCARD, MERGE };

struct run_packet {
    uint64_t number; /* in the trace */
    uint32_t node;   /* MESH_NO_NODE: it is gone */
    uint32_t message;
    uint32_t frame; /* the one in which it moved last; the direction counts only in that */
    uint8_t direction;
};

struct run_event {
    uint32_t packet;
    uint8_t operation, direction;
    uint64_t other; /* the node of an injection, the copy, the packet merged into */
};

enum { KEY_PACKET, KEY_NODE, KEY_COLUMNS };
enum { BORN_MESSAGE, BORN_NUMBER, BORN_COLUMNS };
enum { SUM_NODE, SUM_PEAK, SUM_LINK, SUM_LOAD, SUM_COLUMNS };
enum {
    EVENT_STEP,
    EVENT_COUNT,
    EVENT_WORDS,
    EVENT_PACKET,
    EVENT_OPERATION,
    EVENT_NODE,
    EVENT_COPY,
    EVENT_INTO,
    EVENT_WORD,
    EVENT_COLUMNS
};
enum { REST_NODE, REST_PACKETS, REST_COLUMNS };
enum { TIME_STEP, TIME_PACKETS, TIME_DELIVERED, TIME_FULLEST, TIME_HOPS, TIME_WORDS, TIME_COLUMNS };

struct machine_run {
    struct run_plan plan;
    struct mesh mesh;
    uint64_t bytes; /* allocated */

    struct run_packet *packet;
    uint32_t packets, packets_room; /* ever seen */
    bool reduces;
    uint32_t *contributions; /* [packet] of a reduction: how many it carries; else NULL */
    uint32_t contributions_room;
    uint32_t *slot;         /* a hash of the living: packet or NO_PACKET */
    uint32_t slots, living; /* slots is a power of 2 */
    uint32_t first_living;  /* none below lives */

    uint32_t *occupancy, *peak; /* [node]: now; the most at the end of a row of this frame */
    uint32_t *before;           /* [node]: at the end of the last row, where changed */
    uint32_t *load;             /* [node][DIRECTIONS]: packets over the link in this frame */
    uint32_t *changed,
        changes;         /* [node]: nodes whose occupancy changed in the row; may be as before */
    uint8_t *is_changed; /* [node] */
    uint64_t *holders;   /* [occupancy]: nodes that hold so many */
    uint32_t holders_room, fullest;

    uint64_t step; /* of the row */
    bool has_row;
    struct run_event *event; /* of the row */
    uint64_t *order;         /* of its events */
    uint32_t events, events_room;
    uint64_t *word; /* links that carried a word in the row */
    uint32_t words, words_room;

    uint64_t all_events, delivered, in_network, hops, word_hops; /* the last two of the row */
    uint32_t frame, rows, frame_rows, frame_events;
    uint64_t frame_first,
        last_step;        /* the step of the frame's first row; of the last row that is over */
    uint64_t last_number; /* of the last packet that came in this frame */
    uint32_t last_message, last_copy, last_node;
    bool is_summary;      /* this frame keeps no events, nor does any behind it */
    uint64_t detail_ends; /* the last step with events, if is_summary */
    struct column key[KEY_COLUMNS], born[BORN_COLUMNS], events_of[EVENT_COLUMNS];
    struct column sum[SUM_COLUMNS], rest[REST_COLUMNS];
    struct column time[TIME_COLUMNS];
    uint64_t timed[TIME_COLUMNS]; /* the values of the last row */
};

/* Adds to what was allocated; false, with a failure, if that is more than the limit. */
bool machine_run_within_limit(struct machine_run *run, uint64_t bytes, struct failure *failure);

/* Makes room for one more of `count`: `array` points to a pointer to elements of `size` bytes. */
bool machine_run_grow(struct machine_run *run, void *array, uint32_t count, uint32_t *room,
                      size_t size, struct failure *failure);

/* ---- run_machine_packets.c ---- */

/* The packet of that number in the trace, if it is under way; else NO_PACKET. */
uint32_t run_packet_find(const struct machine_run *run, uint64_t number);

/* A new packet; NO_PACKET: no memory. */
uint32_t run_packet_make(struct machine_run *run, uint64_t number, uint32_t node, uint32_t message,
                         struct failure *failure);

/* The packet is gone. */
void run_packet_end(struct machine_run *run, uint32_t packet);

/* ---- run_machine_frames.c ---- */

/* Begins the row of a line, which ends the one before. */
enum failure_kind run_row_begin(struct machine_run *run, const struct trace_line *line,
                                struct failure *failure);

/* The last row and the last frame are over. */
enum failure_kind run_rows_end(struct machine_run *run, struct failure *failure);

/* Writes a block behind a blank. */
void run_write_block(struct machine_run *run, struct column *column, size_t count,
                     struct failure *failure);

#endif
