/* parallel.c - threads through OpenMP, or none.
 *
 * The serial back-end is the reference: MESHCAST_SERIAL (make SERIAL=1) must give the same bytes
 * as any number of threads.
 */
#include "machine/parallel.h"

#ifdef MESHCAST_SERIAL

void parallel_run(uint32_t threads, void (*body)(void *context, uint32_t rank, uint32_t size),
                  void *context)
{
    (void)threads;
    body(context, 0, 1);
}

void parallel_barrier(void)
{
}

uint32_t parallel_cores(void)
{
    return 1;
}

#else

#include <omp.h>

void parallel_run(uint32_t threads, void (*body)(void *context, uint32_t rank, uint32_t size),
                  void *context)
{
    if (threads <= 1) {
        body(context, 0, 1);
        return;
    }
#pragma omp parallel num_threads(threads)
    body(context, (uint32_t)omp_get_thread_num(), (uint32_t)omp_get_num_threads());
}

void parallel_barrier(void){
#pragma omp barrier
}

uint32_t parallel_cores(void)
{
    return (uint32_t)omp_get_num_procs();
}

#endif
