/* memory.h - the one allocator, and the limit of what the process uses.
 *
 * In use is what the process has asked for and not given back, as the system counts it, so that
 * blocks are freed with free(). Sparse blocks count by what of them was touched. A request that
 * does not fit into the limit gets NULL, and fail_memory() reports the figures.
 *
 * The limit holds for the whole process. By default it is what is available when a request does not
 * fit into what was available before.
 */
#ifndef MESHCAST_BASE_MEMORY_H
#define MESHCAST_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_NO_LIMIT UINT64_MAX

/* Limits what the process uses from now on to `bytes` more than it uses now; MEMORY_NO_LIMIT lifts
 * the limit. */
void memory_limit(uint64_t bytes);

/* Restores the default limit. */
void memory_limit_default(void);

/* Limits this process, one of `processes` on this machine, to its share of a limit: of the default
 * one if none was set. */
void memory_limit_share(uint32_t processes);

/* Returns the bytes that the process can get from now on: the least of what the system has, what
 * its control groups allow and what its own limits leave; MEMORY_NO_LIMIT where none of them is
 * known. */
uint64_t available_memory(void);

/* Returns what the system and the control groups leave, in bytes, from the files below `root` (""
 * for the real ones): /proc/meminfo, /proc/self/cgroup and the files of control groups, version 1
 * or 2, below /sys/fs/cgroup. */
uint64_t available_memory_in(const char *root);

/* A request that was refused, in bytes. */
struct memory_refusal {
    uint64_t limit, in_use, asked;
};

/* True if the limit refused the last request that got no memory; false if the system did. */
bool memory_refused(struct memory_refusal *refusal);

/* Writes a number of bytes, such as "21.3 GB", "4.0 MB", "12 kB", to `text`, and returns it. */
const char *memory_text(uint64_t bytes, char text[32]);

/* calloc with the product checked; NULL when `count * size` overflows or memory is out. A zero
 * count gives a pointer that may be freed. The caller frees with free(). */
void *memory_allocate(size_t count, size_t size);

/* Returns the same for a block of which little may ever be written. The limit counts what is
 * written, and the system gives it memory in small pages. */
void *memory_allocate_sparse(size_t count, size_t size);

/* Counts `bytes` of a sparse block, from `block` on, as asked for, in large pages. False: they do
 * not fit into the limit; the caller then frees the block. */
bool memory_expect_use(void *block, size_t bytes);

/* Frees a sparse block, or NULL; `bytes` are those whose use was not expected. By free() such a
 * block could go, too, with the effect that these bytes count, for as long as the process lives,
 * only once they are written. */
void memory_free_sparse(void *block, size_t bytes);

/* Advises the system to give a block of `bytes` large pages. */
void memory_prefer_large_pages(void *block, size_t bytes);

/* Returns `block`, which has room for *room elements, with room for at least `count`, contents
 * kept, and sets *room: if that was too little, to at least twice as many. `block` may be NULL.
 * New elements are not cleared. Returns NULL on overflow or without memory; then both are unchanged.
 * If arrays share one room, give all but the last a copy of it, and grow none after one that
 * failed: else the room is larger than an array. */
void *memory_grow(void *block, size_t *room, size_t count, size_t size);

/* Does the same with the block that the pointer at `array` points to; false: it is unharmed. */
bool memory_make_room(void *array, size_t *room, size_t count, size_t size);

/* Resizes to `count` elements, contents kept; NULL (and `block` unharmed) on overflow or no
 * memory. What lies beyond the old end is not cleared. */
void *memory_resize(void *block, size_t count, size_t size);

#endif
