/* edge_list_private.h - the reader of edge lists, whose first line edge_list_first.c judges. */
#ifndef MESHCAST_WORKLOADS_EDGE_LIST_PRIVATE_H
#define MESHCAST_WORKLOADS_EDGE_LIST_PRIVATE_H

#include "base/line_scan.h"
#include "workloads/fields.h"
#include "workloads/id_table.h"

enum { KEPT_NUMBERS = 3 };

enum konect { NOT_KONECT, KONECT_SYMMETRIC, KONECT_ASYMMETRIC, KONECT_BIPARTITE };

/* The first line that is no comment, if it is numbers. */
struct edge_first {
    char *text; /* NULL: it was used up, or dropped */
    size_t length;
    uint64_t number;
    unsigned columns, values; /* columns that are numbers, up to KEPT_NUMBERS, from the first on */
    uint64_t value[KEPT_NUMBERS];
};

/* The columns behind the ids of an edge list. */
struct edge_columns {
    bool are_ids;     /* all of them could be ids */
    unsigned behind;  /* in the first line that was taken; at least so many if they are no ids */
    uint64_t uneven;  /* the first line that has another number of them; 0: none */
    uint64_t largest; /* number among them */
    uint64_t previous, second; /* first ids: of the line before, of the line after the first one */
    bool descends; /* the first id of a line is not larger than that of the line before */
};

struct edge_reader {
    struct byte_source *source;
    struct byte_line line;
    struct entry_list *list;
    struct id_table ids[2]; /* the second of KONECT's bip: the other side */
    bool is_adjacency, has_words, is_symmetric;
    char separator; /* of fields, as the first line shows */
    enum konect konect;
    uint64_t
        konect_sizes[KEPT_NUMBERS]; /* edges, vertices, vertices of the other side; 0: not said */
    bool is_undirected;             /* a comment says so */
    struct edge_first first;
    struct edge_columns columns;
    uint64_t lines; /* but for the first */
    struct failure *failure;
};

/* Fails at a line of which more is known than where a word is. */
enum failure_kind edge_list_fail(const struct edge_reader *reader, uint64_t line,
                                 const char *expected, const char *found);

/* Reads comments, the first line, which is kept, and the line after it, which becomes the present one; decides whether ids
 * are words, and whether the first line is a header of words, which *is_header becomes. */
enum failure_kind edge_list_begin(struct edge_reader *reader, bool *is_header);

/* Decides at the end whether the kept line, of numbers, is a header, whose number of vertices *vertices becomes, else 0.
 * FAIL_INPUT: it could be either, or does not fit. */
enum failure_kind edge_list_judge_first(struct edge_reader *reader, uint64_t *vertices);

/* Makes the kept line the present one. */
static inline void edge_list_return_to_first(struct edge_reader *reader)
{
    reader->line.text = reader->first.text;
    reader->line.end = reader->first.text + reader->first.length;
    reader->line.number = reader->first.number;
}

#endif
