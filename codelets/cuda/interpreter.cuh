/* The interpreter's kernels, for values of Words 64-bit words: 1 real, 2 complex too. Registers lie in
 * shared memory, [register][thread]: local memory for them would be reserved for every thread that
 * the device can hold. All threads run the same instruction. Entry points: interp_kernel. */
#ifndef HEDDLE_CUDA_INTERPRETER_CUH
#define HEDDLE_CUDA_INTERPRETER_CUH

#include "cuda/interpreter_values.cuh"

#include "cuda/checked.cuh"

#include "reduce_tree.h"

/* ---- one element ----------------------------------------------------------------------------- */

extern __shared__ ulonglong2 interp_shared[];

template <int Words>
HD hd_raw hd_get(int r)
{
    const int at = r * (int)blockDim.x + (int)threadIdx.x;
    if constexpr (Words == 2)
        return interp_shared[at];
    else
        return make_ulonglong2(((const hd_uint64 *)interp_shared)[at], 0);
}

template <int Words>
HD void hd_put(int r, hd_raw x)
{
    const int at = r * (int)blockDim.x + (int)threadIdx.x;
    if constexpr (Words == 2)
        interp_shared[at] = x;
    else
        ((hd_uint64 *)interp_shared)[at] = x.x;
}

/* Takes a flat index apart over the merged axes from..to-1. */
HD void hd_unravel(const heddle_interp &a, hd_int64 flat, int from, int to,
                   hd_int64 index[HEDDLE_MAX_NDIM])
{
#pragma unroll
    for (int d = HEDDLE_MAX_NDIM - 1; d >= 0; d--) {
        if (d < from || d >= to) continue;
        hd_int64 quotient;
        if (d == from)
            quotient = 0;
        else if (a.wide)
            quotient = flat / a.extent[d];
        else
            quotient = (hd_int64)((unsigned)flat / (unsigned)a.extent[d]);
        index[d] = flat - quotient * a.extent[d];
        flat = quotient;
    }
}

HD hd_int64 hd_offset(const heddle_interp &a, int operand, int n,
                      const hd_int64 index[HEDDLE_MAX_NDIM])
{
    hd_int64 at = 0;
#pragma unroll
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
        if (d < n) at += index[d] * a.stride[operand][d];
    return at;
}

/* Runs the instructions from..to-1; loads use the first n_axes of `index`. */
template <int Words>
HD void hd_run(const heddle_interp &a, int from, int to, int n_axes,
               const hd_int64 index[HEDDLE_MAX_NDIM], const hd_raw *results)
{
    for (int i = from; i < to; i++) {
        const heddle_interp_instr in = a.instrs[i];
        hd_raw x;
        switch (in.code) {
        case HEDDLE_CODE_LOAD:
            x = hd_read(a.pointer[in.a], in.dtype, hd_offset(a, in.a, n_axes, index));
            break;
        case HEDDLE_CODE_CONSTANT:
            x = make_ulonglong2(a.constants[in.a].word[0], a.constants[in.a].word[1]);
            break;
        case HEDDLE_CODE_INDEX: {
            hd_int64 at = a.origin[in.a];
#pragma unroll
            for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
                if (d == a.axis[in.a] && d < n_axes) at += index[d];
            x = hd_to_raw(at);
            break;
        }
        case HEDDLE_CODE_CHECKED: {
            hd_bad_index bad(&a.report);
            x = hd_to_raw(hd_checked<hd_int64>((hd_int64)hd_get<Words>(in.a).x,
                                               (hd_int64)hd_get<Words>(in.b).x, true, in.c, bad));
            break;
        }
        case HEDDLE_CODE_LOAD_AT:
            x = hd_read(a.pointer[in.b], in.dtype, (hd_int64)hd_get<Words>(in.a).x);
            break;
        case HEDDLE_CODE_CAST:
            x = hd_get<Words>(in.a);
            if (in.as == HEDDLE_AS_F64 && in.to == HEDDLE_AS_F32 && in.result != HEDDLE_FLOAT32)
                x = hd_half_of_double(x, in.result); /* rounded once */
            else
                x = hd_narrow(hd_convert<Words>(x, in.as, in.to), in.result);
            break;
        case HEDDLE_CODE_REDUCED:
            x = results[in.a];
            if (a.reductions[in.a].is_arg) x.x = x.y;
            break;
        case HEDDLE_OP_WHERE: x = hd_get<Words>(hd_get<Words>(in.a).x ? in.b : in.c); break;
        default:
            x = hd_apply_as<Words>(in.as, in.code, hd_get<Words>(in.a), hd_get<Words>(in.b),
                                   hd_get<Words>(in.c));
            x = hd_narrow(x, in.result);
            break;
        }
        hd_put<Words>(in.out, x);
    }
}

template <int Words>
HD void hd_stores(const heddle_interp &a, const hd_int64 index[HEDDLE_MAX_NDIM])
{
    for (int k = 0; k < a.n_stores; k++)
        hd_write(a.pointer[a.stores[k].operand], a.stores[k].dtype,
                 hd_offset(a, a.stores[k].operand, a.n_kept, index),
                 hd_get<Words>(a.stores[k].value));
}

/* ---- reductions ------------------------------------------------------------------------------ */

struct hd_unit { /* a chunk of a kept element */
    hd_int64 kept, chunk, start, n;
    hd_int64 index[HEDDLE_MAX_NDIM];
};

HD void hd_unit_of(const heddle_interp &a, hd_int64 number, hd_unit &u)
{
    if (a.is_finish) {
        u.kept = number;
        u.chunk = u.start = 0;
        u.n = a.n_chunks;
    } else {
        u.kept = a.by_kept ? number % a.kept : number / a.n_chunks;
        u.chunk = a.by_kept ? number / a.kept : number % a.n_chunks;
        const hd_int64 outer = u.chunk / a.group_chunks;
        const hd_int64 skip = (u.chunk - outer * a.group_chunks) * a.chunk;
        u.start = outer * a.group + skip;
        u.n = a.group - skip < a.chunk ? a.group - skip : a.chunk;
    }
    hd_unravel(a, u.kept, 0, a.n_kept, u.index);
}

/* Values of element e of a chunk, for each reduction. */
template <int Words>
HD void hd_element(const heddle_interp &a, hd_unit &u, hd_int64 e, hd_raw x[HEDDLE_MAX_REDUCTIONS])
{
    const int ndim = a.n_kept + a.n_reduced;
    hd_int64 flat = a.flat_offset;
    if (!a.is_finish) {
        hd_unravel(a, u.start + e, a.n_kept, ndim, u.index);
        hd_run<Words>(a, 0, a.n_before, ndim, u.index, nullptr);
#pragma unroll
        for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
            if (d >= a.n_kept && d < ndim) flat += u.index[d] * a.flat_stride[d];
    }
#pragma unroll
    for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++) {
        if (r >= a.n_reductions) continue;
        const auto &in = a.reductions[r];
        const hd_int64 at = u.kept * a.n_chunks + e;
        if (a.is_finish && in.is_arg) {
            const char *pair = in.partial + at * 16; /* {value padded to 8 bytes, index} */
            x[r] = hd_read(pair, in.dtype, 0);
            x[r].y = ((const hd_uint64 *)pair)[1];
        } else if (a.is_finish) {
            x[r] = hd_read(in.partial, in.dtype, at);
        } else {
            x[r] = hd_lifted<Words>(in.op, in.as, hd_get<Words>(in.value));
            if (in.is_arg) x[r].y = (hd_uint64)flat;
        }
    }
}

template <int Words>
HD void hd_combine_all(const heddle_interp &a, hd_raw x[HEDDLE_MAX_REDUCTIONS],
                       const hd_raw y[HEDDLE_MAX_REDUCTIONS])
{
#pragma unroll
    for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++)
        if (r < a.n_reductions)
            x[r] = hd_combine<Words>(a.reductions[r].op, a.reductions[r].as, a.reductions[r].dtype,
                                     x[r], y[r]);
}

/* Partials, or the code after the reductions and the stores. */
template <int Words>
HD void hd_finish(const heddle_interp &a, const hd_unit &u, const hd_raw *results)
{
    if (a.has_results) {
        hd_run<Words>(a, a.n_before, a.n_instrs, a.n_kept, u.index, results);
        hd_stores<Words>(a, u.index);
        return;
    }
    const hd_int64 at = u.kept * a.n_chunks + u.chunk;
    for (int r = 0; r < a.n_reductions; r++) {
        const auto &in = a.reductions[r];
        if (in.is_arg) {
            char *pair = in.partial + at * 16;
            hd_write(pair, in.dtype, 0, results[r]);
            ((hd_uint64 *)pair)[1] = results[r].y;
        } else
            hd_write(in.partial, in.dtype, at, results[r]);
    }
}

template <int Words>
HD void hd_identity(const heddle_interp &a, hd_raw x[HEDDLE_MAX_REDUCTIONS])
{
#pragma unroll
    for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++) {
        const bool one = hd_is_one(a.reductions[r].op);
        x[r] = hd_convert<Words>(hd_to_raw(one), HEDDLE_AS_BOOL, a.reductions[r].as);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

template <int Words>
static __global__ void interp_map(const __grid_constant__ heddle_interp a)
{
    const hd_int64 step = (hd_int64)gridDim.x * blockDim.x;
    hd_int64 index[HEDDLE_MAX_NDIM];
    for (hd_int64 i = (hd_int64)blockIdx.x * blockDim.x + threadIdx.x; i < a.kept; i += step) {
        hd_unravel(a, i, 0, a.n_kept, index);
        hd_run<Words>(a, 0, a.n_before, a.n_kept, index, nullptr);
        hd_stores<Words>(a, index);
    }
}

template <int Words>
static __global__ void interp_thread(const __grid_constant__ heddle_interp a)
{
    const hd_int64 step = (hd_int64)gridDim.x * blockDim.x;
    hd_int64 number = (hd_int64)blockIdx.x * blockDim.x + threadIdx.x;
    for (; number < a.units; number += step) {
        hd_unit u;
        hd_raw x[HEDDLE_MAX_REDUCTIONS], y[HEDDLE_MAX_REDUCTIONS];
        hd_unit_of(a, number, u);
        hd_identity<Words>(a, x);
        for (hd_int64 e = 0; e < u.n; e++) {
            hd_element<Words>(a, u, e, y);
            if (e > 0)
                hd_combine_all<Words>(a, x, y);
            else
                for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++) x[r] = y[r];
        }
        hd_finish<Words>(a, u, x);
    }
}

/* A block for each chunk; the lanes lie in shared memory after the registers. */
template <int Words>
static __global__ void interp_lanes(const __grid_constant__ heddle_interp a)
{
    const int words = a.n_registers * (int)blockDim.x * Words;
    hd_raw *lanes = interp_shared + (words + 1) / 2;
    for (hd_int64 number = blockIdx.x; number < a.units; number += gridDim.x) {
        hd_unit u;
        hd_raw x[HEDDLE_MAX_REDUCTIONS], y[HEDDLE_MAX_REDUCTIONS];
        hd_unit_of(a, number, u);
        for (int lane = threadIdx.x; lane < HEDDLE_TREE_LANES && lane < u.n; lane += blockDim.x) {
            hd_element<Words>(a, u, lane, x);
            for (hd_int64 e = lane + HEDDLE_TREE_LANES; e < u.n; e += HEDDLE_TREE_LANES) {
                hd_element<Words>(a, u, e, y);
                hd_combine_all<Words>(a, x, y);
            }
#pragma unroll
            for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++)
                if (r < a.n_reductions) lanes[r * HEDDLE_TREE_LANES + lane] = x[r];
        }
        __syncthreads();
        int half = u.n > HEDDLE_TREE_SHORT ? HEDDLE_TREE_LANES / 2 : 0;
        for (; half > 0; half /= 2) {
            for (int lane = threadIdx.x; lane < half && lane + half < u.n; lane += blockDim.x)
                for (int r = 0; r < a.n_reductions; r++) {
                    hd_raw *at = lanes + r * HEDDLE_TREE_LANES + lane;
                    *at = hd_combine<Words>(a.reductions[r].op, a.reductions[r].as,
                                            a.reductions[r].dtype, at[0], at[half]);
                }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
#pragma unroll
            for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++)
                if (r < a.n_reductions) x[r] = lanes[r * HEDDLE_TREE_LANES];
            for (int e = 1; u.n <= HEDDLE_TREE_SHORT && e < u.n; e++) {
#pragma unroll
                for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++)
                    if (r < a.n_reductions) y[r] = lanes[r * HEDDLE_TREE_LANES + e];
                hd_combine_all<Words>(a, x, y);
            }
            hd_finish<Words>(a, u, x);
        }
        __syncthreads();
    }
}

/* ---- host ------------------------------------------------------------------------------------ */

typedef void (*interp_function)(const heddle_interp);

template <int Words>
static interp_function interp_kernel(int form)
{
    return form == HEDDLE_INTERP_MAP      ? interp_map<Words>
           : form == HEDDLE_INTERP_THREAD ? interp_thread<Words>
                                          : interp_lanes<Words>;
}

template <int Words>
static int interp_launch(const heddle_interp *args, int form, int64_t blocks, int threads,
                         size_t shared_bytes, void *stream)
{
    void *parameters[] = {const_cast<heddle_interp *>(args)};
    const dim3 grid((unsigned)blocks), block((unsigned)threads);
    return (int)cudaLaunchKernel((const void *)interp_kernel<Words>(form), grid, block, parameters,
                                 shared_bytes, (cudaStream_t)stream);
}

template <int Words>
static int interp_open(int shared_bytes)
{
    for (int form = 0; form < HEDDLE_INTERP_FORMS; form++) {
        const cudaError_t error =
            cudaFuncSetAttribute((const void *)interp_kernel<Words>(form),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
        if (error != cudaSuccess) return (int)error;
    }
    return 0;
}

#endif
