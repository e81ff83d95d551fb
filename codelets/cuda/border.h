/* What border.c and border.cu share: a copy between memory at any strides. */
#ifndef HEDDLE_CUDA_BORDER_H
#define HEDDLE_CUDA_BORDER_H

enum { HEDDLE_STRIDED_AXES = 8 };

/* Axes from the slowest on; strides in elements, of any sign. */
struct heddle_strided {
    int n;
    long long extent[HEDDLE_STRIDED_AXES], to[HEDDLE_STRIDED_AXES], from[HEDDLE_STRIDED_AXES];
};

#ifdef __cplusplus
extern "C"
#endif
    /* Elements of 1, 2, 4, 8 or 16 bytes. A cudaError_t. */
    int
    heddle__cuda_launch_strided(void *to, const void *from, long long size, int element,
                                const struct heddle_strided *s, void *stream);

#endif
