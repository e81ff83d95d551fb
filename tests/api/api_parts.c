/* Arrays taken apart and put together: forms of nodes, several results, errors. Values against NumPy's are in
 * tests/expr. */
#include "read.h"

static heddle_array *a, *row;

/* ---- Several results ------------------------------------------------------------------------------ */

static heddle_array *const untouched = (heddle_array *)&row;

/* The status, the text, and that nothing was written. */
#define CHECK_REFUSED(call, status, text)                                                          \
    do {                                                                                           \
        for (int i = 0; i < 4; i++) out[i] = untouched;                                            \
        CHECK_EQ(call, status);                                                                    \
        CHECK_STR(heddle_last_error(), text);                                                      \
        for (int i = 0; i < 4; i++) CHECK(out[i] == untouched);                                    \
    } while (0)

static void parts(void)
{
    heddle_array *out[4];
    CHECK_EQ(heddle_unstack(a, 2, out), HEDDLE_OK);
    CHECK_EQ(out[1]->kind, HEDDLE_NODE_VIEW);
    CHECK_ARRAY(out[1], HEDDLE_FLOAT64, "(3,)", VALUES(3, 4, 5));
    CHECK_EQ(heddle_unstack(a, 3, out, .axis = -1), HEDDLE_OK);
    CHECK_ARRAY(out[2], HEDDLE_FLOAT64, "(2,)", VALUES(2, 5));
    CHECK_EQ(heddle_unstack(heddle_zeros(HEDDLE_SHAPE(0, 2)), 0, NULL), HEDDLE_OK);
    CHECK_REFUSED(heddle_unstack(a, 3, out), HEDDLE_EARG,
                  "heddle_unstack: 3 results, but shape (2, 3) has 2 along axis 0");
    CHECK_REFUSED(heddle_unstack(a, 2, out, .axis = 2), HEDDLE_EAXIS,
                  "heddle_unstack: axis 2 is out of range of shape (2, 3)");
    CHECK_REFUSED(heddle_unstack(NULL, 2, out), HEDDLE_EARG, "heddle_unstack: argument 1 is NULL");
    CHECK_REFUSED(heddle_unstack(a, 2, NULL), HEDDLE_EARG, "heddle_unstack: 2 results at NULL");

    CHECK_EQ(heddle_split(row, 2, out), HEDDLE_OK);
    CHECK_ARRAY(out[1], HEDDLE_FLOAT64, "(2,)", VALUES(2, 3));
    CHECK_EQ(heddle_array_split(row, 3, out), HEDDLE_OK);
    CHECK_ARRAY(out[0], HEDDLE_FLOAT64, "(2,)", VALUES(0, 1));
    CHECK_ARRAY(out[2], HEDDLE_FLOAT64, "(1,)", VALUES(3));
    CHECK_EQ(heddle_split_at(a, HEDDLE_SHAPE(1, -1), out, .axis = 1), HEDDLE_OK);
    CHECK_ARRAY(out[1], HEDDLE_FLOAT64, "(2, 1)", VALUES(1, 4));
    CHECK_ARRAY(out[2], HEDDLE_FLOAT64, "(2, 1)", VALUES(2, 5));
    CHECK_REFUSED(heddle_split(row, 3, out), HEDDLE_ESHAPE,
                  "heddle_split: axis 0 of shape (4,) has no 3 equal parts");
    CHECK_REFUSED(heddle_array_split(row, 0, out), HEDDLE_EARG, "heddle_array_split: 0 parts");
    CHECK_REFUSED(heddle_split_at(row, 1, NULL, out), HEDDLE_EARG,
                  "heddle_split_at: 1 positions at NULL");
    CHECK_REFUSED(heddle_split_with(row, 2, out, &(struct heddle_along_options){.axis = 1}),
                  HEDDLE_EARG, "heddle_split: .axis is 1, but .has_axis is false");
}

static void grids(void)
{
    heddle_array *out[4], *const two[2] = {row, a};
    heddle_array *const lines[2] = {row, heddle_arange(heddle_scalar(2), NULL, NULL)};
    CHECK_EQ(heddle_meshgrid(2, lines, out), HEDDLE_OK);
    CHECK_ARRAY(out[0], HEDDLE_FLOAT64, "(2, 4)", VALUES(0, 1, 2, 3, 0, 1, 2, 3));
    CHECK_ARRAY(out[1], HEDDLE_INT64, "(2, 4)", VALUES(0, 0, 0, 0, 1, 1, 1, 1));
    CHECK_EQ(heddle_meshgrid(2, lines, out, .matrix_indexing = true), HEDDLE_OK);
    CHECK_ARRAY(out[1], HEDDLE_INT64, "(4, 2)", VALUES(0, 1, 0, 1, 0, 1, 0, 1));
    CHECK_REFUSED(heddle_meshgrid(2, two, out), HEDDLE_ESHAPE,
                  "heddle_meshgrid: argument 2 has shape (2, 3), not one axis");
    CHECK_REFUSED(heddle_meshgrid(0, two, out), HEDDLE_EARG, "heddle_meshgrid: 0 arrays");
    heddle_array *const fit[2] = {a, heddle_scalar(7)};
    CHECK_EQ(heddle_broadcast_arrays(2, fit, out), HEDDLE_OK);
    CHECK(out[0] == a);
    CHECK_ARRAY(out[1], HEDDLE_INT64, "(2, 3)", VALUES(7, 7, 7, 7, 7, 7));
    CHECK_REFUSED(heddle_broadcast_arrays(2, two, out), HEDDLE_ESHAPE,
                  "heddle_broadcast_arrays: shapes (4,) and (2, 3) do not broadcast");
}

/* ---- Views and joins -------------------------------------------------------------------------------- */

static void views(void)
{
    CHECK_EQ(heddle_diagonal(a)->kind, HEDDLE_NODE_VIEW);
    CHECK_ARRAY(heddle_diagonal(a, .offset = 1), HEDDLE_FLOAT64, "(2,)", VALUES(1, 5));
    CHECK_ARRAY(heddle_diagonal(a, .offset = -2), HEDDLE_FLOAT64, "(0,)", NOTHING);
    CHECK_EQ(heddle_moveaxis(a, 1, &(const int){0}, &(const int){1})->kind, HEDDLE_NODE_VIEW);
    CHECK_EQ(heddle_rot90(a, 1, 0, 1)->kind, HEDDLE_NODE_VIEW);
    CHECK(heddle_rot90(a, 4, 0, 1) == a);
    CHECK(heddle_roll(a, 6) == a);
    CHECK(heddle_atleast(a, 2) == a);
    CHECK_EQ(heddle_roll(row, 1)->kind, HEDDLE_NODE_ASSEMBLE);
    CHECK_ARRAY(heddle_roll(row, -1), HEDDLE_FLOAT64, "(4,)", VALUES(1, 2, 3, 0));
    CHECK_ARRAY(heddle_roll(row, INT64_MIN), HEDDLE_FLOAT64, "(4,)", VALUES(0, 1, 2, 3));
    CHECK_ARRAY(heddle_tile(row, HEDDLE_SHAPE(0)), HEDDLE_FLOAT64, "(0,)", NOTHING);
    CHECK_ARRAY(heddle_tile(heddle_zeros(HEDDLE_SHAPE(1, 1, 1, 1, 1, 2, 1, 1)),
                            HEDDLE_SHAPE(2, 1, 2, 1, 2, 2, 1, 1)),
                HEDDLE_FLOAT64, "(2, 1, 2, 1, 2, 4, 1, 1)",
                VALUES(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                       0, 0, 0, 0, 0, 0));
    CHECK_ARRAY(heddle_tile(counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(1, 1, 1, 1, 1, 2)),
                            HEDDLE_SHAPE(1, 2, 1, 1, 2, 2)),
                HEDDLE_FLOAT64, "(1, 2, 1, 1, 2, 4)",
                VALUES(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
    CHECK_ARRAY(heddle_indices(0, NULL), HEDDLE_INT64, "(0,)", NOTHING);
    CHECK_ARRAY(heddle_pad(row, HEDDLE_SHAPE(2, 0), .mode = HEDDLE_PAD_EDGE), HEDDLE_FLOAT64,
                "(6,)", VALUES(0, 0, 0, 1, 2, 3));
}

/* Every axis repeated, so that the views do not fit into eight axes at once. */
/* Halves of each axis change places at once: element i comes from (i - n / 2) mod n, or (i + n / 2) mod n. */
static void shifts_of(int ndim, const int64_t *shape, unsigned mask)
{
    int axes[HEDDLE_MAX_NDIM] = {0}, n_axes = 0;
    heddle_array *x = counting(HEDDLE_FLOAT64, ndim, shape);
    for (int d = 0; d < ndim; d++)
        if (mask >> d & 1) axes[n_axes++] = d;
    struct heddle_fftshift_options o = {.size = sizeof o, .axes = {.count = n_axes}};
    memcpy(o.axes.at, axes, sizeof axes);
    for (int back = 0; back < 2; back++) {
        heddle_array *const r =
            back ? heddle_fft_ifftshift_with(x, &o) : heddle_fft_fftshift_with(x, &o);
        const enum heddle_node_kind kind = (enum heddle_node_kind)r->kind;
        const int n_in = r->n_in;
        int64_t wrong = 0;
        for (int64_t e = 0; e < heddle_size(x); e++) {
            int64_t rest = e, stride = 1, from = 0;
            for (int d = ndim - 1; d >= 0; d--) {
                const int64_t n = shape[d], i = rest % n;
                int64_t by = mask >> d & 1 ? n / 2 : 0;
                if (!back) by = n - by;
                from += (i + by) % n * stride;
                stride *= n;
                rest /= n;
            }
            wrong += meaning_nth(r, e) != (double)from;
        }
        CHECK(wrong == 0, "%d axes, mask %x, back %d: %lld wrong", ndim, mask, back,
              (long long)wrong);
        if (ndim < 5 && heddle_size(x) > 1 && mask == 3)
            CHECK(kind == HEDDLE_NODE_ASSEMBLE && n_in == 5, "not in one pass");
    }
}

static void shifts(void)
{
    for (unsigned mask = 1; mask < 4; mask++) {
        shifts_of(2, (const int64_t[]){4, 5}, mask);
        shifts_of(2, (const int64_t[]){3, 2}, mask);
    }
    shifts_of(2, (const int64_t[]){1, 7}, 2);
    shifts_of(3, (const int64_t[]){5, 1, 6}, 7);
    shifts_of(4, (const int64_t[]){2, 3, 4, 5}, 15);
    shifts_of(6, (const int64_t[]){2, 3, 2, 3, 4, 5}, 63);
    shifts_of(8, (const int64_t[]){2, 3, 2, 2, 3, 2, 1, 5}, 255);
    CHECK_ARRAY(heddle_fft_fftshift(heddle_zeros(HEDDLE_SHAPE(3, 0))), HEDDLE_FLOAT64, "(3, 0)",
                NOTHING);
}

static void tile_by_steps(void)
{
    double data[256], expected[16];
    int64_t shape[HEDDLE_MAX_NDIM] = {1, 1, 1, 1, 1, 1, 1, 2};
    const int64_t reps[HEDDLE_MAX_NDIM] = {1, 2, 1, 1, 2, 1, 1, 2};
    for (int i = 0; i < 2; i++) data[i] = i;
    for (int i = 0; i < 16; i++) expected[i] = i % 2;
    heddle_array *x = heddle_asarray(data, HEDDLE_FLOAT64, 8, shape);
    CHECK_ARRAY(heddle_tile(x, 8, reps), HEDDLE_FLOAT64, "(1, 2, 1, 1, 2, 1, 1, 4)", 16, expected);
    const int64_t twice[HEDDLE_MAX_NDIM] = {2, 2, 2, 2, 2, 2, 2, 2};
    for (int d = 0; d < 8; d++) shape[d] = d == 0 || d == 7 ? 2 : 1;
    for (int i = 0; i < 4; i++) data[i] = i;
    x = heddle_tile(heddle_asarray(data, HEDDLE_FLOAT64, 8, shape), 8, twice);
    CHECK_EQ(heddle_size(x), 1024);
    for (int64_t i = 0; i < 1024; i++) {
        const int64_t first = i / 256, last = i % 4; /* axis 0 has 4, axis 7 has 4 */
        CHECK_EQ((int64_t)meaning_nth(x, i), 2 * (first % 2) + last % 2);
    }
}

static void errors(void)
{
    CHECK_ERROR(heddle_moveaxis(a, 2, (const int[]){0, 0}, (const int[]){0, 1}), HEDDLE_EAXIS,
                "heddle_moveaxis: axis 0 is given twice");
    CHECK_ERROR(heddle_swapaxes(a, 0, 2), HEDDLE_EAXIS,
                "heddle_swapaxes: axis 2 is out of range of shape (2, 3)");
    CHECK_ERROR(heddle_rot90(a, 1, 1, -1), HEDDLE_EARG, "heddle_rot90: axis 1 is given twice");
    CHECK_ERROR(heddle_atleast(a, 4), HEDDLE_EARG, "heddle_atleast: 4 axes; 1 to 3 it can be");
    CHECK_ERROR(heddle_tril(row, 0), HEDDLE_ESHAPE,
                "heddle_tril: shape (4,) has less than two axes");
    CHECK_ERROR(heddle_diagonal(a, .axis1 = 1, .axis2 = -1), HEDDLE_EARG,
                "heddle_diagonal: axis 1 is given twice");
    CHECK_ERROR(heddle_trace(row), HEDDLE_ESHAPE,
                "heddle_trace: shape (4,) has less than two axes");
    CHECK_ERROR(heddle_diag(heddle_scalar(1), 0), HEDDLE_ESHAPE,
                "heddle_diag: shape (), diagonal 0; it takes one axis or two");
    CHECK_ERROR(heddle_pad(a, HEDDLE_SHAPE(1, 1, 1)), HEDDLE_EARG,
                "heddle_pad: 3 widths for shape (2, 3): two, or two for each axis");
    CHECK_ERROR(heddle_pad(row, HEDDLE_SHAPE(-1, 0)), HEDDLE_EARG,
                "heddle_pad: widths -1 and 0 are negative");
    CHECK_ERROR(heddle_pad(row, HEDDLE_SHAPE(1, 1), .mode = (enum heddle_pad_mode)9), HEDDLE_EARG,
                "heddle_pad: there is no mode 9");
    CHECK_ERROR(
        heddle_pad(heddle_zeros(HEDDLE_SHAPE(0)), HEDDLE_SHAPE(1, 1), .mode = HEDDLE_PAD_WRAP),
        HEDDLE_ESHAPE, "heddle_pad: axis 0 of shape (0,) is empty");
    CHECK_ERROR(
        heddle_pad(row, HEDDLE_SHAPE(1, 1), .value = row), HEDDLE_ESHAPE,
        "heddle_pad: .value of shape (4,) for shape (4,): it is one scalar, or two, or two for "
        "each axis");
    CHECK_ERROR(
        heddle_pad(row, HEDDLE_SHAPE(1, 1), .mode = HEDDLE_PAD_EDGE, .value = heddle_scalar_int(1)),
        HEDDLE_EARG, "heddle_pad: .value in mode 1: constants have it");
    CHECK_ERROR(heddle_sliding_window_view(row, HEDDLE_SHAPE(5), NULL), HEDDLE_ESHAPE,
                "heddle_sliding_window_view: a window of 5 along axis 0 of shape (4,)");
    CHECK_ERROR(
        heddle_sliding_window_view(a, HEDDLE_SHAPE(2), NULL), HEDDLE_ESHAPE,
        "heddle_sliding_window_view: 1 extents for shape (2, 3): one for each axis, or axes");
    CHECK_ERROR(heddle_choose(row, 0, NULL), HEDDLE_EARG, "heddle_choose: 0 arrays");
    CHECK_ERROR(heddle_cumulative_max(row, .include_initial = true), HEDDLE_EARG,
                "heddle_cumulative_max: there is no initial element");
    CHECK_ERROR(heddle_cumulative_min(a), HEDDLE_EAXIS,
                "heddle_cumulative_min: shape (2, 3) has 2 axes: name one with .axis");
    CHECK_ERROR(heddle_tile(row, HEDDLE_SHAPE(-1)), HEDDLE_ESHAPE,
                "heddle_tile: negative extent in shape (-1,)");
    CHECK_EQ(heddle_status_of(heddle_tile(row, HEDDLE_SHAPE(INT64_MAX / 2))), HEDDLE_ESHAPE);
    CHECK_ERROR(heddle_repeat(row, heddle_scalar(-1)), HEDDLE_EARG, "heddle_repeat: count -1");
    CHECK_ERROR(
        heddle_repeat(row, heddle_scalar(1.5)), HEDDLE_EDTYPE,
        "heddle_repeat: repeats of dtype float64 and shape (); they are integers of at most "
        "one axis");
    CHECK_ERROR(heddle_repeat(row, heddle_zeros(HEDDLE_SHAPE(3), .dtype = HEDDLE_INT8)),
                HEDDLE_ESHAPE, "heddle_repeat: repeats of shape (3,) for axis 0 of shape (4,)");
    CHECK_ERROR(
        heddle_repeat(row, heddle_subtract(heddle_astype(row, HEDDLE_INT64), heddle_scalar(1))),
        HEDDLE_EARG, "heddle_repeat: count -1 of element 0");
    CHECK_ERROR(heddle_vstack(0, NULL), HEDDLE_EARG, "heddle_vstack: 0 arrays");
    CHECK_ERROR(heddle_hstack(HEDDLE_ARRAYS(row, NULL)), HEDDLE_EARG,
                "heddle_hstack: argument 2 is NULL");
    CHECK_ERROR(heddle_indices(8, (const int64_t[]){1, 1, 1, 1, 1, 1, 1, 1}), HEDDLE_ESHAPE,
                "heddle_indices: the result has more than 8 axes");
}

/* Along several axes, one after the other, of what no cache holds: one view then. */
static void repeats_of_repeats(void)
{
    enum { A = 2, B = 700, C = 500, ALL = A * B * C };
    static int16_t x[ALL], y[ALL * 12];
    for (int i = 0; i < ALL; i++) x[i] = (int16_t)(i * 7919);
    heddle_array *base = heddle_asarray(x, HEDDLE_INT16, HEDDLE_SHAPE(A, B, 1, C));
    static const int axes[][3] = {{1, 3, 2}, {3, 2, 1}, {2, 1, 3}, {3, 3, 3}, {0, 1, 0}};
    for (size_t t = 0; t < sizeof axes / sizeof *axes; t++) {
        int64_t times[4] = {1, 1, 1, 1};
        heddle_array *r = base;
        for (int k = 0; k < 3; k++) {
            r = heddle_repeat(r, heddle_scalar_int(k + 1 > 2 ? 3 : 2), .axis = axes[t][k]);
            times[axes[t][k]] *= k + 1 > 2 ? 3 : 2;
        }
        CHECK_EQ(heddle_read(r, y, sizeof y), HEDDLE_OK);
        int64_t at = 0, wrong = 0;
        for (int64_t i = 0; i < A * times[0]; i++)
            for (int64_t j = 0; j < B * times[1]; j++)
                for (int64_t k = 0; k < times[2]; k++)
                    for (int64_t l = 0; l < C * times[3]; l++, at++)
                        wrong += y[at] != x[(i / times[0] * B + j / times[1]) * C + l / times[3]];
        CHECK(wrong == 0, "way %zu: %lld are wrong", t, (long long)wrong);
    }
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    a = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    row = counting(HEDDLE_FLOAT64, HEDDLE_SHAPE(4));
    parts();
    grids();
    views();
    shifts();
    tile_by_steps();
    repeats_of_repeats();
    errors();
    heddle_scope_close(scope);
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
