/* Scans along the innermost axis: what blocks tell each other. A block publishes the total of its chunk,
 * then reads those of the chunks before it in its group, of the groups before its own, ...: one pass over
 * the data, in the order of kernel.h whatever block is first (it looks back at totals, not at prefixes,
 * which come in no fixed order: D. Merrill, M. Garland, Single-pass parallel prefix scan with decoupled
 * look-back, 2016). */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_NOTES_CUH
#define HEDDLE_FAMILIES_SCAN_CUDA_NOTES_CUH

#include "families/scan/cuda_call.h"
#include "scan_order.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"
#include "cuda/scan.cuh"

/* ---- Elementwise work of the call's own ----------------------------------------------------------- */

/* Generated kernels (cuda_work.c) make the element of outer index o, j along the axis and inner index i by `load`, where the call has work
 * before, and do with a result what `store` does, where it has work after. */
struct scan_no_work {
    static constexpr bool loads = false, stores = false;
    template <class T>
    __device__ __forceinline__ T load(int64_t, int64_t, int64_t) const
    {
        return T();
    }
    template <class T>
    __device__ __forceinline__ void store(int64_t, int64_t, int64_t, T) const
    {
    }
};
template <class L, class S>
struct scan_work {
    static constexpr bool loads = !hd_same<L, scan_no_work>, stores = !hd_same<S, scan_no_work>;
    const L &loaded;
    const S &stored;
    template <class T>
    __device__ __forceinline__ T load(int64_t o, int64_t j, int64_t i) const
    {
        if constexpr (loads)
            return loaded(o, j, i);
        else
            return T();
    }
    template <class T>
    __device__ __forceinline__ void store(int64_t o, int64_t j, int64_t i, T x) const
    {
        if constexpr (stores) stored(o, j, i, x);
    }
};

/* ---- Notes that blocks leave for others ----------------------------------------------------------- */

/* A value in words, each with a mark, so that a word is there as a whole or not at all. */
template <class T>
union scan_words {
    static constexpr int n = sizeof(T) > 8 ? 2 : 1;
    T value;
    unsigned long long word[n];
    __device__ __forceinline__ scan_words() {}
};

#ifdef HEDDLE_EMULATED
static inline void scan_put(ulonglong2 *at, unsigned long long word)
{
    *at = {word, 1};
}
static inline ulonglong2 scan_get(const ulonglong2 *at)
{
    return *at;
}
#else
HD void scan_put(ulonglong2 *at, unsigned long long word)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(word), "l"(1ull)
                 : "memory");
}
HD ulonglong2 scan_get(const ulonglong2 *at)
{
    ulonglong2 r;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(r.x), "=l"(r.y)
                 : "l"(at)
                 : "memory");
    return r;
}
#endif

template <class T>
HD void scan_publish(ulonglong2 *note, T value)
{
    scan_words<T> w;
    w.word[0] = 0;
    w.value = value;
#pragma unroll
    for (int k = 0; k < w.n; k++) scan_put(note + k, w.word[k]);
}

/* Whether the note is there, and its value. */
template <class T>
HD bool scan_peek(const ulonglong2 *note, scan_words<T> &w)
{
    bool is_there = true;
#pragma unroll
    for (int k = 0; k < w.n; k++) {
        const ulonglong2 got = scan_get(note + k);
        w.word[k] = got.x;
        is_there = is_there && got.y != 0;
    }
    return is_there;
}

template <class T>
HD T scan_await(const ulonglong2 *note)
{
    scan_words<T> w;
    while (!scan_peek(note, w)) {
    }
    return w.value;
}

/* ---- A warp looks back ------------------------------------------------------------------------------ */

/* A warp looks back from a chunk: what is before it, once it is known. */
template <class Op, class T>
struct scan_look {
    static constexpr int words = scan_words<T>::n;
    const heddle_scan_kernel &p;
    ulonglong2 *notes;
    const T *carry; /* the members before first_chunk */
    int64_t chunk;
    int lane;
    T own; /* the total of what has the chunk in this level, if it is the last of its group */
    bool is_known; /* that it is */
    T prefix;
    bool has_prefix;

    __device__ __forceinline__ ulonglong2 *note(int l, int64_t it) const
    {
        return notes + (p.first_note[l] + it - (p.first_chunk >> 5 * l)) * words;
    }
    /* The note that the lane needs in level l may be there. */
    __device__ __forceinline__ bool peek(int l, scan_words<T> &w) const
    {
        const int64_t member = chunk >> 5 * l, it = (member & ~(int64_t)31) + lane;
        return l < p.levels && it < member && it >= p.first_chunk >> 5 * l &&
               scan_peek(note(l, it), w);
    }
    /* Publishes the total of the group in level l, if the chunk ends it. */
    __device__ __forceinline__ void step(int l, bool is_there, const scan_words<T> &w)
    {
        const int64_t member = chunk >> 5 * l, it = (member & ~(int64_t)31) + lane;
        const int before = (int)(member & 31);
        T x = own;
        if (lane < before)
            x = is_there                      ? w.value
                : it < p.first_chunk >> 5 * l ? carry[l * 32 + lane]
                                              : scan_await<T>(note(l, it));
        __syncwarp();
        x = scan_lanes<Op>(x, lane);
        if (before > 0) {
            const T last = hd_from_lane(x, before - 1);
            prefix = has_prefix ? Op::apply(last, prefix) : last;
            has_prefix = true;
        }
        own = hd_from_lane(x, 31);
        is_known = is_known && before == 31;
        if (is_known && lane == 0 && l + 1 < p.levels) scan_publish(note(l + 1, member >> 5), own);
    }
    __device__ __forceinline__ void run()
    {
        constexpr int ahead = sizeof(T) == 4 ? 1 : 3; /* registers for more would be spilled */
        scan_words<T> w[ahead];
        bool is_there[ahead];
#pragma unroll
        for (int l = 0; l < ahead; l++)
            is_there[l] = peek(l, w[l]); /* all at once: reads take long */
#pragma unroll
        for (int l = 0; l < ahead; l++)
            if (l < p.levels) step(l, is_there[l], w[l]);
#pragma unroll 1
        for (int l = ahead; l < p.levels; l++) step(l, false, w[0]);
    }
};

/* By a warp: the members before the next chunk in the groups of all levels, for the part after this. */
template <class Op, class T>
HD void scan_leave_state(const heddle_scan_kernel &p, const ulonglong2 *notes, const T *carry,
                         T *state, int lane)
{
    constexpr int words = scan_words<T>::n;
    const int64_t next = p.first_chunk + p.chunks;
    for (int l = 0; l < HEDDLE_SCAN_LEVELS; l++) {
        const int64_t member = next >> 5 * l, first = p.first_chunk >> 5 * l;
        const int before = (int)(member & 31);
        const int64_t it = member - before + lane;
        if (lane >= before) continue;
        state[l * 32 + lane] = it < first
                                   ? carry[l * 32 + lane]
                                   : scan_await<T>(notes + (p.first_note[l] + it - first) * words);
    }
}

#endif
