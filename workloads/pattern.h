/* pattern.h - generated message sets: one table of patterns, one call to make a set. */
#ifndef MESHCAST_WORKLOADS_PATTERN_H
#define MESHCAST_WORKLOADS_PATTERN_H

#include "base/suggestion.h"
#include "workloads/experts.h"
#include "workloads/message_set.h"

#include <stdbool.h>

/* The graph that the pattern `adversary` is made against. order() chooses about share c of the
 * graph's groups, another choice for each `number`, and writes all inputs into order[], those with
 * the most replicas in the chosen groups first; `wanted` of them will be used. */
struct adversary {
    uint32_t inputs; /* m */
    double share;    /* of the groups; 0: an eighth, a quarter and a half in turn */
    enum failure_kind (*order)(const void *context, double share, uint32_t number, uint32_t wanted,
                               uint32_t *order, struct failure *failure);
    const void *context;
};

/* The distribution of the pattern `moe`. */
struct expert_load {
    uint32_t experts;        /* 0: one per 8 x 8 nodes, except one in sixteen */
    enum expert_order place; /* unless .. */
    struct node_lines nodes; /* .. a file places them; else none */
    double exponent;         /* chances fall as rank^-exponent, ranks being dealt at random .. */
    uint64_t *count;         /* .. or are as these counts [experts], if not NULL */
};

/* The default exponent: the busiest of 60 experts gets about 1.6 times the mean. */
#define EXPERT_EXPONENT 0.15

enum { POPULATIONS_MOST = 1024 };

/* chance[to * count + from]: the probability, 0 to 1, that a neuron of `from` has a connection to
 * one of `to`. */
struct population_table {
    uint32_t count;
    uint32_t neurons; /* in all, 1 .. MESH_MAX_NODES */
    uint32_t *size;   /* [count], 1 or more */
    double *chance;   /* [count * count] */
};

/* The algorithm of a collective, whose messages wait for one another. */
enum collective_algorithm {
    ALGORITHM_NONE,
    ALGORITHM_DIRECT,
    ALGORITHM_RING,
    ALGORITHM_HALVING,
    ALGORITHM_TREE
};

extern const char *const collective_algorithm_names[]; /* none, direct, ..; ended by NULL */

/* Inputs that some patterns accept, and some need, beside a degree and a congestion. */
enum pattern_input {
    PATTERN_GRAPH = 1,       /* pattern_options.adversary */
    PATTERN_EXPERTS = 2,     /* .experts */
    PATTERN_GROUPS = 4,      /* .groups, .stride, .group_lines */
    PATTERN_POPULATIONS = 8, /* .populations, .active */
    PATTERN_ALGORITHM = 16,  /* .algorithm, .bytes */
};

/* The options of a set. A degree or congestion of 0 means the pattern's default. */
struct pattern_options {
    struct shape shape;  /* without dimensions: that of `mesh` */
    struct mesh mesh;    /* else ignored */
    uint32_t degree;     /* most destinations per message */
    uint32_t congestion; /* most messages per node */
    uint32_t per_node;   /* l: messages per node where a pattern sends one; 0: one */
    uint64_t seed;
    uint32_t groups;                      /* 0: as many as keep d and c */
    uint32_t stride;                      /* of a group's members; 0: 1 */
    const struct node_lines *group_lines; /* instead, a line per group; NULL: none */
    enum collective_algorithm algorithm;
    uint32_t bytes; /* with an algorithm: of a node's block or vector; 0: without lengths */
    double active;  /* the share of neurons that send; 0: all */
    const struct adversary *adversary;          /* NULL, except for PATTERN_GRAPH */
    const struct expert_load *experts;          /* NULL: the default */
    const struct population_table *populations; /* NULL, except for PATTERN_POPULATIONS */
};

/* The topologies of a pattern. */
enum pattern_domain {
    PATTERN_ON_MESHES, /* of two dimensions */
    PATTERN_ON_PLANES, /* meshes and tori of two dimensions */
    PATTERN_ON_ALL,
    PATTERN_ANYWHERE /* on all; nodes are drawn without regard to their places */
};

/* A row of the table. `summary` is one line; `contract` states the pattern's sets exactly, the
 * degrees, congestions and topologies that it supports, and its defaults. */
struct pattern {
    const char *name, *summary, *contract;
    unsigned needs, takes; /* of enum pattern_input; needed ones are also accepted */
    bool sends_many;       /* several messages per node, without per_node */
    enum pattern_domain domain;
};

uint32_t pattern_count(void);
const struct pattern *pattern_at(uint32_t index);

extern const struct name_family pattern_names;

/* Returns the pattern of that name, or NULL. */
const struct pattern *pattern_find(const char *name);

/* Finds the pattern of that name. FAIL_USAGE: the text names the nearest, and all. */
enum failure_kind pattern_look_up(const char *name, const struct pattern **pattern,
                                  struct failure *failure);

/* Checks that the pattern exists on the shape: FAIL_USAGE names the patterns that do. */
enum failure_kind pattern_check_shape(const struct pattern *pattern, const struct shape *shape,
                                      struct failure *failure);

/* Makes a set with degree at most d and congestion at most c, the same bytes for the same options;
 * with per_node of several messages per node, of version 2. The pattern's inputs are there
 * (pattern_inputs_check()). FAIL_USAGE: the pattern does not exist on that shape or with those
 * options (the text names those that fit); FAIL_SYSTEM: no memory. The caller frees the set. */
enum failure_kind pattern_generate(const struct pattern *pattern,
                                   const struct pattern_options *options, struct message_set *set,
                                   struct failure *failure);

#endif
