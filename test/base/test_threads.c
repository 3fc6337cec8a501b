/* test_threads.c - teams: each member once, barriers that hold, whatever runs beside them.
 *
 * Whether the system gives a thread is answered here (pthread_create). No test depends on how fast anything is.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include "base/parallel.h"
#include "routers/router.h"
#include "workloads/pattern.h"

#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *threads_suite(void);

#ifndef MESHCAST_SERIAL

enum { MOST_THREADS = 8, ANY = 1000000 };

static atomic_int threads_left = ANY; /* that can be had */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *),
                   void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (threads_left == 0)
        return EAGAIN;
    threads_left--;
    return real(thread, attributes, main, argument);
}

/* ---- bodies ---- */

struct play {
    uint32_t rounds;
    uint32_t round[MOST_THREADS]; /* each member's own, read by others behind a barrier */
    uint32_t calls[MOST_THREADS], wrong;
    pthread_t caller;
};

/* Each member tells its round, then looks at all others'. */
static void tell_and_look(void *context, const struct team *team)
{
    struct play *play = context;
    uint32_t wrong = pthread_equal(pthread_self(), play->caller) != (team->rank == 0);
    play->calls[team->rank]++;
    for (uint32_t round = 1; round <= play->rounds; round++) {
        play->round[team->rank] = round;
        parallel_barrier(team);
        for (uint32_t r = 0; r < team->size; r++)
            wrong += play->round[r] != round;
        parallel_barrier(team);
    }
    play->round[team->rank] = wrong;
}

static void check_teams(uint32_t size, uint32_t runs, uint32_t rounds)
{
    struct play play = {.rounds = rounds, .caller = pthread_self()};
    for (uint32_t run = 1; run <= runs; run++) {
        parallel_run(size, tell_and_look, &play);
        for (uint32_t r = 0; r < MOST_THREADS; r++) {
            ck_assert_uint_eq(play.calls[r], r < size ? run : 0);
            ck_assert_uint_eq(play.round[r], 0);
        }
    }
}

/* a team of every size, also after a larger one */
START_TEST(teams)
{
    for (uint32_t size = 1; size <= MOST_THREADS; size++) {
        ck_assert_uint_eq(parallel_begin(size), size);
        check_teams(size, 6, 10);
        check_teams(MOST_THREADS + 1 - size, 2, 10);
    }
}
END_TEST

static void play_within(void *context, const struct team *team)
{
    (void)context;
    ck_assert_uint_eq(parallel_begin(2), 1);
    check_teams(1, 3, 3);
    parallel_barrier(team);
}

/* a team within a team's body has one member */
START_TEST(team_within_team)
{
    ck_assert_uint_eq(parallel_begin(3), 3);
    for (int i = 0; i < 5; i++)
        parallel_run(3, play_within, NULL);
}
END_TEST

/* a child of fork() has teams of its own, and its parent's go on */
START_TEST(fork_after_team)
{
    for (int i = 0; i < 3; i++) {
        int status;
        check_teams(3, 3, 10);
        pid_t child = fork();
        if (child == 0) {
            check_teams(3, 3, 10);
            check_teams(2, 3, 10);
            _exit(7);
        }
        check_teams(3, 3, 10);
        ck_assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), 7);
    }
}
END_TEST

static void look_at_signals(void *context, const struct team *team)
{
    sigset_t mask;
    bool *is_blocked = context;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    is_blocked[team->rank] = sigismember(&mask, SIGINT) == 1;
}

/* signals stay the calling thread's */
START_TEST(signals)
{
    bool is_blocked[3] = {true, false, false};
    ck_assert_uint_eq(parallel_begin(3), 3);
    parallel_run(3, look_at_signals, is_blocked);
    ck_assert(!is_blocked[0] && is_blocked[1] && is_blocked[2]);
}
END_TEST

/* ---- how many ---- */

/* if the system refuses a thread, teams have one member */
START_TEST(refused_threads)
{
    for (threads_left = 0; threads_left < 3;) {
        int had = threads_left;
        ck_assert_uint_eq(parallel_begin(4), 1);
        threads_left = had + 1;
    }
    threads_left = ANY;
    ck_assert_uint_eq(parallel_begin(4), 4);
}
END_TEST

/* without a wish: as many as pay, which rows and OMP_NUM_THREADS bound, and one where every core is in use */
START_TEST(threads_without_wish)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pid_t *busy = calloc((size_t)cores, sizeof *busy);
    ck_assert_uint_eq(parallel_threads_for(8191, 64, 0), 1);
    ck_assert_uint_eq(parallel_threads_for(1 << 20, 1, 0), 1);
    ck_assert_uint_eq(parallel_threads_for(8191, 64, 5), 5);
    ck_assert_uint_eq(parallel_threads_for(8191, 4, 5), 4);
    uint32_t most = parallel_threads_for(1 << 20, 1024, 0);
    ck_assert(most >= 1 && most <= cores);
    for (long i = 0; i < cores; i++)
        if ((busy[i] = fork()) == 0)
            for (volatile int work = 0;; work++)
                continue;
    if (access("/proc/loadavg", R_OK) == 0)
        ck_assert_uint_eq(parallel_threads_for(1 << 20, 1024, 0), 1);
    for (long i = 0; i < cores; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    free(busy);
}
END_TEST

/* ---- routers ---- */

static struct router_result route(const struct router *router, const struct message_set *set,
                                  uint32_t threads)
{
    struct router_options options = router_options_default();
    struct router_result result;
    struct failure failure = {0};
    options.threads = threads;
    ck_assert_int_eq(router_run(router, set, &options, &result, &failure), FAIL_NONE);
    return result;
}

static void check_same(struct router_result a, struct router_result b)
{
    ck_assert_uint_eq(a.steps, b.steps);
    ck_assert_uint_eq(a.packet_hops, b.packet_hops);
    ck_assert_uint_eq(a.copies, b.copies);
    ck_assert_uint_eq(a.buffer_peak_step, b.buffer_peak_step);
    ck_assert_uint_eq(a.missing + b.missing, 0);
}

/* every router: the result says how many threads there were and how many not, and is the same */
START_TEST(routers)
{
    struct message_set set;
    struct pattern_options options = {.mesh = {70, 65}, .degree = 4, .congestion = 4, .seed = 1};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL), FAIL_NONE);
    const struct router *router = router_at((uint32_t)_i);
    struct router_result one = route(router, &set, 1);
    threads_left = 1;
    struct router_result refused = route(router, &set, 4);
    ck_assert(one.threads == 1 && one.threads_refused == 0);
    ck_assert(refused.threads == 1 && refused.threads_refused == 3);
    check_same(one, refused);
    threads_left = ANY;
    struct router_result four = route(router, &set, 4);
    ck_assert(four.threads == 4 && four.threads_refused == 0);
    check_same(one, four);
    message_set_free(&set);
}
END_TEST

struct user {
    const struct message_set *set;
    struct router_result result;
};

static void *use(void *of_user)
{
    struct user *user = of_user;
    for (int i = 0; i < 5; i++)
        user->result = route(router_find("stream"), user->set, 2);
    return NULL;
}

/* two threads of a user's call at once */
START_TEST(two_users)
{
    struct message_set set;
    struct pattern_options options = {.mesh = {40, 40}, .degree = 4, .congestion = 4, .seed = 1};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL), FAIL_NONE);
    struct user first = {.set = &set}, second = {.set = &set};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, use, &first), 0);
    use(&second);
    pthread_join(thread, NULL);
    check_same(first.result, second.result);
    message_set_free(&set);
}
END_TEST

#endif

Suite *threads_suite(void)
{
    Suite *suite = suite_create("threads");
#ifndef MESHCAST_SERIAL
    TCase *tests = tcase_create("threads");
    tcase_add_test(tests, teams);
    tcase_add_test(tests, team_within_team);
    tcase_add_test(tests, fork_after_team);
    tcase_add_test(tests, signals);
    tcase_add_test(tests, refused_threads);
    tcase_add_test(tests, threads_without_wish);
    tcase_add_loop_test(tests, routers, 0, (int)router_count());
    tcase_add_test(tests, two_users);
    suite_add_tcase(suite, tests);
#endif
    return suite;
}
