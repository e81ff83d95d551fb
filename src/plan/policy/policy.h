/* What plans are made for: the places of a machine with their rates, and what follows from them for
 * partitions. Pure: the runtime fills the description in from what it measured, tests invent it. */
#ifndef HEDDLE_PLAN_POLICY_POLICY_H
#define HEDDLE_PLAN_POLICY_POLICY_H

#include "array/place.h"

#include <stdint.h>

enum { HEDDLE_POLICY_PLACES = 96 };

/* A processor with its memory. Rates are a second. */
struct heddle_policy_place {
    heddle_place place;
    double bandwidth, flops; /* of its memory, in bytes; of float64 */
    double link;             /* GPU: bytes from and to host memory, when all are busy */
    int64_t memory_bytes;    /* 0: not known */
};

/* How automatic partitions are made. The caller of heddle__policy_finish fills the first group in. */
struct heddle_policy {
    int32_t n_gpus, n_places; /* GPUs come first, then CPU teams */
    struct heddle_policy_place places[HEDDLE_POLICY_PLACES];
    double peer_link; /* bytes/s between two GPUs; 0: through host memory's links */
    double host_link; /* bytes/s that all links together have; 0: as many as they are */
    int32_t n_teams;  /* CPU teams that there will be; places may not be known yet */
    int32_t force_n;  /* > 0: force[] parts on the leading axes of every array */
    int32_t force[HEDDLE_MAX_NDIM];
    int64_t part_bytes;   /* aim for one part, at 8 bytes an element; 0: default */
    int64_t inline_bytes; /* work below it is for the caller's thread; 0: none is */
    bool fusion;          /* false: each operation its own program */

    int32_t n_workers;    /* GPUs, or CPU teams if there is none: each is to have a part */
    int64_t stream_bytes; /* GPUs, data in host memory: aim for one part; 0: as part_bytes */
    double memory_share[HEDDLE_POLICY_PLACES]; /* of the GPUs, by the rates of their memories */
    uint64_t rates_hash;                       /* of the places */
};

/* Fills in what follows: the second group, part_bytes, and what the links have together. */
void heddle__policy_finish(struct heddle_policy *policy);

/* The number of a place; -1: it is not known, or anywhere. */
static inline int heddle__policy_number(const struct heddle_policy *policy, heddle_place place)
{
    for (int i = 0; i < policy->n_places; i++)
        if (policy->places[i].place == place) return i;
    return -1;
}

/* What is to be done, all of it, and the data that it needs. */
struct heddle_work {
    double flops, bytes; /* of kernels, which compute and move at once */
    double in;           /* bytes in host memory of which each place needs its share */
    double everywhere;   /* bytes of which each place needs all, from host memory or GPUs */
    int again;           /* times that it is done once more, where the data have come to */
    bool gpus_only;      /* CPU teams have no share, if there are GPUs */
};

/* The share of each place, adding up to 1, with which all are ready at once. A place whose share would
 * be small has none: it is not worth waiting for it should it be slower than thought. Returns the
 * seconds that it takes without `again`; of one place alone if `n_places` is 1. */
double heddle__policy_shares(const struct heddle_policy *policy, const struct heddle_work *work,
                             double share[HEDDLE_POLICY_PLACES]);

#endif
