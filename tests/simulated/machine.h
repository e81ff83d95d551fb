/* Invented machines, as StarPU-SimGrid wants them described. No StarPU here: a launcher writes the
 * files before StarPU's own main, which reads them, is started. */
#ifndef HEDDLE_TESTS_MACHINE_H
#define HEDDLE_TESTS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { MACHINE_MAX_PLACES = 16 };

/* A CPU team or a GPU. CPUs come after all GPUs. */
struct machine_place {
    bool is_gpu;
    double bytes, flops; /* a second */
    double link;         /* bytes/s from and to host memory; GPU only */
};

struct machine {
    const char *name;
    const char *what;
    double host;         /* bytes/s of host memory that all links share */
    double peer;         /* bytes/s between any two GPUs; 0: through host memory's links */
    double latency_us;   /* of every link */
    double gpu_memory;   /* bytes */
    double launch_us[2]; /* of a kernel: CPU, GPU */
    struct machine_place places[MACHINE_MAX_PLACES]; /* ended by one of rate 0 */
    bool alone;                                      /* for the workloads alone that name it */
};

/* All of them, ended by one without a name. */
extern const struct machine machines[];
/* NULL: there is none of that name. */
const struct machine *machine_named(const char *name);
int machine_n_places(const struct machine *machine);
int machine_n_gpus(const struct machine *machine);

/* What StarPU reads with STARPU_PERF_MODEL_DIR=folder and STARPU_HOSTNAME=machine->name. `folder`
 * exists and is empty. */
bool machine_write(const struct machine *machine, const char *folder);

#endif
