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
    int64_t memory_bytes; /* physical, or the container's or the process's limit */
    char cpu_model[128];
};
const struct heddle_machine *heddle__machine(void);

/* GPUs that CUDA sees; 0 and why (static text) when there are none. Initialises CUDA. */
int heddle__count_gpus(const char **why);

#endif
