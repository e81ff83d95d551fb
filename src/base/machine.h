/* The machine before anything is started: cores, NUMA domains, memory, whether there are GPUs. Reads
 * /proc and /sys only. */
#ifndef HEDDLE_BASE_MACHINE_H
#define HEDDLE_BASE_MACHINE_H

#include <sched.h>
#include <stdint.h>

enum { HEDDLE_MAX_TEAMS = 64, HEDDLE_MAX_GPUS = 64 };

struct heddle_machine {
    cpu_set_t allowed; /* to the process, when this was first asked */
    int n_allowed;
    int n_domains; /* NUMA domains with allowed cores */
    cpu_set_t domain[HEDDLE_MAX_TEAMS];
    int64_t memory_bytes; /* physical, or the least limit of the process's control groups */
    char cpu_model[128];
};
const struct heddle_machine *heddle__machine(void);

/* Makes CUDA's context on each GPU of a set (bit i: gpu:i), which others may hold, or limits prevent. */
void heddle__try_gpus(uint64_t which);
/* What happened then to one: NULL when it can be used, else why not; 0 bytes free when it was not tried. */
const char *heddle__gpu_trouble(int number, int64_t *free_bytes, int64_t *all_bytes);

/* GPUs that CUDA sees; 0 and why (static text) when there are none. Initialises CUDA. */
int heddle__count_gpus(const char **why);

#endif
