/* Where partitions and tasks stop being worth it: all such numbers, so that they are tuned in one place. They
 * were chosen on 2-, 16- and 32-core CPUs and on one to four H200. */
#ifndef HEDDLE_PLAN_POLICY_THRESHOLDS_H
#define HEDDLE_PLAN_POLICY_THRESHOLDS_H

#include <stdint.h>

struct heddle_thresholds {
    /* ---- How large parts are (policy) ---- */
    int64_t part_bytes_gpu, part_bytes_cpu; /* aimed at, where nothing else asks for smaller ones */
    int64_t part_bytes_least;               /* whatever the user asks for */
    int parts_of_memory; /* a part takes at most this fraction of a GPU's memory, and of the host's */
    int temporaries_of_memory; /* temporaries that take more than this fraction of the host's are made part by
                                  part, whatever that costs in overlap */
    int64_t
        stream_bytes; /* of a part that is sent: half a millisecond of a link, so that transfers are
                             nearly hidden and tasks are not too many */

    /* ---- How many parts (policy) ---- */
    int64_t worth_sharing;   /* bytes for each worker: fewer are not worth a task, ... */
    int64_t worth_computing; /* ... but with so many operations for each GPU */
    int parts_each;          /* for each CPU team: teams need not be equally fast */
    int parts_to_settle;     /* for each place: work begins with the first one there */
    double smallest_share;   /* of the largest one: a place that would have less has none; */
    /* and of all, for CPU teams beside GPUs in an iteration, as halos between them cost more */
    double settle_room;       /* of a GPU's memory: data that take more do not settle there */
    int settle_again;         /* evaluations that are assumed to follow; more change little */
    int visits_for_partition; /* nodes, from an operation back to arrays that have a partition */
    int64_t most_parts;       /* of an assembled array */
    int64_t most_parts_cut;   /* by size, however small parts are asked for: a plan must end */

    /* ---- Assembled arrays (fuse) ---- */
    int64_t call_bytes_gpu,
        call_bytes_cpu;   /* moved in the time that one more call of a program takes */
    int64_t slab_bytes;   /* the same of a copy on the caller's thread */
    int64_t cached_bytes; /* of an array, whose lines come from memory once, however it is read */

    /* ---- What is computed again and again (walk) ---- */
    int64_t worth_keeping;      /* nodes walked again, from which on an array is kept */
    int64_t bytes_for_node;     /* written in the time that planning a node takes */
    int64_t nodes_planned_fast; /* a chain of as many more costs as much again for each node */
    int kept_of_memory;         /* at most this fraction of the host's */

    /* ---- What several programs read (fuse) ---- */
    double flops_for_byte_gpu,
        flops_for_byte_cpu; /* operations that are worth a byte of memory, ... */
    double
        flops_for_byte_cpu_at_most; /* ... if they are not counted one by one, but as the most there can be */
    int64_t worth_joining;   /* bytes: smaller plans are in a cache, and joining steps takes time */
    int64_t worth_appending; /* bytes: fewer stay in a cache until elementwise work reads them */

    /* ---- Tasks (cut) ---- */
    int64_t
        worth_a_task;  /* elements: pieces from other places get a task of their own from here on */
    int remote_in_one; /* if at most 1 / of a part comes from other places, one task takes it */
    int sends_tasks;   /* for each place: a longer stream of tasks does not send what it makes */
    int64_t
        combined_by_each; /* bytes: so few partial results each GPU that uses their sum combines itself, ... */
    int combining_gpus;   /* ... if they are so few: each sends its own to all others */
    int pieces_of_memory; /* a launch whose tasks read pieces of other GPUs' parts takes at most this
                             fraction of a GPU's memory: StarPU would send all of the parts */
    int most_turns; /* tasks of a gather from an array of several parts; else it is collected */

    /* ---- Products whose sums are cut among places (families/matmul/sums.c) ---- */
    double
        worth_adding; /* seconds saved, from which on places make partial results: two launches and a copy
                            between them take as long */
    int partials_of_moved; /* they are at most 1 / of the bytes that would move else */
};

extern const struct heddle_thresholds heddle__thresholds;

#endif
