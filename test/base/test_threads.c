/* test_threads.c - crews: each rank once, barriers that hold, whoever carries the ranks, and however few
 * threads the system gives.
 *
 * What a crew asks the system for is answered here: how many cores there are, what time it is (any time,
 * so that threads seem to lose their cores and are parked and called again all the time), and whether a
 * thread or a stack can be had. No test depends on how fast anything is.
 */
#define _GNU_SOURCE

#include "base/fiber.h"
#include "base/parallel.h"
#include "base/pcg.h"
#include "routers/router.h"
#include "workloads/pattern.h"

#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *threads_suite(void);

#ifndef MESHCAST_SERIAL

enum { MOST_RANKS = 8, ANY = 1000000 };

/* ---- the system ---- */

static int cores;                     /* 0: as many as there are */
static bool clock_is_wild;            /* up to some milliseconds off */
static atomic_int hours;              /* by which the clock has jumped */
static atomic_int threads_left = ANY; /* that can be had */
static atomic_int stacks_left = ANY;

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    int (*real)(pid_t, size_t, cpu_set_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "sched_getaffinity");
    if (cores == 0)
        return real(process, size, set);
    CPU_ZERO(set);
    for (int i = 0; i < cores; i++)
        CPU_SET(i, set);
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static atomic_uint calls;
    int (*real)(clockid_t, struct timespec *);
    *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, time);
    if (clock_is_wild && clock == CLOCK_MONOTONIC) {
        time->tv_nsec += pcg32_at(1, 1, atomic_fetch_add(&calls, 1)) % 3000000;
        time->tv_sec += time->tv_nsec / 1000000000;
        time->tv_nsec %= 1000000000;
    }
    if (clock == CLOCK_MONOTONIC)
        time->tv_sec += 3600 * (time_t)atomic_load(&hours);
    return status;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until)
{
    struct timespec real = {until->tv_sec - 3600 * (time_t)atomic_load(&hours), until->tv_nsec};
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &real);
}

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

void *mmap(void *at, size_t size, int access, int flags, int file, off_t offset)
{
    void *(*real)(void *, size_t, int, int, int, off_t);
    *(void **)&real = dlsym(RTLD_NEXT, "mmap");
    if (flags & MAP_STACK && stacks_left-- <= 0) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return real(at, size, access, flags, file, offset);
}

/* ---- bodies ---- */

struct play {
    uint32_t rounds;
    uint32_t round[MOST_RANKS]; /* each rank's own, read by others behind a barrier */
    uint32_t calls[MOST_RANKS], wrong;
    pthread_t caller;
};

/* Each rank tells its round, then looks at all others'. */
static void tell_and_look(void *context, const struct team *team)
{
    struct play *play = context;
    uint32_t wrong = 0;
    play->calls[team->rank]++;
    for (uint32_t round = 1; round <= play->rounds; round++) {
        play->round[team->rank] = round;
        parallel_barrier(team);
        for (uint32_t r = 0; r < team->size; r++)
            wrong += play->round[r] != round;
        wrong += team->rank == 0 && !pthread_equal(pthread_self(), play->caller);
        parallel_barrier(team);
    }
    play->round[team->rank] = wrong;
}

static void check_crew(struct crew *crew, uint32_t size, uint32_t runs, uint32_t rounds)
{
    struct play play = {.rounds = rounds, .caller = pthread_self()};
    ck_assert_uint_eq(crew_size(crew), size);
    for (uint32_t run = 1; run <= runs; run++) {
        parallel_run(crew, tell_and_look, &play);
        for (uint32_t r = 0; r < MOST_RANKS; r++) {
            ck_assert_uint_eq(play.calls[r], r < size ? run : 0);
            ck_assert_uint_eq(play.round[r], 0);
        }
    }
}

/* a team of every size, on as many cores as there are and on any other number */
START_TEST(teams)
{
    for (uint32_t size = 1; size <= MOST_RANKS; size++)
        for (cores = 0; cores <= MOST_RANKS; cores++) {
            struct crew *crew = crew_make(size);
            ck_assert((crew == NULL) == (size == 1));
            check_crew(crew, size, 6, 10);
            crew_free(crew);
        }
}
END_TEST

/* threads lose their cores all the time: ranks go from one to another, and nothing else changes */
START_TEST(lost_cores)
{
    static const uint32_t sizes[] = {2, 3, 5, 8};
    struct crew *crew = crew_make(sizes[_i]);
    crew_free(crew);
    cores = 2 + 6 * (_i % 2);
    clock_is_wild = true;
    crew = crew_make(sizes[_i]);
    check_crew(crew, sizes[_i], 60, 20);
    check_crew(crew, sizes[_i], 2, 600);
    crew_free(crew);
}
END_TEST

struct stop {
    pthread_t caller;
    bool jumps, is_apart;
};

/* Rank 0 keeps the other waiting, perhaps for an hour; rank 1 tells whether a thread of its own has it. */
static void stop_for_an_hour(void *context, const struct team *team)
{
    struct stop *stop = context;
    if (team->rank == 0) {
        for (clock_t since = clock(); clock() - since < CLOCKS_PER_SEC / 1000;)
            continue; /* works, until the other sleeps */
        atomic_fetch_add(&hours, stop->jumps);
    } else
        stop->is_apart = !pthread_equal(pthread_self(), stop->caller);
    parallel_barrier(team);
}

static void run_until_apart(struct crew *crew, struct stop *stop)
{
    for (stop->is_apart = false; !stop->is_apart;)
        parallel_run(crew, stop_for_an_hour, stop);
}

/* a process that is stopped for an hour, by Ctrl-Z say, uses its cores again when it goes on */
START_TEST(stopped_process)
{
    struct stop stop = {.caller = pthread_self()};
    cores = 2;
    struct crew *crew = crew_make(2);
    for (int i = 0; i < 2; i++) {
        run_until_apart(crew, &stop);
        stop.jumps = true;
        parallel_run(crew, stop_for_an_hour, &stop);
        stop.jumps = false;
    }
    run_until_apart(crew, &stop);
    crew_free(crew);
    hours = 0; /* Check tells how long a test has taken, by this clock */
}
END_TEST

static void play_within(void *context, const struct team *team)
{
    struct crew *crew = crew_make(2);
    (void)context;
    check_crew(crew, crew_size(crew), 3, 3);
    parallel_barrier(team);
    crew_free(crew);
}

/* crews know nothing of one another: each rank of one makes its own */
START_TEST(crew_within_crew)
{
    struct crew *crew = crew_make(3);
    cores = 4;
    for (int i = 0; i < 5; i++)
        parallel_run(crew, play_within, NULL);
    crew_free(crew);
}
END_TEST

/* a child of fork() makes crews of its own, and its parent's goes on */
START_TEST(fork_beside_crew)
{
    int status;
    struct crew *crew = crew_make(3);
    check_crew(crew, 3, 3, 10);
    pid_t child = fork();
    if (child == 0) {
        struct crew *own = crew_make(2);
        check_crew(own, 2, 3, 10);
        crew_free(own);
        _exit(7);
    }
    check_crew(crew, 3, 3, 10);
    ck_assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    crew_free(crew);
}
END_TEST

/* ---- few threads ---- */

/* the system gives fewer threads or stacks than are wanted: the team is smaller, down to one */
START_TEST(few_threads)
{
    cores = 8;
    for (int had = 0; had <= 4; had++) {
        threads_left = had;
        struct crew *crew = crew_make(4);
        check_crew(crew, had < 3 ? 1 + (uint32_t)had : 4, 2, 5);
        crew_free(crew);
        threads_left = ANY;
        stacks_left = had;
        crew = crew_make(4);
        check_crew(crew, had < 3 ? 1 + (uint32_t)had : 4, 2, 5);
        crew_free(crew);
        stacks_left = ANY;
    }
}
END_TEST

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

/* every router: the result says how many threads there were and how many not, and is the same; also
 * where cores are lost all the time */
START_TEST(routers)
{
    struct message_set set;
    struct pattern_options options = {.mesh = {70, 65}, .degree = 4, .congestion = 4, .seed = 1};
    ck_assert_int_eq(pattern_generate(pattern_find("uniform"), &options, &set, NULL), FAIL_NONE);
    const struct router *router = router_at((uint32_t)_i);
    cores = 4;
    struct router_result one = route(router, &set, 1);
    threads_left = 1;
    struct router_result two = route(router, &set, 4);
    ck_assert(one.threads == 1 && one.threads_refused == 0);
    ck_assert(two.threads == 2 && two.threads_refused == 2);
    check_same(one, two);
    threads_left = ANY;
    clock_is_wild = true;
    check_same(one, route(router, &set, 4));
    message_set_free(&set);
}
END_TEST

/* ---- users of the library ---- */

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
    TCase *crews = tcase_create("crews");
    tcase_add_test(crews, teams);
    tcase_add_loop_test(crews, lost_cores, 0, 4);
    tcase_add_test(crews, stopped_process);
    tcase_add_test(crews, crew_within_crew);
    tcase_add_test(crews, fork_beside_crew);
    tcase_add_test(crews, few_threads);
    tcase_add_loop_test(crews, routers, 0, (int)router_count());
    tcase_add_test(crews, two_users);
    suite_add_tcase(suite, crews);
#endif
    return suite;
}
