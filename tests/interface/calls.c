/* Every macro, as a program writes it, in C and in C++: compiled without a warning, and not run. Its calls are
 * the counterparts of the refusals in headers.sh. */
#include <heddle.h>
#include <heddle/must.h>

void calls(heddle_array *a, heddle_array *b, heddle_part_function *f, const void *data, int64_t n,
           const struct heddle_distribution *d);
void lists(heddle_array *a, heddle_array *b, int64_t n);
void raw_calls(heddle_array *a, heddle_raw_function *f, heddle_gufunc_function *g, int64_t n);
heddle_array *nested(heddle_array *a, heddle_array *b);
heddle_array *variables(heddle_array *a, int axis, bool keep, const struct heddle_axes *axes);

void calls(heddle_array *a, heddle_array *b, heddle_part_function *f, const void *data, int64_t n,
           const struct heddle_distribution *d)
{
    heddle_array *parts[3] = {a, b, a};
    struct heddle_dl_versioned *tensor = NULL;
    heddle_asarray(data, HEDDLE_INT8, HEDDLE_SHAPE(3, n));
    heddle_asarray(data, HEDDLE_INT8, HEDDLE_SHAPE(3), .borrow = true, .user = NULL,
                   .deleter = NULL, .distribution = d);
    heddle_empty(HEDDLE_NO_SHAPE);
    heddle_zeros(HEDDLE_SHAPE(3, 4), .dtype = HEDDLE_INT8);
    heddle_ones(1, &n, .dtype = HEDDLE_BOOL, .distribution = NULL);
    heddle_full(HEDDLE_SHAPE(2), heddle_scalar(1.5), .dtype = HEDDLE_FLOAT32);
    heddle_empty_like(a);
    heddle_zeros_like(a, .dtype = HEDDLE_INT8);
    heddle_ones_like(a, .dtype = HEDDLE_INT8);
    heddle_full_like(a, heddle_scalar(1), .dtype = HEDDLE_INT8);
    heddle_arange(heddle_scalar(3), NULL, NULL, .dtype = HEDDLE_INT8);
    heddle_linspace(heddle_scalar(0), heddle_scalar(1), 5, .endpoint_excluded = true);
    heddle_eye(3, -1, .k = -1, .dtype = HEDDLE_INT8);
    heddle_var(a);
    heddle_std(a, .axis = 0, .correction = 1, .keepdims = true);
    heddle_nanvar(a, .axes = HEDDLE_AXES(0, 1), .dtype = HEDDLE_FLOAT32);
    heddle_average(a, b, .axis = 1);
    heddle_diff(a, .n = 2, .prepend = b);
    heddle_pad(a, HEDDLE_SHAPE(1, 2), .mode = HEDDLE_PAD_WRAP);
    heddle_roll(a, 3, .axis = 0);
    heddle_isclose(a, b, .rtol = 1e-3, .equal_nan = true);
    heddle_nan_to_num(a, .nan = heddle_scalar(1));
    heddle_tile(heddle_tril(a, -1), HEDDLE_SHAPE(2, 2));
    heddle_split_at(a, HEDDLE_SHAPE(1, 2), parts, .axis = 1);
    heddle_meshgrid(2, parts, parts, .matrix_indexing = true);
    heddle_trace(heddle_tensordot(a, b, 1, NULL, NULL), .offset = 1);
    heddle_matmul(a, b);
    heddle_matmul(a, b, .precision = HEDDLE_PRECISION_TF32);
    heddle_einsum("ij,jk", HEDDLE_ARRAYS(a, b));
    heddle_linalg_cholesky(a, .upper = true);
    heddle_linalg_lu(a, &parts[0], &parts[1], NULL);
    heddle_linalg_qr(a, &parts[0], &parts[1], .complete = true);
    heddle_linalg_det(heddle_linalg_inv(heddle_linalg_solve(a, b)));
    heddle_linalg_slogdet(a, &parts[0], &parts[1]);
    heddle_linalg_solve_triangular(a, b, .lower = true, .adjoint = true, .unit_diagonal = true);
    struct heddle_csr csr = heddle_csr_from_dense(a);
    csr = heddle_csr_transpose(&csr);
    csr = heddle_csr_multiply(&csr, b);
    heddle_csr_matmul(&csr, heddle_csr_to_dense(&csr));
    heddle_linalg_multi_dot(HEDDLE_ARRAYS(a, b));
    heddle_sum(a);
    heddle_sum(a, .axis = 0);
    heddle_sum(a, .axis = -1, .keepdims = true, .dtype = HEDDLE_FLOAT64);
    heddle_prod(a, .axes = HEDDLE_AXES(0, -1), .keepdims = true);
    heddle_max(a, .axes = HEDDLE_NO_AXES);
    heddle_min(a, .axis = 0);
    heddle_mean(a, .axis = 0);
    heddle_any(a, .axis = 0);
    heddle_all(a, .axis = 0);
    heddle_count_nonzero(a, .axis = 0);
    heddle_argmax(a, .axis = 0);
    heddle_argmin(a, .axis = 0);
    heddle_cumulative_sum(a, .axis = 0, .include_initial = true);
    heddle_cumulative_prod(a);
    heddle_flip(a);
    heddle_flip(a, .axes = HEDDLE_AXES(0));
    heddle_to_dlpack(a, &tensor, .copy = HEDDLE_COPY_ALWAYS, .place = heddle_cpu(0));
    heddle_from_dlpack(tensor, .copy = HEDDLE_COPY_NEVER);
    heddle_from_pointer(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 1), .copy = HEDDLE_COPY_NEVER);
    heddle_to_pointer(a, parts, .place = heddle_cpu(0));
    heddle_sort(a);
    heddle_argsort(a, .axis = 0, .descending = true);
    heddle_logspace(a, b, 3, .base = 2, .dtype = HEDDLE_FLOAT32);
    heddle_geomspace(a, b, 3, .endpoint_excluded = true);
    heddle_interp(a, b, b, .left = a, .right = a);
    heddle_convolve(a, b, .mode = HEDDLE_CONVOLUTION_SAME);
    heddle_correlate(a, b);
    heddle_vander(a, 3, .increasing = true);
    heddle_unwrap(a, .axis = 0, .period = 4, .discont = 3);
    heddle_delete(a, HEDDLE_SHAPE(1), .axis = 0);
    heddle_insert(a, 1, b);
    heddle_lexsort(2, parts, .axis = 0);
    heddle_topk(a, 3, &parts[0], NULL, .axis = 0, .smallest = true);
    heddle_median(a, .axes = HEDDLE_AXES(0, 1), .keepdims = true);
    heddle_nanmedian(a);
    heddle_quantile(a, b, .axis = 0, .method = HEDDLE_QUANTILE_NEAREST);
    heddle_nanquantile(a, b);
    heddle_percentile(a, b, .keepdims = true);
    heddle_nanpercentile(a, b);
    heddle_isin(a, b, .invert = true);
    heddle_unique_values(a, .equal_nan = true);
    heddle_unique_values(a, .axis = 0);
    heddle_unique_counts(a, &parts[0], &parts[1]);
    heddle_unique_inverse(a, &parts[0], &parts[1], .equal_nan = true);
    struct heddle_unique unique;
    heddle_unique_all(a, &unique);
    heddle_bincount(a, .weights = b, .minlength = 4);
    heddle_histogram(a, &parts[0], &parts[1], .bins = 5, .low = 0, .high = 1, .has_range = true);
    heddle_histogram(a, &parts[0], NULL, .edges = b, .density = true);
    heddle_histogram_bin_edges(a, .bins = 5);
    heddle_digitize(a, b, .right = true);
    heddle_searchsorted(a, b);
    heddle_searchsorted(a, b, .side = HEDDLE_SIDE_RIGHT, .sorter = heddle_argsort(a));
    heddle_cumulative_max(a, .axis = 0, .dtype = HEDDLE_FLOAT64);
    heddle_cumulative_min(a);
    heddle_nancumsum(a, .axis = 1);
    heddle_nancumprod(a);
    heddle_nanargmax(a, .axis = 0, .keepdims = true);
    heddle_nanargmin(a);
    heddle_choose(b, 2, parts);
    heddle_sliding_window_view(a, HEDDLE_SHAPE(2, 2), NULL);
    heddle_take(a, b);
    heddle_take(a, b, .axis = 1);
    heddle_take_along_axis(a, b, .axis = 0);
    heddle_compress(a, b);
    heddle_put_along_axis(a, b, a);
    heddle_put_along_axis(a, b, a, .axis = 0);
    heddle_compress(a, b, .axis = 0);
    struct heddle_generator rng = heddle_rng(7);
    heddle_random_uniform(&rng, HEDDLE_SHAPE(3, 4));
    heddle_random_uniform(&rng, HEDDLE_NO_SHAPE, .low = a, .high = b, .dtype = HEDDLE_FLOAT32);
    heddle_random_normal(&rng, HEDDLE_SHAPE(3), .loc = a, .scale = b);
    heddle_random_standard_normal(&rng, HEDDLE_SHAPE(3), .dtype = HEDDLE_FLOAT32);
    heddle_random_lognormal(&rng, HEDDLE_SHAPE(3));
    heddle_random_exponential(&rng, HEDDLE_SHAPE(3), .scale = a);
    heddle_random_gamma(&rng, HEDDLE_SHAPE(3), a, .scale = b);
    heddle_random_beta(&rng, HEDDLE_SHAPE(3), a, b, .dtype = HEDDLE_FLOAT32);
    heddle_random_integers(&rng, HEDDLE_SHAPE(3), NULL, b, .endpoint = true, .dtype = HEDDLE_INT8);
    heddle_random_bits(&rng, HEDDLE_SHAPE(3));
    heddle_random_poisson(&rng, HEDDLE_SHAPE(3), a);
    heddle_random_binomial(&rng, HEDDLE_SHAPE(3), a, b);
    heddle_random_multinomial(&rng, HEDDLE_SHAPE(3), a, b);
    heddle_random_permutation(&rng, a, .axis = 1);
    heddle_random_choice(&rng, HEDDLE_SHAPE(3), a, .p = b, .without_replacement = true);
    heddle_fft_fft(a);
    heddle_fft_fft(a, .n = 8, .axis = 0, .norm = HEDDLE_FFT_ORTHO);
    heddle_fft_ifft(a, .axis = -1);
    heddle_fft_rfft(a, .norm = HEDDLE_FFT_FORWARD);
    heddle_fft_irfft(a, .n = 7);
    heddle_fft_hfft(a);
    heddle_fft_ihfft(a, .n = 7);
    heddle_fft_fftn(a, .s = HEDDLE_LENGTHS(4, -1), .axes = HEDDLE_AXES(0, 1));
    heddle_fft_ifftn(a);
    heddle_kernel *const kernel = heddle_kernel_elementwise("T x, T y", "T z", "z = x", NULL);
    heddle_kernel_apply(kernel, HEDDLE_ARRAYS(a, a));
    heddle_kernel_apply(kernel, HEDDLE_ARRAYS(a, a), .shape = HEDDLE_LENGTHS(2, 3));
    heddle_kernel_call(kernel, HEDDLE_ARRAYS(a, a), 2, parts, .shape = HEDDLE_LENGTHS(2, 3));
    heddle_kernel_call(kernel, HEDDLE_ARRAYS(a, a), 2, parts);
    heddle_kernel_reduction("T x", "T y", "x", "a + b", "y = a");
    heddle_kernel_reduction("T x", "T y", "x", "a + b", "y = a", .identity = "0", .type = "double",
                            .name = "sum", .commutative = true);
    heddle_kernel_reduce(kernel, HEDDLE_ARRAYS(a));
    heddle_kernel_reduce(kernel, HEDDLE_ARRAYS(a, a), .axis = 0, .keepdims = true);
    heddle_kernel_reduce_call(kernel, HEDDLE_ARRAYS(a), 2, parts);
    heddle_kernel_reduce_call(kernel, HEDDLE_ARRAYS(a), 2, parts, .axes = HEDDLE_AXES(0, 1));
    heddle_fft_rfftn(a, .norm = HEDDLE_FFT_BACKWARD);
    heddle_fft_irfftn(a, .axes = HEDDLE_AXES(1));
    heddle_fft_fft2(a);
    heddle_fft_ifft2(a, .s = HEDDLE_LENGTHS(3, 5));
    heddle_fft_rfft2(a);
    heddle_fft_irfft2(a);
    heddle_fft_fftfreq(8);
    heddle_fft_fftfreq(8, .d = 0.1, .dtype = HEDDLE_FLOAT32);
    heddle_fft_rfftfreq(8, .d = 0.1);
    heddle_fft_fftshift(a);
    heddle_fft_ifftshift(a, .axes = HEDDLE_AXES(0));
    heddle_linalg_eigh(a, &parts[0], &parts[1]);
    heddle_linalg_eigh(a, &parts[0], &parts[1], .upper = true);
    heddle_linalg_eigvalsh(a, .upper = true);
    heddle_linalg_svd(a, &parts[0], &parts[1], &parts[2], .thin = true);
    heddle_linalg_vector_norm(a, .kind = HEDDLE_NORM_P, .p = 3, .axis = 0, .keepdims = true);
    heddle_linalg_matrix_norm(a, .kind = HEDDLE_NORM_NUCLEAR, .keepdims = true);
    heddle_linalg_norm(a, .axes = HEDDLE_AXES(0, 1));
    heddle_linalg_cond(a, .kind = HEDDLE_NORM_P, .p = -2);
    heddle_linalg_matrix_rank(a, .rtol = b, .hermitian = true);
    heddle_linalg_pinv(a, .rtol = b);
    heddle_polyfit(a, b, 2);
    heddle_roots(a);
    struct heddle_lstsq lstsq;
    heddle_linalg_lstsq(a, b, &lstsq, .rcond = b);
    heddle_map_parts(a, HEDDLE_INT8, f);
    heddle_map_parts(a, HEDDLE_INT8, NULL, .cuda = f, .user = a, .deleter = NULL);
}

void raw_calls(heddle_array *a, heddle_raw_function *f, heddle_gufunc_function *g, int64_t n)
{
    heddle_array *out, *more;
    heddle_raw_kernel *k = heddle_raw_kernel_from_source("text", "name");
    heddle_raw_kernel_from_source("text", "name", .host = f, .flags = "-DN=3", .user = a);
    heddle_raw_kernel_from_module("text", 4, "name", .deleter = NULL);
    heddle_raw_kernel_from_file("path", "name", .host = f);
    heddle_raw_kernel_from_functions(f);
    heddle_raw_kernel_from_functions(NULL, .cuda = f);
    heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(a, &out)));
    heddle_raw_call(k,
                    HEDDLE_RAW_ARGUMENTS(heddle_raw_read(a), heddle_raw_whole(a),
                                         heddle_raw_write(&out, HEDDLE_INT8, HEDDLE_SHAPE(n, 3)),
                                         heddle_raw_write(&more, HEDDLE_INT8, HEDDLE_NO_SHAPE),
                                         heddle_raw_bytes(&n, sizeof n), heddle_raw_i32(1),
                                         heddle_raw_i64(n), heddle_raw_f32(1), heddle_raw_f64(2),
                                         heddle_raw_size_of(0), heddle_raw_extents_of(0)),
                    .grid = HEDDLE_LENGTHS(n, 2), .block = HEDDLE_LENGTHS(32, 8),
                    .shared_bytes = 1024);
    heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(a, &out)), .over_parts = true,
                    .halo = HEDDLE_LENGTHS(1, 1), .uncut = 1u << 1);
    heddle_gufunc *gufunc = heddle_gufunc_make("(n)->()", g);
    heddle_gufunc_make("(n)->()", g, .types = "int8->int8", .cuda = "text", .name = "f",
                       .flags = "-DN=3", .user = a, .deleter = NULL);
    heddle_gufunc_apply(gufunc, HEDDLE_ARRAYS(a));
    heddle_gufunc_call(gufunc, HEDDLE_ARRAYS(a), 1, &out);
}

void lists(heddle_array *a, heddle_array *b, int64_t n)
{
    const int64_t list[] = {1, 2};
    const short small = 1;
    heddle_reshape(a, HEDDLE_SHAPE(2, -1, n, heddle_size(b)));
    heddle_reshape(a, 2, list);
    heddle_broadcast_to(a, HEDDLE_NO_SHAPE);
    heddle_permute_dims(a, HEDDLE_ORDER(1, 0));
    heddle_concat(HEDDLE_ARRAYS(a, heddle_sum(b, .axis = 0)), 0);
    heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(0)));
    heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(n), HEDDLE_ALL, HEDDLE_SLICE(1, -1), HEDDLE_ELLIPSIS));
    heddle_set_item(a,
                    HEDDLE_INDEX(HEDDLE_SLICE_STEP(n, 0, -1), HEDDLE_FROM(1), HEDDLE_TO(n),
                                 HEDDLE_STEP(2), HEDDLE_NEWAXIS),
                    heddle_scalar(n));
    heddle_expr("a + 1", HEDDLE_BIND("a", a));
    heddle_expr("a + b", HEDDLE_BIND_ALL({"a", a}, {"b", heddle_flip(b)}));
    heddle_expr("1", HEDDLE_NO_BINDINGS);
    heddle_add(heddle_scalar(true), heddle_scalar(1.0f));
    heddle_add(heddle_scalar('a'), heddle_scalar(small));
    heddle_add(heddle_scalar(1u), heddle_scalar(1ull));
#ifndef __cplusplus
    heddle_distribute(a,
                      &(struct heddle_distribution){.cut[0] = {HEDDLE_CUT_PARTS, 2, NULL},
                                                    HEDDLE_PLACES(heddle_cpu(0), heddle_gpu(0))});
#endif
}

/* In arguments, in options and in several levels at once: no name shadows another. */
heddle_array *nested(heddle_array *a, heddle_array *b)
{
    return heddle_sum(heddle_take(heddle_sum(heddle_max(a, .axis = 0), .axis = 0), heddle_flip(b),
                                  .axis = heddle_ndim(heddle_sum(b, .keepdims = true))),
                      .axis = heddle_ndim(heddle_any(a, .axis = heddle_ndim(heddle_flip(a)))),
                      .keepdims = heddle_size(heddle_sum(a)) > 0);
}

heddle_array *variables(heddle_array *a, int axis, bool keep, const struct heddle_axes *axes)
{
    if (axes) return heddle_sum(a, .axes = *axes, .keepdims = keep);
    return axis > 7 ? heddle_sum(a) : heddle_sum(a, .axis = axis < 0 ? 0 : axis, .keepdims = keep);
}
