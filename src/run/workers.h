/* The table of places where tasks run, with what is known of each. Who drives the devices fills it
 * when they start; CPU teams and GPUs. */
#ifndef HEDDLE_RUN_WORKERS_H
#define HEDDLE_RUN_WORKERS_H

#include "array/place.h"
#include "base/machine.h"
#include "run/settings.h"

struct heddle_worker {
    int number; /* in the table, and StarPU's */
    bool is_gpu;
    heddle_place place;
    int team;                /* CPU: number of its team; GPU: CUDA's number */
    int n_threads;           /* CPU */
    cpu_set_t cores;         /* CPU: of the team; GPU: of its driver thread */
    unsigned node;           /* of memory, as StarPU numbers them */
    int64_t memory_bytes;    /* that Heddle may use there */
    double bandwidth, flops; /* bytes/s, float64 operations/s; > 0 */
    double link;             /* GPU: bytes/s from pinned host memory */
    double launch_us;
    double last_end;     /* GPU: when its last task ended, for the cost model */
    void *stream;        /* GPU: the cudaStream_t of its tasks */
    double direct_since; /* GPU: when the direct launches began that nobody waited for; 0: none */
    char model[128];
};
enum { HEDDLE_MAX_WORKERS = 320 }; /* no fewer than StarPU can have */
int heddle__n_workers(void);       /* 0 while nothing is started */
void heddle__set_n_workers(int n);
struct heddle_worker *heddle__worker(int i);
/* What submission asks of all of them together. */
struct heddle_workers_summary {
    int64_t gpu_bytes; /* smallest GPU memory; 0: no GPU */
    bool has_cpu;
    bool links_fill_memory; /* so nearly that cores beside them only disturb */
};
const struct heddle_workers_summary *heddle__workers_summary(void);
void heddle__workers_sum_up(void); /* the rates are known, and stay as they are */
/* Bytes/s between any two GPUs; 0: no more than through host memory, or there are not two. */
double heddle__peer_link(void);
void heddle__set_peer_link(double bytes_per_s);
/* Bytes/s of host memory that all links together have; 0: as many as they are. */
double heddle__host_link(void);
void heddle__set_host_link(double bytes_per_s);
/* Bytes/s of host memory for cores and links together; 0: what cores alone take. */
void heddle__set_host_memory(double bytes_per_s);
/* The worker of a place; -1: anywhere, or there is none. */
int heddle__worker_at(heddle_place place);

/* How many teams and threads the settings ask for, before anything is started. */
int heddle__plan_teams(const struct heddle_settings *settings, int n_gpus);

#endif
