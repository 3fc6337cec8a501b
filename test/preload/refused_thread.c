/* refused_thread.c - a library that is loaded before a program and refuses it one of its threads:
 * the REFUSE-th. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *),
                   void *argument)
{
    static atomic_int calls;
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    const char *text = getenv("REFUSE");
    return text != NULL && ++calls == atoi(text) ? EAGAIN
                                                 : real(thread, attributes, main, argument);
}
