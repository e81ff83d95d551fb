/* Counting elements by bin: the arguments of a call, and the order of additions.
 *
 * The elements are taken in chunks of `chunk`; each chunk has a row of the result, so that a sum over the rows is what one
 * wants, whoever made them. Weights are added to their bin one after the other in the order of the elements, in float64; so the
 * length and the number of bins alone decide where their chunks are. Those of counts, which are exact, may be other ones. */
#ifndef HEDDLE_FAMILIES_HISTOGRAM_KERNEL_H
#define HEDDLE_FAMILIES_HISTOGRAM_KERNEL_H

#include <stdint.h>

/* The bin of an element x of `in` is x itself or, `by_edges`, k if edges[k] <= x < edges[k + 1], where the last bin has
 * its upper edge, too. An element without a bin is left out. `out` has `rows` rows of `bins`, one for
 * each chunk of the n elements, the last of which may be shorter, and more, which are 0: int64 counts, or float64 sums of weights. */
struct heddle_histogram {
    uint8_t dtype;    /* of `in`: int32, int64; with edges of `in` and them: float32, float64 */
    uint8_t by_edges; /* they ascend, and there are bins + 1 */
    uint8_t uniform;  /* they are nearly at equal distances: the first guess is nearly right */
    uint8_t weighted; /* `weights` are float64 */
    int64_t n, bins, chunk, rows;
    uint32_t in, edges, weights, out;
};

#endif
