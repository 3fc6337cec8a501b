/* test_engines.c - the machine against its golden model (test/reference/): random programs of every
 * instruction, each on the model, on an observed machine and on one that nobody observes, with
 * other numbers of threads; all three are compared after each call.
 *
 * Faults that were seeded in machine/, one at a time (November 2026), each caught; (long): by long
 * tests alone.
 *   channel_arbiter.c   a channel is full one packet too late [channel]
 *   channel_arbiter.c   class 0 has priority in every step [channel]
 *   channel_arbiter.c   what goes north needs no credit [channel]
 *   channel_node.c      a packet that found the injection slot taken is not asked again [channel
 *                       (long)]
 *   channel_node.c      copies of the injected packet take the registers of channels [channel]
 *   link_queue.c        of equally urgent packets the last goes first [forward]
 *   forward.c           a peak of one packet more than all before is missed [forward, plane]
 *   wavefront.c         the peak of a wavefront's earlier steps is one too high [forward,
 *                       channel, plane]
 *   forward.c           a copy is not counted [forward, channel]
 *   forward.c           a packet that was copied ends in the same step [forward]
 *   forward.c           links go before the delivery [forward, channel]
 *   forward.c           a rule by steps is called for steps after the overflowing one [forward
 *                       (long)]
 *   attempt.c           a budget lasts a step longer [all with attempts]
 *   parked.c            packets that are taken back do not count as resting [forward, channel]
 *   parked.c            the most packets set aside are forgotten with a second level [plane]
 *   channel_node.c      the input queue is asked although it is empty [channel]
 *   machine.c           of equally full nodes at the start the lowest is not named [plane]
 *   machine.c           an overflow names the phase of the largest peak [forward]
 *   compare.c           words are counted for packets that change places, too [plane]
 *   fold_lines.c        what walks forward stops a step early [plane]
 *   permute.c           one of two packets that change places counts no hop [plane]
 *   snake.c             a tile has a link more [plane]
 *   march.c             a visit comes a hop late [march]
 *   march.c             a node without room does not discard [march]
 *   march.c             an attempt's steps do not end a march [march]
 *   march.c             nodes that a way visits twice are not looked at [two ways]
 *   march.c             cycle 1 does in step 1 what is due in step 2 [two ways]
 *   march_private.h     what is due at a line's last place is forgotten [march, two ways on
 *                       ranks]
 *   word.c              one of the words that are passed on at once is not counted [word]
 *   word.c              words of the step before the last one cross to other ranks [word on
 *                       ranks]
 *   conveyor.c          what has crossed to another rank stays, too [forward, channel on ranks]
 *   conveyor.c          what comes from another rank stops a step late [forward, channel on
 *                       ranks]
 *   wavefront.c         at a rank's last row a step of a wavefront is left out [forward, channel,
 *                       word on ranks]
 *   gather.c            of equally urgent packets one of the input queue goes first [gather]
 *   gather.c            of equally urgent packets the last goes first [gather]
 *   gather.c            a delivery counts as one [gather]
 *   gather.c            what has gone along is injected again [gather]
 *   gather.c            a contribution leaves a step after it is due [gather]
 *   gather.c            a channel is full one packet too late [gather]
 *   gather.c            a packet that leaves keeps its slot [gather]
 *   channel.c           no channel of another rank is ever full [channel on ranks]
 *   channel.c           credits of class 1 are those of the other direction [channel on ranks]
 *   conveyor.c          marks do not cross borders [channel on ranks]
 */
#include "test/length.h"
#include "test/machine/engine_draw.h"
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"

#include <check.h>

static void run_trials(void (*trial)(uint64_t seed, struct ranks *ranks), uint64_t in_short_tests)
{
    uint64_t trials = in_short_tests * (TEST_IS_SHORT ? 1 : 6);
    for (uint64_t seed = 0; seed < trials; seed++)
        trial(seed, NULL);
}

/* ---- on ranks ---- */

struct rank_trials {
    void (*trial)(uint64_t seed, struct ranks *ranks);
    uint64_t seed;
};

static enum failure_kind run_on_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    const struct rank_trials *trials = context;
    (void)failure;
    trials->trial(trials->seed, ranks);
    return FAIL_NONE;
}

/* On 2 to MOST_RANKS ranks in turn, if there are any. */
static void run_on_ranks(void (*trial)(uint64_t seed, struct ranks *ranks), uint64_t in_short_tests)
{
    uint64_t trials = in_short_tests * (TEST_IS_SHORT ? 1 : 3), sizes = MOST_RANKS - 1;
    for (uint64_t seed = 0; seed < trials && sizes > 0; seed++) {
        struct rank_trials of_seed = {trial, seed};
        struct failure failure = {0};
        uint32_t ranks = (uint32_t)(2 + seed % sizes);
        enum failure_kind kind = ranks_run_threads(ranks, run_on_rank, &of_seed, &failure);
        ck_assert_msg(kind == FAIL_NONE, "seed %llu: %s", (unsigned long long)seed, failure.text);
    }
}

START_TEST(forward_on_ranks)
{
    run_on_ranks(forward_trial, 12);
}
END_TEST

START_TEST(word_on_ranks)
{
    run_on_ranks(word_trial, 12);
}
END_TEST

START_TEST(channel_on_ranks)
{
    run_on_ranks(channel_trial, 12);
}
END_TEST

START_TEST(march_on_ranks)
{
    run_on_ranks(march_trial, 12);
}
END_TEST

START_TEST(plane_on_ranks)
{
    run_on_ranks(plane_trial, 12);
}
END_TEST

START_TEST(gather_on_ranks)
{
    run_on_ranks(gather_trial, 12);
}
END_TEST

START_TEST(two_ways_on_ranks)
{
    run_on_ranks(two_ways_trial, 16);
}
END_TEST

/* ---- without ranks ---- */

/* queues: wake and limits, urgencies, parts of every kind, capacities, attempts, packets set
 * aside */
START_TEST(forward)
{
    run_trials(forward_trial, 100);
}
END_TEST

/* channels: every number of them, slots, express packets, classes that are switched */
START_TEST(channel)
{
    run_trials(channel_trial, 100);
}
END_TEST

/* comparisons, rotations, pairs, permutations and snakes, in any order */
START_TEST(plane)
{
    run_trials(plane_trial, 100);
}
END_TEST

/* packets that march along cycles */
START_TEST(march)
{
    run_trials(march_trial, 60);
}
END_TEST

/* packets that march two ways over the same nodes */
START_TEST(two_ways)
{
    run_trials(two_ways_trial, 60);
}
END_TEST

/* words that nodes say, hear and pass on */
START_TEST(word)
{
    run_trials(word_trial, 40);
}
END_TEST

/* contributions that are combined on their way */
START_TEST(gather)
{
    run_trials(gather_trial, 60);
}
END_TEST

void engines_suite(TCase *tests)
{
    tcase_add_test(tests, forward);
    tcase_add_test(tests, channel);
    tcase_add_test(tests, plane);
    tcase_add_test(tests, march);
    tcase_add_test(tests, two_ways);
    tcase_add_test(tests, word);
    tcase_add_test(tests, gather);
    tcase_add_test(tests, forward_on_ranks);
    tcase_add_test(tests, channel_on_ranks);
    tcase_add_test(tests, word_on_ranks);
    tcase_add_test(tests, plane_on_ranks);
    tcase_add_test(tests, two_ways_on_ranks);
    tcase_add_test(tests, march_on_ranks);
    tcase_add_test(tests, gather_on_ranks);
}
