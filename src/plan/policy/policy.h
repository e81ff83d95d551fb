/* What plans are made for: the places of a machine with their rates, and what follows from them for
 * partitions. Pure: the runtime fills the description in from what it measured, tests invent it. */
#ifndef HEDDLE_PLAN_POLICY_POLICY_H
#define HEDDLE_PLAN_POLICY_POLICY_H

#include "array/place.h"

#include <stdint.h>

enum { HEDDLE_POLICY_PLACES = 96 };

/* A processor with its memory. Rates are per second. */
struct heddle_policy_place {
    heddle_place place;
    double bandwidth, flops; /* of its memory, in bytes; of float64 operations */
    double link;             /* GPU: bytes from and to host memory while all links are busy */
    int64_t memory_bytes;    /* 0: not known */
};

/* How automatic partitions are made. The caller of heddle__policy_finish fills the first group in. */
struct heddle_policy {
    int32_t n_gpus, n_places; /* GPUs come first, then CPU teams */
    struct heddle_policy_place places[HEDDLE_POLICY_PLACES];
    double peer_link; /* bytes/s between two GPUs; 0: they go through host memory */
    double host_link; /* bytes/s of all links together; 0: the sum of theirs */
    int32_t n_teams;  /* how many CPU teams there will be; their places may not be known yet */
    int32_t force_n;  /* > 0: force[] parts on the leading axes of every array */
    int32_t force[HEDDLE_MAX_NDIM];
    int64_t part_bytes;   /* aimed at for a part, with elements of 8 bytes; 0: the default */
    int64_t host_bytes;   /* of host memory; 0: not known */
    int64_t inline_bytes; /* less work than this runs on the caller's thread; 0: none */
    int64_t worn_bytes;   /* but not more than this on data that it has often read; 0: any */
    bool fusion;          /* false: each operation is a program */

    int32_t n_workers;    /* GPUs, or CPU teams if there is no GPU: each should have a part */
    int64_t stream_bytes; /* the same for data in host memory, with GPUs; 0: part_bytes */
    double memory_share[HEDDLE_POLICY_PLACES]; /* of each GPU, by the rates of their memories */
    uint64_t rates_hash;                       /* of the rates of all places */
};

/* Fills in what follows from the first group: the second group, part_bytes and host_link. */
void heddle__policy_finish(struct heddle_policy *policy);

/* The number of a place; -1: it is unknown, or HEDDLE_ANYWHERE. */
static inline int heddle__policy_number(const struct heddle_policy *policy, heddle_place place)
{
    for (int i = 0; i < policy->n_places; i++)
        if (policy->places[i].place == place) return i;
    return -1;
}

/* All the work that places share, and the data that it needs. */
struct heddle_work {
    double flops, bytes; /* of kernels, which compute and move at the same time */
    double in;           /* bytes in host memory: each place needs its share of them */
    double everywhere;   /* bytes that each place needs all of, from host memory or GPUs */
    int again;           /* how many times it is done again where the data then are */
    bool gpus_only;      /* CPU teams have no share, if there are GPUs */
};

/* The share of each place, of a sum of 1, so that all finish at the same time. A place whose share would
 * be small has none: all would wait for it if it were slower than thought. Returns the seconds without
 * `again`; those of the one place if `n_places` is 1. */
double heddle__policy_shares(const struct heddle_policy *policy, const struct heddle_work *work,
                             double share[HEDDLE_POLICY_PLACES]);

#endif
