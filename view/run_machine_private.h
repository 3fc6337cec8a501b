/* run_machine_private.h - the state of the encoder of a mesh machine's run, shared by its four files. */
#ifndef MESHCAST_VIEW_RUN_MACHINE_PRIVATE_H
#define MESHCAST_VIEW_RUN_MACHINE_PRIVATE_H

#include "machine/observer.h"
#include "view/columns.h"
#include "view/run_encoder_private.h"

#include <stdbool.h>

#define NO_PACKET UINT32_MAX

/* The operations of events, by their numbers in the format. */
enum operation { MOVE_ON, MOVE, INJECT = MOVE + DIRECTIONS, COPY, DELIVER, END, DISCARD, MERGE };

/* An event of the row is a word: from the low bits on its operation, the index in `further` of its further number if its
 * operation has one, its packet, and one bit that is set for merges. */
enum { FURTHER_BIT = 4, FURTHER_BITS = 28, PACKET_BIT = 32, PACKET_BITS = 31, MERGE_BIT = 63 };

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

/* A hash of the packets of a trace that are in the network, by their numbers (run_machine_lines.c). */
struct packet_names {
    struct packet_name {
        uint64_t number;
        uint32_t name; /* NO_PACKET: the slot is empty */
    } * slot;
    uint32_t slots;  /* a power of 2, or 0 */
    uint32_t living; /* packets in the hash */
};

struct machine_run {
    struct run_plan plan;
    struct mesh mesh;
    uint64_t line;             /* of the trace that is read, for messages; 0: the run is observed */
    uint64_t born_number;      /* of the trace's next new packet */
    struct packet_names names; /* of the trace's packets */

    uint32_t packets, packets_room; /* packets so far */
    uint64_t *number;        /* [packet]: in the trace; after a discard the name's next number */
    uint32_t *name;          /* [packet] */
    uint32_t *message;       /* [packet] */
    uint32_t *last_move;     /* [packet]: DIRECTIONS x frame + direction */
    uint32_t *contributions; /* [packet]: the contributions it carries; NULL: no reduction */
    bool reduces;
    struct packet_place {
        uint32_t packet; /* the last one of that name, or NO_PACKET */
        uint32_t node;   /* MESH_NO_NODE: it is gone */
    } * place;           /* [name] */
    uint32_t names_room;
    uint64_t first_number; /* struct machine_beginning's `first` */
    uint32_t slots;        /* struct machine_beginning's `slots` */
    uint32_t first_living; /* all packets below it are gone */

    uint8_t *links;              /* [node]: a bit per direction that leads to a neighbour */
    int32_t step_to[DIRECTIONS]; /* from a node to its neighbour */
    uint32_t *occupancy;         /* [node]: now */
    uint32_t *peak;              /* [node]: the most at the end of a row of this frame */
    uint32_t *before;            /* [node]: at the end of the last row */
    uint32_t *load;              /* [node][DIRECTIONS]: packets over the link in this frame */
    uint32_t *changed, changes;  /* nodes that packets entered or left in this row */
    uint8_t *is_changed;         /* [node]: it is in `changed` */
    uint64_t *holders;           /* [occupancy]: the number of nodes with that occupancy */
    uint32_t holders_room;
    uint32_t fullest; /* the largest occupancy */

    uint64_t step; /* of the row */
    bool has_row;
    uint64_t *event; /* the row's events */
    uint32_t events, events_room;
    uint32_t *further; /* the row's injected nodes, copies and packets merged into */
    uint32_t furthers, furthers_room;
    uint64_t *word; /* the links that carried a word in the row */
    uint32_t words, words_room;

    uint64_t all_events, delivered, in_network;
    uint64_t hops, word_hops; /* of the row */
    uint32_t frame, rows, frame_rows, frame_events;
    uint64_t frame_first; /* the step of the frame's first row */
    uint64_t last_step;   /* the step of the last row that is over */
    uint64_t last_number; /* of this frame's last new packet */
    uint32_t last_message, last_copy, last_node;
    bool is_summary;      /* this frame and all later ones keep no events */
    uint64_t detail_ends; /* the last step with events, if is_summary */
    struct column key[KEY_COLUMNS], born[BORN_COLUMNS], events_of[EVENT_COLUMNS];
    struct column sum[SUM_COLUMNS], rest[REST_COLUMNS];
    struct column time[TIME_COLUMNS];
    uint64_t timed[TIME_COLUMNS]; /* the values of the last row */
};

/* Fails, naming the line, or of an observed run the step. */
enum failure_kind machine_run_refuse(const struct machine_run *run, struct failure *failure,
                                     const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Makes room for `count` elements of `size` bytes; `array` points to the pointer to them. */
bool machine_run_grow(void *array, uint64_t count, uint32_t *room, size_t size,
                      struct failure *failure);

/* Says that names from `first` on have no packets. */
void machine_run_forget(struct machine_run *run, uint32_t first);

/* Makes room for names below `count`. */
enum failure_kind machine_run_names(struct machine_run *run, uint64_t count,
                                    struct failure *failure);

/* ---- run_machine_lines.c ---- */

/* The member `line` of struct run_kind. */
enum failure_kind machine_run_line(void *state, const struct trace_line *line,
                                   struct failure *failure);

/* ---- run_machine_frames.c ---- */

/* Begins the row of a step, unless it has begun, and ends the row before it. */
enum failure_kind run_row_begin(struct machine_run *run, uint64_t step, struct failure *failure);

/* Ends the last row and the last frame. */
enum failure_kind run_rows_end(struct machine_run *run, struct failure *failure);

/* Writes a blank and a block. */
void run_write_block(struct machine_run *run, struct column *column, size_t count,
                     struct failure *failure);

#endif
