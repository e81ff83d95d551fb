/* Gauss's elimination with partial pivoting by a block of threads, warps of whole columns. Entry point: eliminate. */
#ifndef HEDDLE_FAMILIES_FACTOR_CUDA_ELIMINATE_CUH
#define HEDDLE_FAMILIES_FACTOR_CUDA_ELIMINATE_CUH

#include "cuda/numbers.cuh"

enum { TOGETHER = 4 /* columns of a warp at a time */ };

/* What orders magnitudes as integers: 0 of what is no number. */
HD unsigned key_of(float size)
{
    return size != size ? 0 : (unsigned)__float_as_int(size) + 1;
}
HD unsigned long long key_of(double size)
{
    return size != size ? 0 : (unsigned long long)__double_as_longlong(size) + 1;
}
/* Of a warp, whether this thread has the largest. */
HD bool has_largest(unsigned key)
{
    return key == __reduce_max_sync(0xffffffffu, key);
}
HD bool has_largest(unsigned long long key)
{
    const unsigned high = (unsigned)(key >> 32);
    const bool may = has_largest(high);
    const unsigned low = may ? (unsigned)key : 0;
    return has_largest(low) && may;
}

/* By a warp: the row of the pivot, the first of the largest magnitude from k on; what is no number is one only where it stands. */
template <class T>
HD int find_pivot(const T *x, int k, int rows)
{
    typedef decltype(key_of(real_of<T>())) key;
    key best = 0;
    int at = k;
    for (int i = k + (int)threadIdx.x % WARP; i < rows; i += WARP) {
        const real_of<T> size = magnitude(x[i]);
        const key of = i == k && size != size ? ~(key)0 : key_of(size);
        if (of > best) {
            best = of;
            at = i;
        }
    }
    const bool is = has_largest(best) && best > 0;
    return (int)__reduce_min_sync(0xffffffffu, is ? (unsigned)at : ~0u);
}

/* By a warp: brings column k's pivot to row k and divides what is below by it, unless it is 0. Gives the pivot's row. */
template <class T>
HD int divide_column(T *x, int k, int rows, T &pivot)
{
    const int lane = threadIdx.x % WARP;
    const int at = find_pivot(x, k, rows);
    const T moved = x[k];
    pivot = x[at];
    __syncwarp();
    if (lane == 0) {
        x[at] = moved;
        x[k] = pivot;
    }
    __syncwarp();
    for (int i = k + 1 + lane; i < rows && !is_zero(pivot); i += WARP) x[i] = quotient(x[i], pivot);
    return at;
}

/* By a warp: column k's step for columns y, C of them at most, `n` here: row `at` comes to row k, and its multiples are subtracted below. */
template <int C, class T>
HD void update_columns(T *y, int n, const T *x, int pitch, int k, int at, int rows)
{
    const int lane = threadIdx.x % WARP;
    T up[C], down[C];
#pragma unroll
    for (int c = 0; c < C; c++) {
        up[c] = c < n ? y[c * pitch + at] : T{0};
        down[c] = c < n ? y[c * pitch + k] : T{0};
    }
    __syncwarp();
    for (int i = k + 1 + lane; i < rows; i += WARP) {
        const T l = x[i];
#pragma unroll
        for (int c = 0; c < C; c++)
            if (c < n) y[c * pitch + i] = minus(i == at ? down[c] : y[c * pitch + i], l, up[c]);
    }
#pragma unroll
    for (int c = 0; c < C; c++)
        if (lane == 0 && c < n) y[c * pitch + k] = up[c];
}

/* Column-major a, of `columns` columns, `pitch` apart: n steps of elimination; KEEP: L's rows are swapped, too. note(k, at, pivot), by one
 * thread, is told the row and the value of each pivot. The first warp divides the next column while others update theirs. */
template <bool KEEP, class T, class Note>
HD void eliminate(T *a, int pitch, int rows, int columns, int n, Note note)
{
    __shared__ int chosen[2];
    const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    T pivot;
    if (warp == 0 && n > 0) {
        const int at = divide_column(a, 0, rows, pivot);
        if (threadIdx.x == 0) {
            chosen[0] = at;
            note(0, at, pivot);
        }
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        const T *const x = a + k * pitch;
        const int at = chosen[k & 1], first = k + 2;
        if (warp == 0 && k + 1 < columns) {
            T *const next = a + (k + 1) * pitch;
            update_columns<1>(next, 1, x, pitch, k, at, rows);
            __syncwarp();
            if (k + 1 < n) {
                const int row = divide_column(next, k + 1, rows, pivot);
                if (threadIdx.x == 0) {
                    chosen[(k + 1) & 1] = row;
                    note(k + 1, row, pivot);
                }
            }
        }
        for (int j = first + (warp + warps - 1) % warps * TOGETHER; j < columns;
             j += warps * TOGETHER)
            update_columns<TOGETHER>(a + j * pitch, columns - j, x, pitch, k, at, rows);
        for (int j = threadIdx.x; KEEP && j < k && at != k; j += blockDim.x) {
            const T up = a[j * pitch + at];
            a[j * pitch + at] = a[j * pitch + k];
            a[j * pitch + k] = up;
        }
        __syncthreads();
    }
}

#endif
