/* Which operations of a section of a program are compiled together: runs, each one loop over a block's rows that has
 * what is between its operations in registers; or a fold, which has no block: it adds the values up as well. plan.c chooses
 * them, source.c writes them as C. */
#ifndef HEDDLE_CODELETS_CPU_COMPILED_PLAN_H
#define HEDDLE_CODELETS_CPU_COMPILED_PLAN_H

#include "program.h"

#include <stdbool.h>

/* A load's rows are those of load `of`, so many rows further down, and begin so many elements further along, or up and back. Of itself, 0
 * and 0: of no load before it. */
enum { HEDDLE_MOST_DOWN = 8, HEDDLE_MOST_ALONG = 60 };
struct heddle__shift {
    uint8_t of;
    int8_t down, along;
};
/* Instructions 0..end-1, as far as they are needed for the stores, or (reduce) for the reductions' values. */
struct heddle__section {
    const struct heddle_program *program;
    int end;
    bool reduce;
    bool folds; /* all of it is one fold, ... */
    bool tree;  /* ... of rows that a tree combines, not from the first to the last */
    bool lanes; /* ... or of rows each of which is combined, to lanes */
    uint64_t
        moving[HEDDLE_MAX_INSTRS / 64]; /* bit i: value i is needed and changes with the element */
    uint64_t
        flat[HEDDLE_MAX_INSTRS / 64]; /* bit i: it is a load, or an index, one number for a row */
    uint64_t counts
        [HEDDLE_MAX_INSTRS /
         64]; /* bit i: it is an index that counts along a row from its first number on, which alone is read */
    int8_t step
        [HEDDLE_MAX_INSTRS]; /* elements from one to the next along a row of load i, which stays where it is; else 0 */
    bool has_shifts;
    struct heddle__shift shift[HEDDLE_MAX_INSTRS]; /* with has_shifts: of load i */
};

/* Operations items[first..first+n-1], one after the other. One that is compiled has its values' pointers map[map..], those
 * that it reads, then those that it writes: of several, or of one that reads columns where they are. Another has one operation, which is a
 * step as it is. */
struct heddle__run {
    uint16_t first, n, map, n_inputs, n_outputs;
    bool compiled;
};
struct heddle__plan {
    int n_runs, n_items, n_map, n_compiled; /* functions that are compiled */
    int group;                              /* rows that a fold takes at once, at most */
    bool together; /* the one run takes rows together, as they share values (together.h) */
    struct heddle__run runs[HEDDLE_MAX_INSTRS];
    uint16_t items[HEDDLE_MAX_INSTRS];
    uint16_t map[4 * HEDDLE_MAX_INSTRS];
    int8_t step[HEDDLE_MAX_INSTRS]; /* the section's, of loads that runs alone read; else 0 */
};

/* Instruction sets, as of elementary.c: from AVX2 on multiplications and additions are fused; AVX-512 also converts and multiplies
 * integers of 8 bytes with its vectors. */
enum heddle__level { HEDDLE__BASELINE = 1, HEDDLE__AVX2, HEDDLE__AVX512 };

/* Items in an order in which each comes after its operands, cheap operations together as far as they can be; of a fold all, or
 * none is compiled. */
void heddle__plan_runs(struct heddle__plan *plan, const struct heddle__section *section,
                       enum heddle__level level);

/* C source of the functions heddle_run_0, ... of the compiled runs, each a heddle__run_function. It holds no size, no constant
 * and no stride but the steps. heddle__free it; NULL: memory is gone. */
char *heddle__plan_source(const struct heddle__plan *plan, const struct heddle__section *section);

/* A run over `rows` >= 1 rows of n elements: those of value map[k] begin at ptr[map[k]], and each is pitch[map[k]] bytes after
 * the one before. */
typedef void heddle__run_function(size_t n, size_t rows, void *const *ptr, const int64_t *pitch,
                                  const uint16_t *map);
/* A fold has the same type: value map[k] of its plan begins at ptr[k] and is pitch[k] bytes after the one before, and the n
 * accumulators of reduction r, which are there, at ptr[n_inputs + r]: bools as bytes. It goes from the first row to the last. Of places of
 * extremes, the int32 numbers of rows so far are at ptr[n_inputs + n_reductions + r], and the first row's at ptr[n_inputs + 2 n_reductions].
 * Of lanes, each of the rows is HEDDLE_ROW_LANES < n <= HEDDLE_ROW_MOST elements of its own, which are combined as a tree combines them as far as
 * to so many, which follow those of the row before.
 * A tree's takes a group of rows, which are combined first with those two further on: function 0 begins accumulators with it, function 1
 * combines them with it. */

/* Longer rows go to the lanes of the tree first, as many as HEDDLE_ROW_PARTS (HEDDLE_TREE_LANES). */
enum { HEDDLE_ROW_LANES = 16, HEDDLE_ROW_PARTS = 1024, HEDDLE_ROW_MOST = 4095 };

static inline bool heddle__bit(const uint64_t *bits, int i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* What is made of the second operand before a loop, if that is one integer for all elements, "divisor" or "shift"; else NULL. */
const char *heddle__prepared(const struct heddle__section *section, const struct heddle_instr *in);

/* A function of exponentials.h in loops. */
struct heddle__in_loops {
    const char *name; /* without the letter of its type; NULL: there is none */
    bool has_far;     /* a loop may expect that nothing is far (name_is_far), which takes less */
};
struct heddle__in_loops heddle__function_in_loops(const struct heddle_instr *in);

/* Whether it converts from floating to narrower integers, of which loops expect that they fit in an int32. */
bool heddle__narrows(const struct heddle_instr *in);

#endif
