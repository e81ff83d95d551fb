/* What may be wrong with a call of the user's kernel. Entry point: heddle__raw_check. */
#include "families/raw/record.h"
#include "graph/check.h"
#include "graph/infer.h"

static bool is_given(enum heddle_raw_role role)
{
    return role == HEDDLE_RAW_READ || role == HEDDLE_RAW_WHOLE || role == HEDDLE_RAW_UPDATE;
}

static enum heddle_status check_input(const char *name, int number, const heddle_array *a)
{
    HEDDLE_REQUIRE(a, HEDDLE_EARG, "heddle_%s: argument %d: the array is NULL", name, number);
    if (heddle__checking() && heddle__check_array(name, number, a) != HEDDLE_OK)
        return heddle__last_code();
    if (a->kind != HEDDLE_NODE_ERROR) return HEDDLE_OK;
    return heddle__fail(heddle_status_of(a), "%s", heddle_error(a));
}

static enum heddle_status check_argument(const char *name, int n,
                                         const struct heddle_raw_argument *all, int i)
{
    const struct heddle_raw_argument *a = &all[i];
    enum heddle_status status = HEDDLE_OK;
    if (is_given(a->role)) HEDDLE_TRY(check_input(name, i, a->array));
    switch (a->role) {
    case HEDDLE_RAW_READ:
    case HEDDLE_RAW_WHOLE: break;
    case HEDDLE_RAW_WRITE:
        HEDDLE_TRY(heddle__check_dtype(name, a->dtype));
        HEDDLE_TRY(heddle__check_shape(name, a->ndim, a->shape));
        HEDDLE_REQUIRE(a->out, HEDDLE_EARG, "heddle_%s: argument %d: the result's pointer is NULL",
                       name, i);
        break;
    case HEDDLE_RAW_UPDATE:
        HEDDLE_REQUIRE(a->out, HEDDLE_EARG, "heddle_%s: argument %d: the result's pointer is NULL",
                       name, i);
        break;
    case HEDDLE_RAW_BYTES:
        HEDDLE_REQUIRE(a->n_bytes > 0 && a->n_bytes <= HEDDLE_RAW_VALUE_BYTES, HEDDLE_EARG,
                       "heddle_%s: argument %d: a value of %lld bytes, not of 1 to %d", name, i,
                       (long long)a->n_bytes, HEDDLE_RAW_VALUE_BYTES);
        HEDDLE_REQUIRE(a->bytes || a->n_bytes <= (int64_t)sizeof a->value, HEDDLE_EARG,
                       "heddle_%s: argument %d: the value's pointer is NULL", name, i);
        break;
    case HEDDLE_RAW_SIZE:
    case HEDDLE_RAW_EXTENTS:
        HEDDLE_REQUIRE(a->of >= 0 && a->of < n && all[a->of].role <= HEDDLE_RAW_UPDATE, HEDDLE_EARG,
                       "heddle_%s: argument %d: argument %d, whose %s it is, is no array", name, i,
                       a->of, a->role == HEDDLE_RAW_SIZE ? "size" : "extents");
        break;
    default:
        return heddle__fail(HEDDLE_EARG, "heddle_%s: argument %d: %d is no role", name, i,
                            (int)a->role);
    }
    for (int k = 0; k < i && a->out; k++)
        HEDDLE_REQUIRE(all[k].out != a->out, HEDDLE_EARG,
                       "heddle_%s: arguments %d and %d have one result's pointer", name, k, i);
fail:
    return status;
}

static enum heddle_status check_counts(const char *name, int n,
                                       const struct heddle_raw_argument *all)
{
    int n_arrays = 0, n_made = 0;
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) {
        n_arrays += all[i].role <= HEDDLE_RAW_UPDATE;
        n_made += all[i].role == HEDDLE_RAW_WRITE || all[i].role == HEDDLE_RAW_UPDATE;
        if (all[i].role == HEDDLE_RAW_BYTES) bytes += all[i].n_bytes;
    }
    HEDDLE_REQUIRE(n_arrays <= HEDDLE_RAW_ARRAYS, HEDDLE_EARG, "heddle_%s: %d arrays, at most %d",
                   name, n_arrays, HEDDLE_RAW_ARRAYS);
    HEDDLE_REQUIRE(n_made > 0, HEDDLE_EARG, "heddle_%s: the kernel makes no array", name);
    HEDDLE_REQUIRE(n_made <= HEDDLE_RAW_OUTPUTS, HEDDLE_EARG, "heddle_%s: %d results, at most %d",
                   name, n_made, HEDDLE_RAW_OUTPUTS);
    HEDDLE_REQUIRE(bytes <= HEDDLE_RAW_VALUE_BYTES, HEDDLE_EARG,
                   "heddle_%s: values of %lld bytes, at most %d", name, (long long)bytes,
                   HEDDLE_RAW_VALUE_BYTES);
    return HEDDLE_OK;
}

static enum heddle_status check_lengths(const char *name, const char *what,
                                        const struct heddle_lengths *lengths, int64_t most)
{
    int64_t all = 1;
    HEDDLE_REQUIRE(lengths->count >= 0 && lengths->count <= 3, HEDDLE_EARG,
                   "heddle_%s: .%s has %d axes, not 1 to 3", name, what, lengths->count);
    for (int k = 0; k < lengths->count; k++) {
        const int64_t n = lengths->at[k];
        HEDDLE_REQUIRE(n > 0 && n <= most && all <= most / n, HEDDLE_EARG,
                       "heddle_%s: .%s of %lld along axis %d: all together are 1 to %lld", name,
                       what, (long long)n, k, (long long)most);
        if (most < INT32_MAX) all *= n;
    }
    return HEDDLE_OK;
}

enum heddle_status heddle__raw_check(const char *name, const struct heddle_raw_kernel *kernel,
                                     int n, const struct heddle_raw_argument *arguments,
                                     const struct heddle_raw_call_options *o)
{
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_REQUIRE(kernel, HEDDLE_EARG, "heddle_%s: the kernel is NULL", name);
    HEDDLE_REQUIRE(arguments && n > 0, HEDDLE_EARG, "heddle_%s: there are no arguments", name);
    HEDDLE_REQUIRE(n <= HEDDLE_RAW_ARGUMENTS_MAX, HEDDLE_EARG,
                   "heddle_%s: %d arguments, at most %d", name, n, HEDDLE_RAW_ARGUMENTS_MAX);
    for (int i = 0; i < n; i++) HEDDLE_TRY(check_argument(name, n, arguments, i));
    HEDDLE_TRY(check_counts(name, n, arguments));
    HEDDLE_TRY(check_lengths(name, "grid", &o->grid, INT32_MAX));
    HEDDLE_TRY(check_lengths(name, "block", &o->block, 1024));
    HEDDLE_REQUIRE(o->shared_bytes >= 0 && o->shared_bytes <= INT32_MAX, HEDDLE_EARG,
                   "heddle_%s: .shared_bytes is %lld", name, (long long)o->shared_bytes);
    HEDDLE_REQUIRE(o->over_parts || (o->halo.count == 0 && o->uncut == 0), HEDDLE_EARG,
                   "heddle_%s: .halo and .uncut are for calls .over_parts", name);
fail:
    return status;
}
