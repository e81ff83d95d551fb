/* Launches over the same rows, one after the other, as one call: each row is read once, and what the later
 * launches read of it, or of what the earlier ones made of it, stays on the chip: in a block's registers on
 * a GPU, in a core's cache on a CPU. Softmax over rows is such a chain: a maximum, a sum, a quotient.
 *
 * A launch begins a chain by its `next`. All are of phase WHOLE over one box: axes 0..n_kept-1 of the
 * chain number the rows, the others a row's elements. Reductions reduce those, in one chunk, and scans go along them, where they are one axis; maps keep
 * all axes, or are over the rows alone. */
#ifndef HEDDLE_CODELETS_ROWS_H
#define HEDDLE_CODELETS_ROWS_H

#include "program.h"

#include <stdbool.h>

enum { HEDDLE_ROWS_STAGES = 12 };

/* An array as all stages walk it. */
struct heddle_rows_operand {
    uint32_t buffer;
    uint8_t dtype;
    bool is_row;    /* one element for each row */
    bool is_made;   /* a stage stores it */
    bool is_passed; /* nobody but stages of the chain reads what is stored */
    bool is_held;   /* elements that several stages read or make: they stay on the chip */
    bool
        is_remade; /* of a long form: each reader makes it anew, which is cheaper than to store it */
    bool is_reread; /* of a long form: several stages read it from memory */
    uint8_t room;   /* of a long form: where in shared memory it is held, from 1 on */
    uint8_t maker;  /* the stage that stores it */
    int64_t offset, stride[HEDDLE_MAX_NDIM], step; /* step: from one element of a row to the next */
    int64_t period,
        leap; /* period > 0: element f is (f % period) steps and (f / period) leaps on, as a number for each channel is */
};

/* What a chain is together: kept axes are merged where all operands allow it, and so are the reduced ones. */
struct heddle_rows {
    int n_stages, n_kept, n_operands;
    int64_t extent[HEDDLE_MAX_NDIM], n_rows, length;
    const struct heddle_geometry *box; /* of its first reduction or scan */
    const struct heddle_launch *stage[HEDDLE_ROWS_STAGES];
    bool is_row_map[HEDDLE_ROWS_STAGES]; /* over the rows alone */
    bool has_scans, rounds; /* rounds: values of a scan depend on how they are grouped */
    bool in_sequence;       /* reductions go left to right, and neighbouring rows lie together */
    uint8_t axis[HEDDLE_ROWS_STAGES]
                [HEDDLE_MAX_NDIM]; /* of a stage: which of its axes axis d of the box is */
    uint16_t index_axes;           /* axes of the box on whose indices values depend: bits */
    struct heddle_rows_operand operand[HEDDLE_MAX_OPERANDS];
    uint8_t of[HEDDLE_ROWS_STAGES][HEDDLE_MAX_OPERANDS]; /* a stage's operand among all */
};

/* "sum", "product", "maximum", "minimum": enum heddle_scan_operation, for people, and in the names of GPUs' operations (cuda/scan.cuh). */
extern const char *const heddle__scan_names[];
/* Elements of a row that is scanned in a chain: a chunk of the order, of columns as many as a reduction takes in one. */
int64_t heddle__scan_most(bool in_sequence);
/* Whether the launches from `first` on are a chain; fills *rows in. */
bool heddle__rows_of(const struct heddle_launch *first, struct heddle_rows *rows);

/* How a GPU walks the rows of a chain. */
struct heddle_rows_form {
    int threads; /* of a row: 1, 4 to 16 of a warp, a warp, or all of a block of 64 to 256; 256 to 1024 of a long one */
    int parts;   /* of threads 1: warps that each have a run of the elements of the same rows */
    int slots; /* elements of a row that each of them has; equal for rows of about the same length */
    int full;  /* slots that have an element in all threads */
    int group;  /* slots whose elements are loaded together; divides all */
    int beside; /* elements that lie together, which a thread of several has: 1, 2 or 4; divides the row, slots and group */
    int rows;   /* that a thread takes at a time: more than one of rows of few bytes */
    bool
        is_long; /* registers hold nothing: shared memory does, or each stage reads the row anew, out of the second-level cache */
};
enum { HEDDLE_ROWS_BESIDE = 4 };
/* False: it cannot hold a row. `most_beside`: neighbours that one access may reach, a power of two up to HEDDLE_ROWS_BESIDE, where arrays begin at multiples of
 * as many elements. `shared_bytes`: of shared memory, that a block may have. Of a long form it finds the rooms of what is held, or what is made anew and what is read again. */
bool heddle__rows_form(struct heddle_rows *rows, int most_beside, int64_t shared_bytes,
                       struct heddle_rows_form *form);

/* Bytes of shared memory that what is held of a long row takes, and what its reductions and scans do; 0 of the former: nothing is held there. */
int64_t heddle__rows_room_bytes(const struct heddle_rows *rows);
int64_t heddle__rows_lane_bytes(const struct heddle_rows *rows);
/* Blocks of a multiprocessor that have long rows at a time. */
int64_t heddle__rows_long_blocks(const struct heddle_rows *rows, int64_t shared_bytes);

/* Bytes of a row that several stages read from memory, in a long form. */
int64_t heddle__rows_reread(const struct heddle_rows *rows);

/* Whether registers of a row's elements are free for what is computed of them: that is one sum, after which nobody reads the row. */
bool heddle__rows_are_left(const struct heddle_rows *rows);

/* Bytes of memory that a chain reads and writes. */
double heddle__rows_bytes(const struct heddle_rows *rows);

#endif
