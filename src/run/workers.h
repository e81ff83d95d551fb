/* The table of workers, CPU teams and GPUs: places where tasks run, with what is known of each. The backend
 * fills it when it starts. */
#ifndef HEDDLE_RUN_WORKERS_H
#define HEDDLE_RUN_WORKERS_H

#include "array/place.h"
#include "base/machine.h"
#include "run/settings.h"

struct heddle_worker {
    int number; /* its index in the table, and StarPU's */
    bool is_gpu;
    heddle_place place;
    int team;                    /* CPU: number of its team; GPU: CUDA's number */
    int n_threads;               /* CPU */
    struct heddle_team *threads; /* CPU: on which its tasks run */
    cpu_set_t cores;             /* CPU: of the team; GPU: of its driver thread */
    unsigned node;               /* of memory, as StarPU numbers them */
    int64_t memory_bytes;        /* how much Heddle may use there */
    double bandwidth, flops;     /* bytes/s, float64 operations/s; > 0 */
    double link;                 /* GPU: bytes/s from pinned host memory */
    double launch_us;
    double last_end;     /* GPU: when its last task ended, for the cost model */
    void *stream;        /* GPU: the cudaStream_t of its tasks */
    double direct_since; /* GPU: when direct launches began that nobody has waited for; 0: none */
    char model[128];
};
enum { HEDDLE_MAX_WORKERS = 320 }; /* no fewer than StarPU can have */
int heddle__n_workers(void);       /* 0 while nothing is started */
void heddle__set_n_workers(int n);
struct heddle_worker *heddle__worker(int i);
/* What submission asks of all workers together. */
struct heddle_workers_summary {
    int64_t gpu_bytes; /* of the smallest GPU; 0: there is none */
    bool has_cpu;
    bool links_fill_memory; /* nearly: cores beside them only disturb */
};
const struct heddle_workers_summary *heddle__workers_summary(void);
void heddle__workers_sum_up(void); /* once the rates are known */
/* Bytes/s between any two GPUs; 0: they have no faster way than host memory, or there are not two. */
double heddle__peer_link(void);
void heddle__set_peer_link(double bytes_per_s);
/* Bytes/s of all links to host memory together; 0: the sum of theirs. */
double heddle__host_link(void);
void heddle__set_host_link(double bytes_per_s);
/* Bytes/s of host memory for cores and links together; 0: as much as cores alone have. */
void heddle__set_host_memory(double bytes_per_s);
/* The worker of a place; -1: HEDDLE_ANYWHERE, or there is none. */
int heddle__worker_at(heddle_place place);

/* How many teams the settings ask for, before anything is started. */
int heddle__plan_teams(const struct heddle_settings *settings, int n_gpus);

#endif
