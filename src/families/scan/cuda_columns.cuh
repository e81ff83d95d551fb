/* Scans along an axis that has inner ones: a thread a column, or a chunk of one. Entry points: the
 * kernels. */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_COLUMNS_CUH
#define HEDDLE_FAMILIES_SCAN_CUDA_COLUMNS_CUH

#include "families/scan/cuda_lanes.cuh"

/* Of one column between two chunks: the members so far of each level, combined. */
template <class Op>
struct scan_column {
    typedef typename Op::type T;
    T state[HEDDLE_SCAN_LEVELS];

    /* What is before chunk number `chunk`; false: nothing. */
    __device__ __forceinline__ bool before(int64_t chunk, T *prefix) const
    {
        bool some = false;
#pragma unroll
        for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++) {
            if ((chunk >> 5 * l & 31) == 0) continue;
            *prefix = some ? Op::apply(state[l], *prefix) : state[l];
            some = true;
        }
        return some;
    }
    __device__ __forceinline__ void take(int64_t chunk, T total)
    {
        bool goes_on = true;
#pragma unroll
        for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++) {
            const int members = (int)(chunk >> 5 * l & 31);
            if (goes_on) total = state[l] = members > 0 ? Op::apply(state[l], total) : total;
            goes_on = goes_on && members == 31;
        }
    }
};

/* Where rows of a column are, that the call has at `from`, and at `to` (NULL: nowhere), or makes or stores by its work. */
template <class T>
struct scan_rows_of {
    const T *from;
    T *to;
    int64_t stride, o, j, i;
};

/* `rows` of a column behind `prefix`, if there is `some`; what they are together. Stores: else no result is wanted. */
template <class Op, bool Stores, class T, class Work>
HD T scan_down(const scan_rows_of<T> &at, int64_t rows, bool some, T prefix, const Work &work)
{
    constexpr int ahead = 8;
    T total = T();
    for (int64_t r = 0; r < rows; r += ahead) {
        T x[ahead];
#pragma unroll
        for (int k = 0; k < ahead; k++)
            if (r + k < rows) {
                if constexpr (Work::loads)
                    x[k] = work.template load<T>(at.o, at.j + r + k, at.i);
                else
                    x[k] = at.from[(r + k) * at.stride];
            }
#pragma unroll
        for (int k = 0; k < ahead; k++) {
            if (r + k >= rows) break;
            total = r + k > 0 ? Op::apply(total, x[k]) : x[k];
            if constexpr (Stores) {
                const T y = some ? Op::apply(prefix, total) : total;
                if constexpr (Work::stores)
                    work.store(at.o, at.j + r + k, at.i, y);
                else
                    at.to[(r + k) * at.stride] = y;
            }
        }
    }
    return total;
}

/* WHOLE: a thread a column. */
template <class Op, class Work>
HD void scan_one_column(const heddle_scan_kernel &p, const Work &work)
{
    typedef typename Op::type T;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= p.outer * p.inner) return;
    const int64_t o = thread / p.inner, i = thread % p.inner;
    const int64_t state = o * HEDDLE_SCAN_LEVELS * p.inner + i;
    const T *from = (const T *)p.in + o * p.n * p.inner + i;
    T *to = (T *)p.out + o * (p.n + p.initial) * p.inner + i;
    scan_column<Op> column;
#pragma unroll
    for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++)
        column.state[l] = p.state_in ? ((const T *)p.state_in)[state + l * p.inner] : T();
    if (p.initial) {
        *to = Op::identity();
        to += p.inner;
    }
    for (int64_t c = 0; c < p.chunks; c++) {
        const int64_t row = c * HEDDLE_SCAN_COLUMN_CHUNK, left = p.n - row;
        T prefix = T();
        const bool some = column.before(p.first_chunk + c, &prefix);
        const scan_rows_of<T> at = {from + row * p.inner, to + row * p.inner, p.inner, o, row, i};
        const T total = scan_down<Op, true>(
            at, left < HEDDLE_SCAN_COLUMN_CHUNK ? left : HEDDLE_SCAN_COLUMN_CHUNK, some, prefix,
            work);
        column.take(p.first_chunk + c, total);
    }
    if (p.state_out)
#pragma unroll
        for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++)
            ((T *)p.state_out)[state + l * p.inner] = column.state[l];
}

/* TOTALS, APPLY: a thread a chunk of a column. */
template <class Op, int Phase, class Work>
HD void scan_one_column_chunk(const heddle_scan_kernel &p, const Work &work)
{
    typedef typename Op::type T;
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= p.outer * p.chunks * p.inner) return;
    const int64_t i = thread % p.inner, c = thread / p.inner % p.chunks,
                  o = thread / p.inner / p.chunks;
    const int64_t row = c * HEDDLE_SCAN_COLUMN_CHUNK, left = p.n - row,
                  rows = left < HEDDLE_SCAN_COLUMN_CHUNK ? left : HEDDLE_SCAN_COLUMN_CHUNK;
    scan_rows_of<T> at = {
        (const T *)p.in + (o * p.n + row) * p.inner + i, nullptr, p.inner, o, row, i};
    if (Phase == HEDDLE_SCAN_TOTALS) {
        ((T *)p.out)[thread] = scan_down<Op, false>(at, rows, false, T(), work);
        return;
    }
    const int64_t chunk = p.first_chunk + c;
    const T prefix =
        chunk > 0 ? ((const T *)p.state_in)[(o * p.n_chunks + chunk) * p.inner + i] : T();
    at.to = (T *)p.out + (o * (p.n + p.initial) + p.initial + row) * p.inner + i;
    if (p.initial && c == 0) at.to[-p.inner] = Op::identity();
    scan_down<Op, true>(at, rows, chunk > 0, prefix, work);
}

/* The kernels of calls without work. */
template <class Op>
static __global__ void __launch_bounds__(256) scan_columns(const heddle_scan_kernel p)
{
    scan_one_column<Op>(p, scan_no_work());
}
template <class Op, int Phase>
static __global__ void __launch_bounds__(256) scan_column_chunks(const heddle_scan_kernel p)
{
    scan_one_column_chunk<Op, Phase>(p, scan_no_work());
}

/* COMBINE: 32 threads a column, a group each. The total of a group takes the place of its last member, which no prefix has as a
 * member of its own level, so that all is done in place. */
template <class Op>
static __global__ void __launch_bounds__(256) scan_column_combine(const heddle_scan_kernel p)
{
    typedef typename Op::type T;
    const int64_t column =
        (int64_t)blockIdx.x * HEDDLE_SCAN_COMBINED + threadIdx.x % HEDDLE_SCAN_COMBINED;
    const int thread = threadIdx.x / HEDDLE_SCAN_COMBINED;
    const bool here = column < p.outer * p.inner;
    T *const at = (T *)p.out + column / p.inner * p.n_chunks * p.inner + column % p.inner;
    for (int l = 0; p.n_chunks >> 5 * l > 1; l++) {
        const int64_t members = p.n_chunks >> 5 * l, step = p.inner << 5 * l; /* whole ones */
        for (int64_t group = thread; here && group * 32 < members; group += 32) {
            const int64_t left = members - group * 32, n = left < 32 ? left : 32;
            T *member = at + (group * 32 + 1) * step - p.inner;
            T total = *member;
#pragma unroll 8
            for (int64_t k = 1; k < n; k++) {
                member += step;
                *member = total = Op::apply(total, *member);
            }
        }
        __syncthreads();
    }
    /* From the last groups on: nobody reads what is behind his own. */
    for (int64_t first = (p.n_chunks - 1) / 1024 * 32; first >= 0; first -= 32) {
        const int64_t group = first + thread, left = p.n_chunks - group * 32;
        T before[HEDDLE_SCAN_LEVELS];
        if (here && left > 0)
#pragma unroll
            for (int l = 1; l < HEDDLE_SCAN_LEVELS; l++) {
                const int64_t member = group >> 5 * (l - 1);
                if ((member & 31) != 0) before[l] = at[(member << 5 * l) * p.inner - p.inner];
            }
        __syncthreads();
        for (int64_t k = (left < 32 ? left : 32) - 1; here && k >= 0; k--) {
            T *const chunk = at + (group * 32 + k) * p.inner;
            bool some = k > 0;
            T prefix = some ? chunk[-p.inner] : T();
#pragma unroll
            for (int l = 1; l < HEDDLE_SCAN_LEVELS; l++) {
                if ((group >> 5 * (l - 1) & 31) == 0) continue;
                prefix = some ? Op::apply(before[l], prefix) : before[l];
                some = true;
            }
            if (some) *chunk = prefix;
        }
    }
}

#endif
