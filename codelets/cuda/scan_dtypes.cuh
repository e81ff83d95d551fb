/* From a dtype to the operation on its elements, on the host. */
#ifndef HEDDLE_CUDA_SCAN_DTYPES_CUH
#define HEDDLE_CUDA_SCAN_DTYPES_CUH

#include "cuda/scan.cuh"

#include <heddle/dtype.h>

/* What `use` gives for the operation, or `none`. Signed and unsigned integers have the same bits. */
template <template <class> class Op, class Use, class Result>
static Result scan_of_dtype(int dtype, Result none, Use use)
{
    switch (dtype) {
    case HEDDLE_INT32:
    case HEDDLE_UINT32: return use(Op<hd_uint32>());
    case HEDDLE_INT64:
    case HEDDLE_UINT64: return use(Op<hd_uint64>());
    case HEDDLE_FLOAT32: return use(Op<float>());
    case HEDDLE_FLOAT64: return use(Op<double>());
    case HEDDLE_COMPLEX64: return use(Op<hd_complex64>());
    case HEDDLE_COMPLEX128: return use(Op<hd_complex128>());
    default: return none;
    }
}

/* The same of extremes: of dtypes that have an order. */
template <template <class> class Op, class Use, class Result>
static Result scan_of_ordered(int dtype, Result none, Use use)
{
    switch (dtype) {
    case HEDDLE_INT32: return use(Op<hd_int32>());
    case HEDDLE_INT64: return use(Op<hd_int64>());
    case HEDDLE_UINT32: return use(Op<hd_uint32>());
    case HEDDLE_UINT64: return use(Op<hd_uint64>());
    case HEDDLE_FLOAT32: return use(Op<float>());
    case HEDDLE_FLOAT64: return use(Op<double>());
    default: return none;
    }
}

#endif
