/* Proves that kernels as CuPy's users write them give what they should: each row of the tables through the calls of C and
 * as a line of the language, for each of its types, over arguments in several orientations, beside an oracle in plain C
 * loops over numbers of 64 bits. With `compiled`, only some types, as each takes a compiler's time. */
#include "retold.h"

#include "check_heddle.h"
#include "random_words.h"

#include <heddle.h>
#include <stdlib.h>

enum { ROWS = 13, COLUMNS = 21, MOST = 1024 };
enum { PLAIN, ROW_BELOW, TRANSPOSED, REVERSED, EMPTY, ONE, N_FORMS };

static const struct {
    char type;
    enum heddle_dtype dtype;
} types[] = {{'b', HEDDLE_UINT8},   {'i', HEDDLE_INT32},     {'l', HEDDLE_INT64},
             {'I', HEDDLE_UINT32},  {'L', HEDDLE_UINT64},    {'f', HEDDLE_FLOAT32},
             {'d', HEDDLE_FLOAT64}, {'F', HEDDLE_COMPLEX64}, {'D', HEDDLE_COMPLEX128}};

static enum heddle_dtype dtype_of(char type)
{
    size_t i = 0;
    while (i < sizeof types / sizeof *types - 1 && types[i].type != type) i++;
    return types[i].dtype;
}

static bool is_whole(enum heddle_dtype dtype)
{
    return heddle_dtype_kind(dtype) != 'F' && heddle_dtype_kind(dtype) != 'C';
}

/* ---- Columns ----------------------------------------------------------------------------------------- */

static struct retold_column new_column(int64_t size)
{
    struct retold_column c = {.size = size};
    c.re = calloc((size_t)size + 1, sizeof *c.re);
    c.im = calloc((size_t)size + 1, sizeof *c.im);
    c.whole = calloc((size_t)size + 1, sizeof *c.whole);
    return c;
}

static void free_column(struct retold_column *c)
{
    free(c->re);
    free(c->im);
    free(c->whole);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double rounded(double x, enum heddle_dtype dtype)
{
    const bool single = dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_COMPLEX64;
    if (dtype == HEDDLE_UINT8) return fmod(floor(x), 256);
    return is_whole(dtype) ? floor(x) : single ? (double)(float)x : x;
}

static struct retold_column drawn(const struct retold_input *input, enum heddle_dtype dtype,
                                  int64_t size)
{
    const struct retold_column c = new_column(size);
    const double range = input->hi - input->lo;
    for (int64_t i = 0; i < size; i++) {
        c.re[i] = rounded(input->lo + range * random_part(), dtype);
        if (heddle_dtype_kind(dtype) == 'C')
            c.im[i] = rounded(input->lo + range * random_part(), dtype);
    }
    if (input->order == RETOLD_SORTED) qsort(c.re, (size_t)size, sizeof *c.re, compare);
    if (input->order == RETOLD_SORTED && is_whole(dtype)) { /* starts of rows */
        c.re[0] = 0;
        c.re[size - 1] = input->hi;
    }
    for (int64_t i = 0; i < size; i++) c.whole[i] = is_whole(dtype) ? (int64_t)c.re[i] : 0;
    return c;
}

/* An array of the column's numbers, whatever its dtype. */
static heddle_array *array_of(const struct retold_column *c, enum heddle_dtype dtype, int64_t rows,
                              int64_t columns)
{
    if (is_whole(dtype))
        return heddle_astype(heddle_asarray(c->whole, HEDDLE_INT64, HEDDLE_SHAPE(rows, columns)),
                             dtype);
    heddle_array *const re = heddle_asarray(c->re, HEDDLE_FLOAT64, HEDDLE_SHAPE(rows, columns));
    if (heddle_dtype_kind(dtype) != 'C') return heddle_astype(re, dtype);
    heddle_array *const im = heddle_asarray(c->im, HEDDLE_FLOAT64, HEDDLE_SHAPE(rows, columns));
    const double i[2] = {0, 1};
    heddle_array *const unit = heddle_asarray(i, HEDDLE_COMPLEX128, HEDDLE_NO_SHAPE);
    return heddle_astype(heddle_add(re, heddle_multiply(im, unit)), dtype);
}

static struct retold_column column_of(heddle_array *a)
{
    struct retold_column c = new_column(heddle_size(a));
    const enum heddle_dtype dtype = heddle_dtype_of(a),
                            to = is_whole(dtype) ? HEDDLE_INT64 : HEDDLE_COMPLEX128;
    double *const both = calloc((size_t)c.size + 1, 16);
    heddle_array *const wide = heddle_astype(a, to);
    const enum heddle_status status =
        heddle_read(wide, is_whole(dtype) ? (void *)c.whole : both, heddle_nbytes(wide));
    CHECK(status == HEDDLE_OK, "%s", heddle_error(wide));
    for (int64_t i = 0; i < c.size && !is_whole(dtype); i++) {
        c.re[i] = both[2 * i];
        c.im[i] = both[2 * i + 1];
    }
    free(both);
    return c;
}

/* ---- Arguments --------------------------------------------------------------------------------------- */

struct arguments {
    int n_in, n_out;
    heddle_array *in[RETOLD_INPUTS];
    struct retold_set set;
};

static int count(const char *parameters)
{
    int n = *parameters != 0;
    for (; *parameters; parameters++) n += *parameters == ',';
    return n;
}

/* The input as an array, and as the oracle sees it. */
static void make_input(struct arguments *a, int k, const struct retold_input *input,
                       enum heddle_dtype dtype, int form)
{
    const int64_t rows = a->set.rows, columns = a->set.columns, n = rows * columns;
    struct retold_column *const seen = &a->set.in[k];
    if (input->order == RETOLD_NUMBER) {
        *seen = new_column(n);
        for (int64_t i = 0; i < n; i++) {
            seen->re[i] = input->lo;
            seen->whole[i] = (int64_t)input->lo;
        }
        a->in[k] = heddle_scalar(input->lo);
        return;
    }
    const bool is_row = form == ROW_BELOW && k > 0 && k == a->n_in - 1;
    const bool is_transposed = form == TRANSPOSED && k == 0;
    const int64_t size = input->raw > 0 ? input->raw : is_row ? columns : n;
    struct retold_column given = drawn(input, dtype, size);
    if (input->raw == -1)
        a->in[k] = array_of(&given, dtype, rows, columns);
    else if (input->raw || is_row)
        a->in[k] = heddle_reshape(array_of(&given, dtype, 1, size), 1, &size);
    else if (is_transposed)
        a->in[k] = heddle_matrix_transpose(array_of(&given, dtype, columns, rows));
    else
        a->in[k] = array_of(&given, dtype, rows, columns);
    const bool reversed = form == REVERSED && input->order == RETOLD_DRAWN;
    if (reversed) a->in[k] = heddle_flip(a->in[k]);
    *seen = new_column(input->raw > 0 ? size : n);
    for (int64_t i = 0; i < seen->size; i++) {
        int64_t from = is_row ? i % columns : is_transposed ? i % columns * rows + i / columns : i;
        if (reversed) from = seen->size - 1 - i;
        seen->re[i] = given.re[from];
        seen->im[i] = given.im[from];
        seen->whole[i] = given.whole[from];
    }
    free_column(&given);
}

static void make_arguments(struct arguments *a, const struct retold *row, char type, int form)
{
    *a = (struct arguments){.n_in = count(row->in), .n_out = count(row->out)};
    a->set.rows = row->rows ? row->rows : form == EMPTY ? 0 : form == ONE ? 1 : ROWS;
    a->set.columns = row->rows ? row->columns : form == ONE ? 1 : COLUMNS;
    a->set.n = a->set.rows * a->set.columns;
    for (int k = 0; k < a->n_in; k++) {
        const char given = row->inputs[k].type;
        make_input(a, k, &row->inputs[k], dtype_of(given == 'T' ? type : given), form);
    }
    for (int k = 0; k < a->n_out; k++) a->set.out[k] = new_column(a->set.n);
    row->oracle(&a->set);
}

static void free_arguments(struct arguments *a)
{
    for (int k = 0; k < a->n_in; k++) free_column(&a->set.in[k]);
    for (int k = 0; k < a->n_out; k++) free_column(&a->set.out[k]);
}

/* ---- Checks ------------------------------------------------------------------------------------------- */

static bool near(double x, double right, const struct retold *row, enum heddle_dtype dtype)
{
    const bool single = dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_COMPLEX64;
    const double unit = single ? 0x1p-23 : 0x1p-52;
    return x == right || (isnan(x) && isnan(right)) ||
           fabs(x - right) <= row->ulp * unit * fmax(fabs(right), row->scale);
}

static void check_output(const struct retold *row, char type, int form, const char *way, int k,
                         heddle_array *z, const struct retold_column *right)
{
    CHECK(heddle_status_of(z) == HEDDLE_OK, "%s, %s: %s", row->name, way, heddle_error(z));
    if (heddle_status_of(z) != HEDDLE_OK) return;
    CHECK_EQ(heddle_size(z), right->size);
    const enum heddle_dtype dtype = heddle_dtype_of(z);
    struct retold_column got = column_of(z);
    int64_t i = 0;
    while (i < right->size && (is_whole(dtype) ? got.whole[i] == right->whole[i]
                                               : near(got.re[i], right->re[i], row, dtype) &&
                                                     near(got.im[i], right->im[i], row, dtype)))
        i++;
    CHECK(i == right->size,
          "%s of %c, form %d, %s: output %d [%lld] is %.17g %.17g %lld, not %.17g %.17g %lld",
          row->name, type, form, way, k, (long long)i, got.re[i], got.im[i],
          (long long)got.whole[i], right->re[i], right->im[i], (long long)right->whole[i]);
    free_column(&got);
}

static void call_by_c(const struct retold *row, const struct arguments *a, heddle_array *out[])
{
    heddle_kernel *const k =
        heddle_kernel_with_preamble(row->preamble, row->in, row->out, row->operation, row->name);
    const enum heddle_status status =
        row->rows ? heddle_kernel_call(k, a->n_in, a->in, a->n_out, out,
                                       .shape = HEDDLE_LENGTHS(row->rows, row->columns))
                  : heddle_kernel_call(k, a->n_in, a->in, a->n_out, out);
    CHECK(status == HEDDLE_OK, "%s: %s", row->name, heddle_last_error());
    heddle_kernel_release(k);
}

/* The same as a line: k = ElementwiseKernel(...); r0, r1 = k(a0, a1, 3, size=(9, 14)). */
static void call_by_text(const struct retold *row, const struct arguments *a, heddle_array *out[])
{
    char text[4000], arguments[300] = "", results[60] = "", size[60] = "";
    struct heddle_binding in[RETOLD_INPUTS], made[RETOLD_OUTPUTS];
    static const char *const in_names[RETOLD_INPUTS] = {"a0", "a1", "a2", "a3", "a4", "a5"};
    static const char *const out_names[RETOLD_OUTPUTS] = {"r0", "r1", "r2"};
    for (int k = 0; k < a->n_in; k++) {
        const size_t n = strlen(arguments);
        in[k] = (struct heddle_binding){in_names[k], a->in[k]};
        if (row->inputs[k].order == RETOLD_NUMBER)
            snprintf(arguments + n, sizeof arguments - n, "%.17g, ", row->inputs[k].lo);
        else
            snprintf(arguments + n, sizeof arguments - n, "a%d, ", k);
    }
    for (int k = 0; k < a->n_out; k++) {
        made[k] = (struct heddle_binding){out_names[k], NULL};
        snprintf(results + strlen(results), sizeof results - strlen(results), "%sr%d",
                 k ? ", " : "", k);
    }
    if (row->rows)
        snprintf(size, sizeof size, "size=(%lld, %lld)", (long long)row->rows,
                 (long long)row->columns);
    snprintf(text, sizeof text,
             "k = ElementwiseKernel(\"%s\", \"%s\", \"\"\"%s\"\"\", \"%s\", "
             "preamble=\"\"\"%s\"\"\")\n%s = k(%s%s)",
             row->in, row->out, row->operation, row->name, row->preamble ? row->preamble : "",
             results, arguments, size);
    const enum heddle_status status = heddle_expr_run(text, a->n_in, in, a->n_out, made);
    CHECK(status == HEDDLE_OK, "%s: %s", row->name, heddle_last_error());
    for (int k = 0; k < a->n_out; k++) out[k] = made[k].array;
}

static void check_row(const struct retold *row, char type, int form)
{
    static void (*const ways[])(const struct retold *, const struct arguments *,
                                heddle_array *[]) = {call_by_c, call_by_text};
    static const char *const names[] = {"by C", "by text"};
    struct arguments a;
    heddle_scope scope = heddle_scope_open();
    make_arguments(&a, row, type, form);
    for (int w = 0; w < 2; w++) {
        heddle_array *out[RETOLD_OUTPUTS] = {NULL, NULL, NULL};
        ways[w](row, &a, out);
        for (int k = 0; k < a.n_out && out[k]; k++)
            check_output(row, type, form, names[w], k, out[k], &a.set.out[k]);
    }
    free_arguments(&a);
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    static const struct retold *const tables[] = {retold_functions, retold_models, retold_integers,
                                                  retold_gathers, retold_programs};
    const int no = check_started();
    if (no) return no;
    const bool some = argc > 1 && !strcmp(argv[1], "compiled");
    int n = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct retold *row = tables[t]; row->name; row++, n++)
            for (const char *type = row->types; *type && !(some && type > row->types); type++)
                for (int form = 0; form < N_FORMS; form++)
                    if (!row->rows || form == PLAIN || form == REVERSED)
                        check_row(row, *type, form);
    fprintf(stderr, "%d kernels\n", n);
    check_nothing_left();
    return check_done();
}
