/* Structs of options, as other languages and programs of other versions fill them: NULL and zeros mean the
 * defaults, in every function; sizes are read; what contradicts itself is refused. */
#include "api/values.h"

static heddle_array *a, *row, *indices, *square;
static int n_deleted;

static void count_deleter(void *user)
{
    (void)user;
    n_deleted++;
}

static enum heddle_status copy_part(const struct heddle_part_view *in, void *out, void *user)
{
    (void)user;
    int64_t n = 8;
    for (int d = 0; d < 2; d++) n *= in->shape[d];
    memcpy(out, in->data, (size_t)n);
    return HEDDLE_OK;
}

/* A tensor of an array, for the array that is made of it. */
static struct heddle_dl_versioned *tensor_of(heddle_array *x)
{
    struct heddle_dl_versioned *tensor = NULL;
    CHECK_EQ(heddle_to_dlpack(x, &tensor), HEDDLE_OK);
    return tensor;
}

/* ---- Every function ------------------------------------------------------------------------------- */

static const int64_t shape[2] = {2, 3};
static const int64_t ones[2] = {1, 1};
static heddle_array *const row_weights = NULL; /* none */
static const double data[6] = {3, 1, 4, 1, 5, 9};

/* One for all calls; main releases it. */
static heddle_kernel *kernel;
static heddle_kernel *sum_kernel(void)
{
    if (!kernel) kernel = heddle_kernel_elementwise("T x, T y", "T z", "z = x + y", NULL);
    return kernel;
}

static heddle_kernel *reduction;
static heddle_kernel *norm_kernel(void)
{
    if (!reduction)
        reduction = heddle_kernel_reduction("T x", "T y", "x * x", "a + b", "y = sqrt(a)");
    return reduction;
}

/* A generator at its start, so that each call draws the same. */
static struct heddle_generator *fresh(void)
{
    static struct heddle_generator rng;
    rng = heddle_rng(1);
    return &rng;
}

/* name, options, arguments before them */
#define FUNCTIONS(F)                                                                               \
    F(asarray, asarray, data, HEDDLE_FLOAT64, 2, shape)                                            \
    F(empty, create, 2, shape)                                                                     \
    F(zeros, create, 2, shape)                                                                     \
    F(ones, create, 2, shape)                                                                      \
    F(full, create, 2, shape, heddle_scalar_int(7))                                                \
    F(empty_like, create, a)                                                                       \
    F(zeros_like, create, a)                                                                       \
    F(ones_like, create, a)                                                                        \
    F(full_like, create, a, heddle_scalar_int(7))                                                  \
    F(arange, create, heddle_scalar_int(5), NULL, NULL)                                            \
    F(linspace, linspace, heddle_scalar_int(0), heddle_scalar_int(1), 3)                           \
    F(eye, eye, 2, 3)                                                                              \
    F(sum, reduce, a)                                                                              \
    F(prod, reduce, a)                                                                             \
    F(max, reduce, a)                                                                              \
    F(min, reduce, a)                                                                              \
    F(mean, reduce, a)                                                                             \
    F(any, reduce, a)                                                                              \
    F(all, reduce, a)                                                                              \
    F(count_nonzero, reduce, a)                                                                    \
    F(argmax, reduce, a)                                                                           \
    F(argmin, reduce, a)                                                                           \
    F(nanmax, reduce, a)                                                                           \
    F(nanmin, reduce, a)                                                                           \
    F(nanargmax, reduce, a)                                                                        \
    F(nanargmin, reduce, a)                                                                        \
    F(cumulative_max, scan, row)                                                                   \
    F(cumulative_min, scan, row)                                                                   \
    F(nancumsum, scan, row)                                                                        \
    F(nancumprod, scan, row)                                                                       \
    F(nansum, reduce, a)                                                                           \
    F(nanprod, reduce, a)                                                                          \
    F(nanmean, reduce, a)                                                                          \
    F(ptp, reduce, a)                                                                              \
    F(average, reduce, a, row_weights)                                                             \
    F(var, var, a)                                                                                 \
    F(std, var, a)                                                                                 \
    F(nanvar, var, a)                                                                              \
    F(nanstd, var, a)                                                                              \
    F(cov, cov, a)                                                                                 \
    F(corrcoef, cov, a)                                                                            \
    F(diff, diff, a)                                                                               \
    F(gradient, gradient, row)                                                                     \
    F(trapezoid, trapezoid, a)                                                                     \
    F(nan_to_num, nan_to_num, a)                                                                   \
    F(isclose, isclose, a, a)                                                                      \
    F(allclose, isclose, a, a)                                                                     \
    F(roll, along, a, 1)                                                                           \
    F(repeat, along, row, heddle_scalar_int(2))                                                    \
    F(pad, pad, row, 2, ones)                                                                      \
    F(diagonal, diagonal, a)                                                                       \
    F(trace, trace, a)                                                                             \
    F(matmul, matmul, a, row)                                                                      \
    F(linalg_cholesky, linalg_cholesky, square)                                                    \
    F(linalg_solve_triangular, linalg_solve_triangular, square, square)                            \
    F(vecdot, along, a, a)                                                                         \
    F(cross, along, row, row)                                                                      \
    F(cumulative_sum, scan, row)                                                                   \
    F(cumulative_prod, scan, row)                                                                  \
    F(flip, flip, a)                                                                               \
    F(sort, sort, a)                                                                               \
    F(argsort, sort, a)                                                                            \
    F(logspace, logspace, heddle_scalar(1.0), heddle_scalar(2.0), 3)                               \
    F(geomspace, logspace, heddle_scalar(1.0), heddle_scalar(2.0), 3)                              \
    F(interp, interp, a, row, row)                                                                 \
    F(convolve, convolve, row, row)                                                                \
    F(correlate, convolve, row, row)                                                               \
    F(vander, vander, row, 2)                                                                      \
    F(unwrap, unwrap, a)                                                                           \
    F(delete, along, a, 1, ones)                                                                   \
    F(insert, along, row, 1, row)                                                                  \
    F(lexsort, along, 2, ((heddle_array *[]){a, a}))                                               \
    F(median, reduce, a)                                                                           \
    F(nanmedian, reduce, a)                                                                        \
    F(quantile, quantile, a, heddle_scalar_float(0.3))                                             \
    F(nanquantile, quantile, a, heddle_scalar_float(0.3))                                          \
    F(percentile, quantile, a, heddle_scalar_float(30))                                            \
    F(nanpercentile, quantile, a, heddle_scalar_float(30))                                         \
    F(isin, isin, a, row)                                                                          \
    F(unique_values, unique, a)                                                                    \
    F(bincount, bincount, indices)                                                                 \
    F(digitize, digitize, a, row)                                                                  \
    F(searchsorted, searchsorted, row, a)                                                          \
    F(fft_fft, fft, a)                                                                             \
    F(fft_ifft, fft, a)                                                                            \
    F(fft_rfft, fft, a)                                                                            \
    F(fft_irfft, fft, a)                                                                           \
    F(fft_hfft, fft, a)                                                                            \
    F(fft_ihfft, fft, a)                                                                           \
    F(fft_fftn, fftn, a)                                                                           \
    F(fft_ifftn, fftn, a)                                                                          \
    F(fft_rfftn, fftn, a)                                                                          \
    F(fft_irfftn, fftn, a)                                                                         \
    F(fft_fft2, fftn, a)                                                                           \
    F(fft_ifft2, fftn, a)                                                                          \
    F(fft_rfft2, fftn, a)                                                                          \
    F(fft_irfft2, fftn, a)                                                                         \
    F(fft_fftfreq, fftfreq, 5)                                                                     \
    F(fft_rfftfreq, fftfreq, 5)                                                                    \
    F(fft_fftshift, fftshift, a)                                                                   \
    F(fft_ifftshift, fftshift, a)                                                                  \
    F(take, take, row, indices)                                                                    \
    F(take_along_axis, take, a, heddle_reshape(indices, 2, (const int64_t[]){1, 2}))               \
    F(put_along_axis, take, row, indices, heddle_scalar_int(7))                                    \
    F(compress, compress, row, row)                                                                \
    F(random_uniform, random_uniform, fresh(), 2, shape)                                           \
    F(random_normal, random_normal, fresh(), 2, shape)                                             \
    F(random_standard_normal, random, fresh(), 2, shape)                                           \
    F(random_lognormal, random_normal, fresh(), 2, shape)                                          \
    F(random_exponential, random_exponential, fresh(), 2, shape)                                   \
    F(random_gamma, random_gamma, fresh(), 2, shape, a)                                            \
    F(random_beta, random, fresh(), 2, shape, row, a)                                              \
    F(random_integers, random_integers, fresh(), 2, shape, NULL, heddle_scalar_int(9))             \
    F(random_bits, random, fresh(), 2, shape)                                                      \
    F(random_poisson, random, fresh(), 2, shape, a)                                                \
    F(random_binomial, random, fresh(), 2, shape, heddle_scalar_int(9), heddle_scalar(0.5))        \
    F(random_multinomial, random, fresh(), 1, shape, heddle_scalar_int(9), row)                    \
    F(random_permutation, random_order, fresh(), a)                                                \
    F(random_choice, random_choice, fresh(), 2, shape, row)                                        \
    F(linalg_eigvalsh, linalg_eigh, heddle_matmul(a, heddle_matrix_transpose(a)))                  \
    F(linalg_vector_norm, linalg_norm, a)                                                          \
    F(linalg_matrix_norm, linalg_norm, a)                                                          \
    F(linalg_norm, linalg_norm, a)                                                                 \
    F(linalg_cond, linalg_norm, a)                                                                 \
    F(linalg_matrix_rank, linalg_rank, a)                                                          \
    F(linalg_pinv, linalg_rank, a)                                                                 \
    F(kernel_apply, kernel, sum_kernel(), 2, ((heddle_array *[]){a, row}))                         \
    F(kernel_reduce, kernel_reduce, norm_kernel(), 1, &a)                                          \
    F(map_parts, map_parts, a, HEDDLE_FLOAT64, copy_part)                                          \
    F(from_dlpack, dlpack, tensor_of(a))                                                           \
    F(from_pointer, from_pointer, data, HEDDLE_FLOAT64, 2, shape)

#define CALL(name, type, ...)                                                                      \
    static heddle_array *call_##name(const void *o)                                                \
    {                                                                                              \
        return heddle_##name##_with(__VA_ARGS__, o);                                               \
    }
FUNCTIONS(CALL)

static const struct {
    const char *name;
    heddle_array *(*call)(const void *options);
    size_t size;
} functions[] = {
#define ROW(name, type, ...) {#name, call_##name, sizeof(struct heddle_##type##_options)},
    FUNCTIONS(ROW)};

/* dtype, shape and elements. */
static bool same(heddle_array *x, heddle_array *y)
{
    double values[2][16] = {{0}};
    heddle_array *const both[2] = {x, y};
    for (int i = 0; i < 2; i++)
        if (heddle_nbytes(both[i]) > (int64_t)sizeof *values ||
            heddle_read(both[i], values[i], heddle_nbytes(both[i])) != HEDDLE_OK)
            return false;
    return x->dtype == y->dtype && heddle__same_shape(x->ndim, x->shape, y->ndim, y->shape) &&
           !memcmp(values[0], values[1], sizeof *values);
}

static void defaults(void)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const size_t size = functions[i].size;
        size_t options[64] = {0}; /* as large as any struct, and aligned as one */
        char *const bytes = (char *)options;
        heddle_array *const plain = functions[i].call(NULL);
        CHECK(heddle_status_of(plain) == HEDDLE_OK, "%s: %s", functions[i].name,
              heddle_error(plain));
        CHECK(same(functions[i].call(options), plain), "%s: zeros", functions[i].name);
        options[0] = size;
        CHECK(same(functions[i].call(options), plain), "%s: its size", functions[i].name);
        options[0] = sizeof *options; /* a struct of nothing but its size */
        memset(bytes + sizeof *options, 0x5a, size - sizeof *options);
        CHECK(same(functions[i].call(options), plain), "%s: a smaller size", functions[i].name);
        memset(bytes + sizeof *options, 0, size - sizeof *options);
        options[0] = size + 40; /* newer, but nothing of it is used */
        CHECK(same(functions[i].call(options), plain), "%s: a larger size", functions[i].name);
        bytes[size + 39] = 1;
        heddle_array *const newer = functions[i].call(options);
        CHECK_EQ(heddle_status_of(newer), HEDDLE_EARG);
        CHECK_HAS(heddle_error(newer), functions[i].name);
        CHECK_HAS(heddle_error(newer), "options of a newer version");
        options[0] = 3;
        CHECK_HAS(heddle_error(functions[i].call(options)), "options of 3 bytes");
        options[0] = (size_t)0xfeedfeedfeed;
        CHECK_EQ(heddle_status_of(functions[i].call(options)), HEDDLE_EARG);
    }
}

/* ---- Axes ----------------------------------------------------------------------------------------- */

#define REDUCE(...) heddle_sum_with(a, &(struct heddle_reduce_options){__VA_ARGS__})

static void axes(void)
{
    CHECK_ARRAY(REDUCE(.axis = 0, .has_axis = true), HEDDLE_FLOAT64, "(3,)", VALUES(3, 5, 7));
    CHECK_ARRAY(REDUCE(.axes = {.count = 1}), HEDDLE_FLOAT64, "(3,)", VALUES(3, 5, 7));
    CHECK_ARRAY(REDUCE(.axes = {.count = -1}), HEDDLE_FLOAT64, "(2, 3)", VALUES(0, 1, 2, 3, 4, 5));
    CHECK_ERROR(REDUCE(.axis = 1), HEDDLE_EARG, "heddle_sum: .axis is 1, but .has_axis is false");
    CHECK_ERROR(REDUCE(.has_axis = true, .axes = {.count = 1}), HEDDLE_EARG,
                "heddle_sum: both .axis and .axes are given");
    CHECK_ERROR(heddle_sum(a, .axis = 0, .axes = HEDDLE_NO_AXES), HEDDLE_EARG,
                "heddle_sum: both .axis and .axes are given");
    CHECK_ERROR(REDUCE(.axes = {.count = 9}), HEDDLE_EARG,
                "heddle_sum: 9 axes; an array has at most 8");
    CHECK_ERROR(REDUCE(.axes = {.count = -2}), HEDDLE_EARG,
                "heddle_sum: -2 axes; an array has at most 8");
    CHECK_ERROR(heddle_max(a, .dtype = HEDDLE_INT8), HEDDLE_EARG, "heddle_max: takes no .dtype");
    CHECK_ERROR(heddle_count_nonzero(a, .dtype = HEDDLE_INT8), HEDDLE_EARG,
                "heddle_count_nonzero: takes no .dtype");

    CHECK_ERROR(heddle_flip_with(a, &(struct heddle_flip_options){.axis = 1}), HEDDLE_EARG,
                "heddle_flip: .axis is 1, but .has_axis is false");
    CHECK_ERROR(heddle_cumulative_sum_with(a, &(struct heddle_scan_options){.axis = 1}),
                HEDDLE_EARG, "heddle_cumulative_sum: .axis is 1, but .has_axis is false");
    CHECK_ERROR(heddle_cumulative_sum_with(a, NULL), HEDDLE_EAXIS,
                "heddle_cumulative_sum: shape (2, 3) has 2 axes: name one with .axis");
    CHECK_ERROR(heddle_take_with(a, indices, &(struct heddle_take_options){.axis = 1}), HEDDLE_EARG,
                "heddle_take: .axis is 1, but .has_axis is false");
    CHECK_ERROR(heddle_take_along_axis_with(a, indices, &(struct heddle_take_options){.axis = 1}),
                HEDDLE_EARG, "heddle_take_along_axis: .axis is 1, but .has_axis is false");
}

/* ---- The macros ------------------------------------------------------------------------------------ */

static int n_evaluated;

static int once(int x)
{
    n_evaluated++;
    return x;
}

static heddle_array *once_array(void)
{
    n_evaluated++;
    return a;
}

static void macros(void)
{
    heddle_array *r = heddle_sum(once_array(), .axis = once(0), .keepdims = once(1));
    CHECK_ARRAY(r, HEDDLE_FLOAT64, "(1, 3)", VALUES(3, 5, 7));
    CHECK_EQ(n_evaluated, 3);
    r = heddle_sum(a, .axis = heddle_ndim(heddle_sum(a, .axis = 0)), .keepdims = false);
    CHECK_ARRAY(r, HEDDLE_FLOAT64, "(2,)", VALUES(3, 12));
    r = heddle_sum(heddle_sum(a, .axis = -1), .axis = 0);
    CHECK_ARRAY(r, HEDDLE_FLOAT64, "()", VALUES(15));
    r = heddle_sum(a, .axes = HEDDLE_AXES(0, once(1)), .dtype = HEDDLE_INT8);
    CHECK_ARRAY(r, HEDDLE_INT8, "()", VALUES(15));
    CHECK_EQ(n_evaluated, 4);
    r = heddle_sum(a, .has_axis = true); /* axis 0 */
    CHECK_ARRAY(r, HEDDLE_FLOAT64, "(3,)", VALUES(3, 5, 7));
}

/* ---- Others ---------------------------------------------------------------------------------------- */

/* A deleter is called also when the options are refused. */
static void deleters(void)
{
    struct {
        struct heddle_asarray_options known;
        void *later;
    } newer = {{.size = sizeof newer, .borrow = true, .deleter = count_deleter}, &newer};
    CHECK_EQ(heddle_status_of(heddle_asarray_with(data, HEDDLE_FLOAT64, 2, shape, &newer.known)),
             HEDDLE_EARG);
    CHECK_EQ(n_deleted, 1);
    struct {
        struct heddle_map_parts_options known;
        void *later;
    } newer_map = {{.size = sizeof newer_map, .deleter = count_deleter}, &newer_map};
    CHECK_EQ(
        heddle_status_of(heddle_map_parts_with(a, HEDDLE_FLOAT64, copy_part, &newer_map.known)),
        HEDDLE_EARG);
    CHECK_EQ(n_deleted, 2);
}

static void distributions(void)
{
    struct {
        struct heddle_distribution known;
        void *later;
    } newer = {{.size = sizeof newer, .cut[0] = {HEDDLE_CUT_PARTS, 2, NULL}}, NULL};
    CHECK_EQ(heddle_status_of(heddle_distribute(a, &newer.known)), HEDDLE_OK);
    newer.later = &newer;
    CHECK_HAS(heddle_error(heddle_distribute(a, &newer.known)),
              "heddle_distribute: options of a newer version");
    CHECK_HAS(heddle_error(heddle_zeros(2, shape, .distribution = &newer.known)),
              "heddle_zeros: options of a newer version");
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    a = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    row = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(3));
    indices = counting(HEDDLE_INT64, HEDDLE_SHAPE(2));
    square = heddle_eye(2, 2);
    defaults();
    axes();
    macros();
    deleters();
    distributions();
    heddle_kernel_release(kernel);
    heddle_kernel_release(reduction);
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
