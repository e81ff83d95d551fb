/* Limits that somebody has set to the process: of memory (ulimit, containers, batch systems), of threads, and
 * of stacks. What cannot be had is found out here, since StarPU would abort, or ask for ever. */
#ifndef HEDDLE_BASE_LIMITS_H
#define HEDDLE_BASE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Memory ---- */

/* The smallest limit of memory of the process's cgroup and those above it, version 1 and 2; INT64_MAX: there
 * is none. Below `root`, "" but in tests. */
int64_t heddle__cgroup_memory(const char *root);

/* Bytes that can still be mapped, as far as RLIMIT_AS, RLIMIT_DATA and strict overcommitment tell, less a
 * reserve for what the process needs beside arrays; INT64_MAX: nothing limits it. */
int64_t heddle__memory_left(void);

/* Whether so much more can be mapped now, and the reserve would stay. Nearly free when nothing limits it. */
bool heddle__memory_has_room(size_t size_bytes);

/* ---- Threads ---- */

/* How many threads can be made at once, of those that are wanted. They are made, and end. */
int heddle__threads_available(int wanted);

/* Stacks of threads whose makers do not say how large they shall be: raised if a small `ulimit -s` set them
 * lower than what StarPU and the kernels need, and put back. */
void heddle__stacks_raise(void);
void heddle__stacks_restore(void);

/* Whether the calling thread's stack has room for kernels. *left: bytes. */
bool heddle__stack_has_room(int64_t *left);

#endif
