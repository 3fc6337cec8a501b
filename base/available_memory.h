/* available_memory.h - how much memory a process can get without being ended by the system or making it swap. */
#ifndef MESHCAST_BASE_AVAILABLE_MEMORY_H
#define MESHCAST_BASE_AVAILABLE_MEMORY_H

#include <stdint.h>

/* Returns the bytes that the process can get from now on: the least of what the system has, what its control groups allow
 * and what its own limits leave; MEMORY_NO_LIMIT (base/memory.h) where none of them is known. */
uint64_t available_memory(void);

/* Returns what the system and the control groups leave, in bytes, from the files below `root` ("" for the real ones):
 * /proc/meminfo, /proc/self/cgroup and the files of control groups, version 1 or 2, below /sys/fs/cgroup. */
uint64_t available_memory_in(const char *root);

#endif
