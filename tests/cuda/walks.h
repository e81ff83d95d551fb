/* How operands of the tests of CUDA kernels lie, as text. */
#ifndef HEDDLE_TESTS_CUDA_WALKS_H
#define HEDDLE_TESTS_CUDA_WALKS_H

#include "program.h"

#include <string.h>

/* Elements of a buffer, and how they are walked. */
struct walk {
    int64_t stride[HEDDLE_MAX_NDIM], offset, n;
};

/* An operand's axes from the outermost to the innermost, as digits; an axis that is missing is broadcast. '-' before an axis:
 * backwards; '+': a gap of 3 elements, ':', '*': every other, every third one, '@': an element before it all. */
static inline struct walk walk_of(const char *order, const int64_t extent[])
{
    struct walk w = {.n = 1};
    int axis = 0;
    for (size_t at = strlen(order); at-- > 0;) {
        switch (order[at]) {
        case '-':
            w.offset += w.stride[axis] * (extent[axis] - 1);
            w.stride[axis] = -w.stride[axis];
            break;
        case '+': w.n += 3; break;
        case ':': w.n *= 2; break;
        case '*': w.n *= 3; break;
        case '@': w.offset++; break;
        default:
            axis = order[at] - '0';
            w.stride[axis] = w.n;
            w.n *= extent[axis];
        }
    }
    w.n += w.offset + 1;
    return w;
}

#endif
