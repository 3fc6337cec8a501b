/* test_pool.c - slots of visiting packets: no two packets share one, and room is used again; parcels that are too short. */
#include "base/pcg.h"
#include "machine/machine.h"
#include "machine/pool.h"
#include "machine/ranks/border.h"
#include "machine/ranks/ranks.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>
#include <stdlib.h>

Suite *pool_suite(void);

enum { PACKETS = 512, ROUNDS = 40000, MOST_SLOTS = 300, LARGEST = 3 << 12 };

/* Packets that are here, each a range of slots. */
struct visitors {
    struct pool pool;
    uint32_t own_slots;
    uint32_t first[PACKETS], count[PACKETS]; /* count 0: no packet */
    uint8_t *owner;                          /* [slot]: 1 if some packet has it */
    uint64_t alive, most_alive;
};

static void arrive(struct visitors *here, uint32_t i, uint32_t slots)
{
    uint32_t first = pool_take(&here->pool, slots);
    ck_assert_uint_ne(first, MACHINE_NONE);
    ck_assert_uint_ge(first, here->own_slots);
    ck_assert_uint_le(first + slots, here->pool.room);
    for (uint32_t slot = first; slot < first + slots; slot++) {
        ck_assert_uint_eq(here->owner[slot], 0);
        here->owner[slot] = 1;
    }
    here->first[i] = first;
    here->count[i] = slots;
    here->alive += slots;
    if (here->alive > here->most_alive)
        here->most_alive = here->alive;
}

/* A packet of an even number of slots leaves for another rank. Of others the first slots go one by one, by the first thread,
 * and the rest together, by the last one. */
static void leave(struct visitors *here, uint32_t i)
{
    struct pool *pool = &here->pool;
    uint32_t first = here->first[i], count = here->count[i];
    for (uint32_t slot = first; slot < first + count; slot++)
        here->owner[slot] = 0;
    if (count % 2 == 0) {
        pool_list_add(pool, &pool->gone[i % pool->threads], first, first + count - 1);
    } else {
        if (count > 1)
            pool_drop(pool, &pool->gone[0], first, first + count / 2 - 1);
        pool_drop(pool, &pool->gone[pool->threads - 1], first + count / 2, first + count - 1);
    }
    here->alive -= count;
    here->count[i] = 0;
}

static enum failure_kind visit(void *context, struct ranks *ranks, struct failure *failure)
{
    struct machine_config config = {.mesh = {4, 4},
                                    .slots = 1 << 18,
                                    .has_names = true,
                                    .ranks = ranks,
                                    .own_slots = 100,
                                    .copy_is_free = true,
                                    .threads = 2};
    struct visitors here = {.own_slots = config.own_slots};
    struct pcg32 random = pcg32_seed(7, ranks_rank(ranks));
    ck_assert(pool_begin(&here.pool, &config, true));
    here.owner = memory_allocate(here.pool.room, 1);
    here.pool.header = memory_allocate(here.pool.room, sizeof *here.pool.header);
    (void)context, (void)failure;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t most = round % 5000 == 0 ? LARGEST : round % 3 > 0 ? MOST_SLOTS : POOL_LISTS;
        if (round % 64 == 0)
            pool_trim(&here.pool);
        uint32_t i = pcg32_below(&random, PACKETS);
        if (here.count[i] > 0)
            leave(&here, i);
        else
            arrive(&here, i, 1 + pcg32_below(&random, most));
    }
    for (uint32_t i = 0; i < PACKETS; i++)
        if (here.count[i] > 0)
            leave(&here, i);
    /* half of the packets are here at a time and leave in no order, so what is free is in pieces */
    ck_assert_uint_le(here.pool.taken, 3 * here.most_alive);
    free(here.pool.header);
    free(here.owner);
    pool_free(&here.pool);
    return FAIL_NONE;
}

/* The last room is given, then only what has gone, wherever it is. */
static enum failure_kind fill(void *context, struct ranks *ranks, struct failure *failure)
{
    struct machine_config config = {.mesh = {4, 4}, .slots = 16, .ranks = ranks, .threads = 1};
    struct pool pool;
    (void)context, (void)failure;
    ck_assert(pool_begin(&pool, &config, true));
    pool.header = memory_allocate(pool.room, sizeof *pool.header);
    uint32_t all = pool.room - pool.taken, last = pool.room - 1;
    ck_assert_uint_eq(pool_take(&pool, all) + all, pool.room);
    ck_assert_uint_eq(pool_take(&pool, 1), MACHINE_NONE);
    pool_drop(&pool, &pool.gone[0], last - 2, last - 1);
    ck_assert_uint_eq(pool_take(&pool, 3), MACHINE_NONE);
    pool_drop(&pool, &pool.gone[0], last, last);
    pool_drop(&pool, &pool.gone[0], 0, 0); /* not beside the last one */
    ck_assert_uint_eq(pool_take(&pool, 4), MACHINE_NONE);
    ck_assert_uint_eq(pool_take(&pool, 3), last - 2);
    ck_assert_uint_eq(pool_take(&pool, 1), 0);
    pool_drop(&pool, &pool.gone[0], 0, 1); /* where the last search ended: on both sides of that */
    ck_assert_uint_eq(pool_take(&pool, 2), 0);
    free(pool.header);
    pool_free(&pool);
    return FAIL_NONE;
}

START_TEST(test_full)
{
    struct failure failure = {0};
    if (MOST_RANKS > 1)
        ck_assert_int_eq(ranks_run_threads(2, fill, NULL, &failure), FAIL_NONE);
}
END_TEST

START_TEST(test_visitors)
{
    struct failure failure = {0};
    for (uint32_t ranks = 2; ranks <= MOST_RANKS; ranks += MOST_RANKS - 2) {
        enum failure_kind kind = ranks_run_threads(ranks, visit, NULL, &failure);
        ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
    }
}
END_TEST

/* What another rank sent ends too early: bytes are read as zeros, no packet comes, and the failure is kept. */
START_TEST(test_short_parcel)
{
    struct machine_config config = {.mesh = {2, 2}, .slots = 4, .has_names = true, .threads = 1};
    struct machine *machine = machine_create(&config, NULL);
    char content[] = {1, 2, 3, 4, 5, 6};
    struct parcel parcel = {.content = content, .room = sizeof content};
    uint32_t word = 0, packet;
    parcel_get(machine, &parcel, &word, sizeof word);
    ck_assert_mem_eq(&word, content, sizeof word);
    ck_assert_int_eq(machine->rank_failure.kind, FAIL_NONE);
    parcel_get(machine, &parcel, &word, sizeof word);
    ck_assert_uint_eq(word, 0);
    ck_assert_uint_eq(parcel.bytes, sizeof word);
    ck_assert(!parcel_get_packets(machine, &parcel, 0, &packet, 1));
    ck_assert_int_eq(machine->rank_failure.kind, FAIL_CHECK);
    machine_rank_fails(machine, "what comes later");
    ck_assert_str_eq(machine->rank_failure.text, "a message of another rank is too short");
    machine_free(machine);
}
END_TEST

Suite *pool_suite(void)
{
    Suite *suite = suite_create("pool");
    TCase *slots = tcase_create("slots");
    tcase_add_test(slots, test_full);
    tcase_add_test(slots, test_visitors);
    tcase_add_test(slots, test_short_parcel);
    suite_add_tcase(suite, slots);
    return suite;
}
