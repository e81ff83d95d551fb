/* Sorting rows: the arguments of a call, and the order that both kernels follow.
 *
 * An element becomes an unsigned key whose order is its own: an integer by its sign bit, a float by the order
 * of IEEE 754 totals (-inf ... -0, 0 ... inf). A descending order complements the key. A NaN has the largest key
 * either way, so NaNs come last; they come out as the quiet NaN without payload. Where positions are asked for, -0
 * has the key of 0, and equal keys stay in the order of their positions.
 *
 * A line that is cut is sorted in pieces, which makes them runs. All elements of a line have one order: by key, then by
 * the number of the run, then by the position in it. So a part of the result, whose first and last ranks are known, takes
 * one piece of each run, and it is known exactly which: for each boundary between parts there is a split of each run, and
 * these add up to the boundary. They are found in rounds. Of each run and boundary a window is known that the split is
 * in, at first the whole run; of that the run leaves a sample, every gap-th element; and all samples of a line together
 * make the windows narrower: k runs leave windows of fewer than k * gap elements, and with a gap of 1 just the split
 * (after P. J. Varman, S. D. Scheufler, B. R. Iyer, G. R. Ricard, Merging multiple lists on hierarchical-memory
 * multiprocessors, 1991). */
#ifndef HEDDLE_FAMILIES_SORT_KERNEL_H
#define HEDDLE_FAMILIES_SORT_KERNEL_H

#include <stdint.h>

enum heddle_sort_phase {
    HEDDLE_SORT_ROWS,   /* in -> out: each row in order or, with `positions`, its positions */
    HEDDLE_SORT_SAMPLE, /* of a run: in, windows -> out: every gap-th element of each window */
    HEDDLE_SORT_SPLIT,  /* of a line: in (samples of all runs), windows -> out: narrower windows */
    HEDDLE_SORT_PAIR, /* of part `part`: in, other (runs `run` and run + 1), windows -> out: their pieces merged */
    HEDDLE_SORT_MERGE, /* of part `part`: in (merged pairs), windows -> out: in order */
};

enum { HEDDLE_SORT_WANTED = 8 };
#define HEDDLE_SORT_POSITIONS                                                                      \
    (INT64_C(1) << 32) /* of a row, at most, that a GPU sorts: numbers of 32 bits */

/* The ranks of each row that something reads: from each first number up to the one beside it, ascending and apart. */
struct heddle_sort_wanted {
    int32_t n; /* 0: all */
    int64_t ranks[HEDDLE_SORT_WANTED][2];
};

/* `rows` rows of `n` contiguous elements in buffer `in`. To `out`: each row sorted or, with `positions`, the
 * positions in it as int64, in the order of their elements. */
struct heddle_sort {
    uint8_t dtype;         /* not complex */
    uint8_t element_bytes; /* of that */
    uint8_t descending, positions;
    uint8_t phase; /* enum heddle_sort_phase; what is not ROWS is a struct heddle_sort_line */
    uint8_t with_elements; /* ROWS with positions: the elements in order go to `elements` */
    int64_t rows, n;       /* SAMPLE: of the run; PAIR, MERGE: of the part; SPLIT: n is not used */
    struct heddle_sort_wanted
        wanted;    /* ROWS: at other ranks the kernel may leave what is there (on CPUs it does) */
    int64_t first; /* ROWS: the element of `in` that they begin at */
    uint32_t in, out, elements; /* buffers */
};

enum { HEDDLE_SORT_RUNS = 64 }; /* at most, of a line, and parts of the result */

/* Calls on runs. Each array has `rows` rows. Windows are int64 [rows][boundary][run][2]: the split of the run at the
 * boundary (the first is between parts 0 and 1) is neither before the first nor behind the second. Samples are
 * [rows][run][boundary][room]; in the first round all boundaries have the same, and there is one. Pieces of a part
 * lie in the order of their runs. With `positions` PAIR and MERGE have positions beside elements, and the last of them
 * writes these alone; those of a run count from its first element, all others along the whole axis. */
struct heddle_sort_line {
    struct heddle_sort sort;
    uint8_t is_first; /* SAMPLE, SPLIT: round; there are no windows */
    uint8_t is_last;  /* PAIR: nothing is merged after it */
    int32_t n_runs, n_parts;
    int32_t run;  /* SAMPLE, PAIR: an even one */
    int32_t part; /* PAIR, MERGE */
    int64_t gap;  /* SAMPLE, SPLIT: between samples */
    int64_t most; /* SAMPLE, SPLIT: no window has more elements */
    uint32_t windows, other, in_positions, other_positions, out_positions; /* buffers */
    int64_t bound[HEDDLE_SORT_RUNS + 1];      /* where runs begin, and the last ends */
    int64_t part_bound[HEDDLE_SORT_RUNS + 1]; /* and parts of the result */
};

/* How many samples of a window of up to `most` elements there may be, in a run of n. */
static inline int64_t heddle__sort_room(int64_t n, int64_t most, int64_t gap)
{
    return ((n < most ? n : most) + gap - 1) / gap;
}
/* How many windows of each run have samples. */
static inline int64_t heddle__sort_sets(const struct heddle_sort_line *s)
{
    return s->is_first ? 1 : s->n_parts - 1;
}
/* Passes of MERGE, two and two, after PAIR. */
static inline int heddle__sort_passes(int n_runs)
{
    int passes = 0;
    while (2 << passes < n_runs) passes++;
    return passes;
}

#endif
