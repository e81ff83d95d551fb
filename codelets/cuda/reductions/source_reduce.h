/* Shared by the parts of the generated source of reductions: source_reduce.c (kernels), source_chunk.c
 * (elements and results), source_tree.c (what combines them).
 *
 * Names in the text: k<a> kept indices, n elements of the chunk, slots [t] of elements that are
 * loaded and computed together (ok[t]: exists), r<a>[t] reduced indices, e<r>[t] values, a<r> the
 * result. `lanes` are the tree's lanes that one thread holds. With strips (strips.h) of S elements, slots
 * t * S..t * S + S-1 are a strip, of which `count` exist. */
#ifndef HEDDLE_CUDA_SOURCE_REDUCE_H
#define HEDDLE_CUDA_SOURCE_REDUCE_H

#include "cuda/source.h"

struct heddle_source_pass { /* the chunks, or their partials */
    int form, lanes, unroll, is_finish, has_results;
};

/* Accumulator type of reduction r, in `buffer`. */
const char *heddle__source_accumulator(const struct heddle_source *s, int r, char buffer[32]);

/* What does not change within a chunk: kept indices, offsets, still operands. */
void heddle__source_chunk_start(const struct heddle_source *s,
                                const struct heddle_source_pass *pass);
/* Pointers q<k> to the elements numbered `first`, of operands that have the others after them. */
void heddle__source_pointers(const struct heddle_source *s, const char *first);
/* ok[t] and e<r>[t] of `slots` slots (of strips: t is the first's), of the elements numbered `number` (an expression with t);
 * `full`: a condition under which all exist; NULL: they do, and there is no ok. `after`: how far they are after
 * heddle__source_pointers' `first`; NULL: there are no pointers. Of several kept elements (together) it leaves a loop over them,
 * i, open, in which the e<r> are element i's. */
void heddle__source_elements(const struct heddle_source *s, const struct heddle_source_pass *pass,
                             int slots, const char *number, const char *full, const char *after);
/* The part of that before the values: ok[t], r<a>[t], and of what is loaded l<k>[t]; of several kept elements l<k>[t][i] where
 * operand k lies along them. */
void heddle__source_slots(const struct heddle_source *s, const struct heddle_source_pass *pass,
                          int slots, const char *number, const char *full, const char *after);
/* Of the instructions before the reductions, of slot t, and kept element i of several. */
struct heddle_source_names heddle__source_element_names(int in_compute, const char *live);
/* Whether a thread of a block has four neighbours, HEDDLE_CUDA_QUAD, in its slots t & -4 and the next three. */
int heddle__source_has_quads(const struct heddle_source *s);
/* e<r>[t], from the values v<i> of the instructions before the reductions. */
void heddle__source_values(const struct heddle_source *s);
/* e<r>[t] of `slots` slots that are loaded; `live`: a condition under which t exists, or NULL. */
void heddle__source_computed(const struct heddle_source *s, int slots, const char *live);
/* Which operands the instructions before the reductions load. */
void heddle__source_loaded_before(const struct heddle_program *p,
                                  uint8_t loaded[HEDDLE_MAX_OPERANDS]);
/* s<k>: where each such operand's elements of the kept indices begin. */
void heddle__source_offsets(const struct heddle_source *s);
/* Where operand k's element of reduced indices r<a>[slot] is, from p<k> on; slot: an expression. */
void heddle__source_element_offset(const struct heddle_source *s, int k, const char *slot);
/* The indices k of a unit's kept element. */
void heddle__source_kept(const struct heddle_source *s);
/* Offsets, and what does not change along the reduced axes: one for all kept elements of a block, or one for each. */
void heddle__source_still(const struct heddle_source *s);
/* Where operand k's element of the kept indices k<a> is, from p<k> on. */
void heddle__source_kept_offset(const struct heddle_source *s, int operand);
/* From a<r>: partials, or the code after the reductions and the stores. */
void heddle__source_results(const struct heddle_source *s, const struct heddle_source_pass *pass);

/* The unit of a pass: its kept element, and its chunk: number, first element, length. */
void heddle__source_unit(const struct heddle_source *s, const struct heddle_source_pass *pass);
/* Of a chunk of several: its first element, its length. */
void heddle__source_span(const struct heddle_source *s);
/* Starts a<r> as what nothing is reduced to. */
void heddle__source_nothing(const struct heddle_source *s);
/* Combines a<r> with the slots' elements that exist, left to right; `first`: a condition under which slot 0 is the chunk's first. */
void heddle__source_in_order(const struct heddle_source *s, int slots, const char *first);

/* "into = into (op) y;" for reduction r. */
void heddle__source_combine(const struct heddle_source *s, int r, const char *into, const char *y);
/* The same of elements y that come after all that `into` is made of. */
void heddle__source_take(const struct heddle_source *s, int r, const char *into, const char *y);
/* Threads that have a chunk's lanes, to be joined. */
struct heddle_source_team {
    int threads; /* 4 to 16 neighbours of a warp, 32, or those of a block; of a long chunk where fewer than 32 */
    int lanes;  /* of each thread: w<r>[..], `threads` apart in the tree */
    int beside; /* of those, next to each other in the tree: 0 or 1, or 2 or 4 of chunks of at least `threads` times as many elements */
    int full;   /* lanes that have elements in all threads, whatever n */
    int is_long;  /* a chunk has more than HEDDLE_TREE_SHORT elements */
    int in_pairs; /* a thread of a block of 256 has lanes 2i, 2i + 1 and those 512 after them */
    int in_quads; /* ... has lanes 4i..4i + 3 */
};
/* From the lanes of a chunk of n elements to a<r> of lane 0 of the warp, or of each of a block's warps, which
 * exchange by shared<r>. */
void heddle__source_join(const struct heddle_source *s, const struct heddle_source_team *team);
/* Instructions that the code after the reductions names, and that code. */
void heddle__source_needed(const struct heddle_program *p, uint8_t needed[HEDDLE_MAX_INSTRS]);

/* heddle__neutral_of reduction r. */
const char *heddle__source_neutral(const struct heddle_source *s, int r);

/* Strips of chunks: the first unit of a strip, and `count`. */
void heddle__strips_unit(const struct heddle_source *s);
/* The tree of a block that has strips. Leaves a block open for what is done with results of rows. */
void heddle__strips_tree(const struct heddle_source *s, const struct heddle_source_pass *pass);

/* The unit of threads of a warp that have runs of elements, and its tree, to the results. */
void heddle__runs(const struct heddle_source *s, const struct heddle_source_pass *pass);
/* The same, in any order: chunks of any length. */
void heddle__lines(const struct heddle_source *s, const struct heddle_source_pass *pass);
/* Of both: a thread's chunk; w<r>[0..count-1] of a chunk's threads to w<r>[0] of each, where any order gives the same bits; from there to
 * the results. */
void heddle__runs_unit(const struct heddle_source *s);
void heddle__runs_any_order(const struct heddle_source *s, int count);
void heddle__runs_results(const struct heddle_source *s, const struct heddle_source_pass *pass);

/* The rows of a block that come through shared memory, and what its threads make of them, to the results; leaves a block open. */
void heddle__staged(const struct heddle_source *s, const struct heddle_source_pass *pass);

/* The unit of a thread that has several kept elements, of which it loads elements at indices, to the results. */
void heddle__gathered(const struct heddle_source *s, const struct heddle_source_pass *pass);
/* The unit of a block that reduces several kept elements at once, and its tree, to the results. */
void heddle__together(const struct heddle_source *s, const struct heddle_source_pass *pass);

/* The tree of a share of a chunk's lanes, `share`; the block that is done last has the tree of the lanes, to the results, and leaves a
 * block open. */
void heddle__shares(const struct heddle_source *s, const struct heddle_source_pass *pass);

/* What a kernel over pairs has for all units; the unit of a block that reduces a tile of them, and its tree, to the results. */
void heddle__pairs_shared(const struct heddle_source *s);
void heddle__pairs(const struct heddle_source *s, const struct heddle_source_pass *pass);

/* w<r>[0..3] of a block's thread with the elements' slots, in steps of b: for all elements, and if `apart` for an edge by itself. `w`: a
 * format of the accumulators' name, with r. */
void heddle__source_block_loop(const struct heddle_source *s, const struct heddle_source_pass *pass,
                               const char *w);

/* The tree of a pass, from the elements to the results, by a thread, a warp or a block. */
void heddle__source_tree(const struct heddle_source *s, const struct heddle_source_pass *pass);

#endif
