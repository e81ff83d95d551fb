/* Batches of small matrices on the GPU: a block of threads, or a warp, has one and does all of a step. Matrices are column-major and lie
 * one behind the other. Called on the stream, none waits. They return CUDA's error. */
#ifndef HEDDLE_FAMILIES_FACTOR_CUDA_BATCH_H
#define HEDDLE_FAMILIES_FACTOR_CUDA_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HEDDLE_BATCH_ROWS = 512,
    HEDDLE_BATCH_IN_PLACE = 2048
}; /* rows at most: of what warps have in registers; of QR beyond shared memory */

struct heddle_batch {
    int dtype;                    /* float32, float64, complex64, complex128 */
    int rows, columns;            /* of the panel */
    int block_columns;            /* of the block, which has as many rows */
    int64_t n;                    /* matrices */
    void *panel, *block, *scales; /* scales: tau, or pivots: int64 */
    bool lower, unit;             /* triangular */
    bool begins;                  /* expand: the block is columns 0 and on of the identity */
};

/* Whether they serve: for LU, as it fits in shared memory; for QR, or if the batch has as many matrices as make up for an arithmetic that
 * waits for memory, beside cuSOLVER's; for steps of the block. */
bool heddle__batch_factors(const struct heddle_batch *b);
bool heddle__batch_reflects(const struct heddle_batch *b);
bool heddle__batch_applies(const struct heddle_batch *b);

/* The panel becomes R and reflectors, as LAPACK's geqrf leaves them. */
int heddle__batch_qr(const struct heddle_batch *b, void *stream);
/* It becomes L and U; pivots are numbers of rows, from 0 on. A pivot that is 0 changes nothing. */
int heddle__batch_lu(const struct heddle_batch *b, void *stream);
/* The block becomes Q times it. */
int heddle__batch_expand(const struct heddle_batch *b, void *stream);
/* T X = B, T the panel, which is square: X takes B's place in the block. */
int heddle__batch_triangular(const struct heddle_batch *b, void *stream);

#ifdef __cplusplus
}
#endif

#endif
