/* CUDA source of a generalised function: the user's function for one item, and a kernel with a thread for each. Entry point:
 * heddle__gufunc_source. */
#include "api/gufunc/gufunc.h"

#include "base/dtype.h"
#include "base/text.h"

static const char *type_of(int dtype)
{
    static const char *const names[] = {
        [HEDDLE_BOOL] = "bool",
        [HEDDLE_INT8] = "signed char",
        [HEDDLE_INT16] = "short",
        [HEDDLE_INT32] = "int",
        [HEDDLE_INT64] = "long long",
        [HEDDLE_UINT8] = "unsigned char",
        [HEDDLE_UINT16] = "unsigned short",
        [HEDDLE_UINT32] = "unsigned int",
        [HEDDLE_UINT64] = "unsigned long long",
        [HEDDLE_FLOAT32] = "float",
        [HEDDLE_FLOAT64] = "double",
        [HEDDLE_COMPLEX64] = "float2",
        [HEDDLE_COMPLEX128] = "double2",
        [HEDDLE_FLOAT16] = "unsigned short",
        [HEDDLE_BFLOAT16] = "unsigned short",
    };
    return names[dtype];
}

/* The item's number is taken apart along the axes of the loop, the last first; extents of 1 are not walked. */
static const char walk[] =
    "static __device__ long long heddle_at(long long item, const heddle_raw_extents &all, int "
    "n_loop,\n"
    "                                      const heddle_raw_extents &own, int n_own)\n"
    "{\n"
    "    long long at = 0, weight = 1;\n"
    "    for (int axis = n_loop - 1; axis >= 0; axis--) {\n"
    "        const int d = axis - (n_loop - n_own);\n"
    "        const long long i = item % all.shape[axis];\n"
    "        item /= all.shape[axis];\n"
    "        if (d < 0) break;\n"
    "        if (own.shape[d] > 1) at += i * weight;\n"
    "        weight *= own.shape[d];\n"
    "    }\n"
    "    return at;\n"
    "}\n";

char *heddle__gufunc_source(const struct gufunc_signature *s, const char *cuda, const char *name)
{
    const int n = s->n_in + s->n_out;
    struct heddle_text t = {.data = NULL};
    heddle__text_put(&t, "#include \"heddle_raw.h\"\n#line 1 \"function.cu\"\n");
    heddle__text_put_all(&t, cuda);
    heddle__text_put(&t, "\n#line 1 \"loop.cu\"\n");
    heddle__text_put_all(&t, walk);
    heddle__text_put(&t, "struct heddle_core { long long extent[%d]; int n_loop, n_own[%d]; };\n",
                     GUFUNC_CORE, GUFUNC_ARGUMENTS);
    heddle__text_put(&t, "extern \"C\" __global__ void heddle_items(");
    for (int i = 0; i < n; i++)
        heddle__text_put(&t, "%s%s *p%d, ", i < s->n_in ? "const " : "", type_of(s->dtype[i]), i);
    for (int i = 0; i < n; i++) heddle__text_put(&t, "heddle_raw_extents e%d, ", i);
    heddle__text_put(
        &t,
        "heddle_core c)\n{\n"
        "    long long n = 1;\n"
        "    for (int axis = 0; axis < c.n_loop; axis++) n *= e%d.shape[axis];\n"
        "    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;\n"
        "         i += (long long)gridDim.x * blockDim.x)\n"
        "        %s(",
        s->n_in, name);
    for (int i = 0; i < n; i++) {
        heddle__text_put(&t, "%sp%d + heddle_at(i, e%d, c.n_loop, e%d, c.n_own[%d])",
                         i > 0 ? ",\n            " : "", i, s->n_in, i, i);
        for (int d = 0; d < s->ndim[i]; d++) heddle__text_put(&t, " * c.extent[%d]", s->core[i][d]);
    }
    for (int i = 0; i < s->n_core; i++) heddle__text_put(&t, ", c.extent[%d]", i);
    heddle__text_put(&t, ");\n}\n");
    return heddle__text_take(&t);
}
