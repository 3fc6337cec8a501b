/* random_set.c - random sources and destinations: selection sampling, walks, and draws with replacement.
 *
 * Method: without replacement, going through the nodes, each is taken with the probability with which a random set that
 * agrees so far has it: wanted / left (Knuth, algorithm S), so the set comes out in order.
 */
#include "papers/random_set.h"

#include <stdlib.h>

const char *const set_draw_names[] = {"uniform", "scan", "replacement", NULL};

static int compare(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static uint32_t draw_each(struct pcg32 *random, uint32_t nodes, uint32_t source, uint32_t count,
                          uint32_t *set)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = pcg32_below(random, nodes - 1);
        set[i] = node + (node >= source);
    }
    if (count > 0)
        qsort(set, count, sizeof *set, compare);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || set[i] != set[i - 1])
            set[kept++] = set[i];
    return kept;
}

static uint32_t draw_uniform(struct pcg32 *random, uint32_t nodes, uint32_t source, uint32_t count,
                             uint32_t *set)
{
    uint32_t taken = 0, left = nodes - 1;
    for (uint32_t node = 0; taken < count; node++)
        if (node != source && pcg32_below(random, left--) < count - taken)
            set[taken++] = node;
    return count;
}

static uint32_t draw_on_walks(struct pcg32 *random, uint32_t nodes, uint32_t source, uint32_t count,
                              uint32_t *set)
{
    uint32_t taken = 0;
    while (taken < count) {
        taken = 0;
        for (uint32_t node = 0; node < nodes && taken < count; node++)
            if (node != source && pcg32_below(random, nodes) < count)
                set[taken++] = node;
    }
    return count;
}

uint32_t random_set_draw(struct pcg32 *random, uint32_t nodes, uint32_t source, uint32_t count,
                         enum set_draw draw, uint32_t *set)
{
    switch (draw) {
    case DRAW_REPLACEMENT:
        return draw_each(random, nodes, source, count, set);
    case DRAW_SCAN:
        return draw_on_walks(random, nodes, source, count, set);
    default:
        return draw_uniform(random, nodes, source, count, set);
    }
}

void random_sources_draw(struct pcg32 *random, uint32_t nodes, uint32_t count, uint32_t *set)
{
    uint32_t taken = 0, left = nodes;
    for (uint32_t node = 0; taken < count; node++)
        if (pcg32_below(random, left--) < count - taken)
            set[taken++] = node;
}
