/* Generated source of reductions over pairs: a block reduces a tile of kept elements, neighbours along the last two kept axes (or
 * the last one), whose operands each move with at most one of the two along the reduced axes, as in sums of
 * (a[:, None, :] - b[None, :, :])**2. What moves with the rows of the tile is loaded once for all columns and the other way round, by
 * way of shared memory, as in a product of matrices.
 *
 * A thread has Q rows and R columns, D apart, and all lanes of each by itself: it goes through the tree of reduce_tree.h depth first, a
 * loop of two steps for each half, and keeps what the first step gave (y<r>_<half>) until it meets the second. So the operands of each
 * addition, and the bits, are those of an element alone. The outer loops go through stages: of each M lanes, S apart, are in shared
 * memory. Up to 1024 elements are reduced, so that a lane has one. From left to right go up to 16, as the tree has them, and all whose
 * result does not depend on the order: then a stage's lanes are neighbours. Entry point: heddle__pairs. */
#include "cuda/reductions/source_reduce.h"

#include <stdio.h>

enum { UNROLLED = 3 /* halves whose two steps are in the text of one */ };

/* Whether operand k's element differs between rows, and columns, of a tile. */
static int by_row(const struct heddle_source *s, int k)
{
    return !(s->c->alike[k] & HEDDLE_ALIKE_ROWS);
}
static int by_column(const struct heddle_source *s, int k)
{
    return !(s->c->alike[k] & HEDDLE_ALIKE_COLUMNS);
}
static int is_still(const struct heddle_source *s, int k)
{
    return s->c->walk[k] == HEDDLE_WALK_STILL;
}
static int has_rows(const struct heddle_source *s)
{
    return s->c->together_rows > 1;
}

/* Whether all lanes are taken from left to right. */
static bool in_order(const struct heddle_source *s)
{
    return heddle__pairs_in_order(s->p, s->c->lanes * s->c->unroll);
}

/* What the elements of reduction r are summed up as, in a thread: those that it adds are small, so that 32 bits do. */
static const char *held_type(const struct heddle_source *s, int r, char buffer[32])
{
    return heddle__sums_small(s->p, r) ? "int" : heddle__source_accumulator(s, r, buffer);
}

static void put_neighbour(const struct heddle_source *s, int k)
{
    heddle__text_put(s->text, "%s%s", by_row(s, k) ? "[q]" : "", by_column(s, k) ? "[j]" : "");
}

static void pair_load(const struct heddle_source *s, int k)
{
    heddle__text_put(s->text, "l%d", k);
    put_neighbour(s, k);
}

static void pair_index(const struct heddle_source *s, int axis)
{
    const int last = s->c->n_kept - 1;
    heddle__text_put(s->text,
                     axis > last                       ? "(hd_int64)r%d[t]"
                     : axis == last                    ? "(hd_int64)(k%d + column + j * D)"
                     : axis == last - 1 && has_rows(s) ? "(hd_int64)(k%d + row + q)"
                                                       : "(hd_int64)k%d",
                     axis);
}

/* The tile: its first kept element, how many rows and columns there are, and the thread's first of them. */
static void put_unit(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    const int last = s->c->n_kept - 1, rows = has_rows(s);
    heddle__text_put(t, "I over = unit, next;\n");
    if (rows)
        heddle__text_put(t,
                         "next = hd_quotient(over, (I)args.v[%d], args.v[%d]);\n"
                         "const I first_row = (over - next * (I)args.v[%d]) * (Q * Y);\n"
                         "over = next;\n"
                         "const I rows_left = (I)args.v[%d] - first_row;\n"
                         "const int rows = rows_left < Q * Y ? (int)rows_left : Q * Y;\n",
                         HEDDLE_SLOT_BESIDE, HEDDLE_SLOT_MAGIC_BESIDE, HEDDLE_SLOT_BESIDE,
                         HEDDLE_SLOT_EXTENT + last - 1);
    else
        heddle__text_put(t, "const int rows = 1;\n");
    heddle__text_put(t,
                     "next = hd_quotient(over, (I)args.v[%d], args.v[%d]);\n"
                     "const I first = (over - next * (I)args.v[%d]) * (R * X);\n"
                     "over = next;\n"
                     "const I left = (I)args.v[%d] - first;\n"
                     "const int columns = left < R * X ? (int)left : R * X;\n"
                     "I k[%d];\n{\n",
                     HEDDLE_SLOT_COLUMNS, HEDDLE_SLOT_MAGIC_COLUMNS, HEDDLE_SLOT_COLUMNS,
                     HEDDLE_SLOT_EXTENT + last, last + 1);
    heddle__source_indices(s, "over", 0, last - rows, "k[", "]", "");
    heddle__text_put(t, "}\n");
    for (int d = 0; d < last - rows; d++) heddle__text_put(t, "const I k%d = k[%d];\n", d, d);
    if (rows) heddle__text_put(t, "const I k%d = first_row;\n", last - 1);
    heddle__text_put(t, "const I k%d = first;\n", last);
}

/* " + <row> * stride + <column> * stride" of those that operand k moves with: elements at an edge are others' again. */
static void put_offset(const struct heddle_source *s, int k, const char *row, const char *column)
{
    const int last = s->c->n_kept - 1, slot = heddle__cuda_operand_slot(s->c, k) + 1;
    if (by_row(s, k))
        heddle__text_put(s->text, " + (%s < rows ? %s : 0) * (I)args.v[%d]", row, row,
                         slot + last - 1);
    if (by_column(s, k))
        heddle__text_put(s->text, " + (%s < columns ? %s : 0) * (I)args.v[%d]", column, column,
                         slot + last);
}

/* Loops over those rows and columns of a thread that operand k differs between. */
static void put_loops(const struct heddle_source *s, int k)
{
    if (by_row(s, k)) heddle__text_put(s->text, "#pragma unroll\nfor (int q = 0; q < Q; q++)\n");
    if (by_column(s, k)) heddle__text_put(s->text, "#pragma unroll\nfor (int j = 0; j < R; j++)\n");
}

static void put_declaration(const struct heddle_source *s, int k)
{
    heddle__text_put(s->text, "%s l%d%s%s;\n", heddle__source_type(s->p->operand_dtype[k]), k,
                     by_row(s, k) ? "[Q]" : "", by_column(s, k) ? "[R]" : "");
}

/* What does not change along the reduced axes. */
static void put_still(const struct heddle_source *s, int k)
{
    put_declaration(s, k);
    put_loops(s, k);
    pair_load(s, k);
    heddle__text_put(s->text, " = p%d[s%d", k, k);
    put_offset(s, k, "(row + q)", "(column + j * D)");
    heddle__text_put(s->text, "];\n");
}

/* Indices along the reduced axes of lane `lane`, for the functions that name them r<a>[..]. */
static void put_reduced(const struct heddle_source *s)
{
    for (int a = s->c->n_kept; a < s->c->n_kept + s->c->n_reduced; a++)
        heddle__text_put(s->text, "I r%d[1];\n", a);
    heddle__text_put(s->text, "{\n");
    heddle__source_indices(s, "(lane < n ? lane : 0)", s->c->n_kept, s->c->n_reduced, "r", "[0]",
                           "");
    heddle__text_put(s->text, "}\n");
}

static const char *width_of(const struct heddle_source *s, int k)
{
    return by_row(s, k) ? "(Q * Y)" : by_column(s, k) ? "(R * X)" : "1";
}

/* Operand k's elements of a stage's lanes to shared memory, g<k>[lane][row or column]; those of lanes that have no element are the
 * first one's. Neighbouring threads take neighbours in memory. */
static void put_stage(const struct heddle_source *s, int k)
{
    struct heddle_text *t = s->text;
    const char *const width = width_of(s, k);
    const int along = s->c->walk[k] == HEDDLE_WALK_UNIT;
    heddle__text_put(t, "#pragma unroll 4\nfor (int e = threadIdx.x; e < M * %s; e += 256) {\n",
                     width);
    if (along)
        heddle__text_put(t, "const int of_stage = e %% M, at = e / M;\n");
    else
        heddle__text_put(t, "const int of_stage = e / %s, at = e %% %s;\n", width, width);
    heddle__text_put(t, "const I lane = stage + (I)of_stage * S;\n");
    put_reduced(s);
    heddle__text_put(t, "g%d[of_stage][at] = p%d[", k, k);
    heddle__source_element_offset(s, k, "0");
    put_offset(s, k, "at", "at");
    heddle__text_put(t, "];\n}\n");
}

/* "const <type> <name> = <sum of the loops' steps h<half> * half>" for the halves from..to-1, divided by `from`. */
static void put_steps(const struct heddle_source *s, const char *declaration, int from, int to)
{
    heddle__text_put(s->text, "%s = 0", declaration);
    for (int half = from; half < to; half *= 2)
        heddle__text_put(s->text, " + h%d * %d", half, half / from);
    heddle__text_put(s->text, ";\n");
}

/* x<r>[..] of all elements of the thread from the lane's. */
static void put_elements(const struct heddle_source *s, const uint8_t loaded[])
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    const struct heddle_source_names names = {pair_load, pair_index,
                                              heddle__source_is_quick(p, p->n_before), NULL, 0};
    char type[32];
    for (int k = 0; k < p->n_operands; k++) {
        if (!loaded[k] || is_still(s, k)) continue;
        put_declaration(s, k);
        put_loops(s, k);
        pair_load(s, k);
        heddle__text_put(t, " = g%d[of_stage][%s];\n", k,
                         by_row(s, k)      ? "row + q"
                         : by_column(s, k) ? "column + j * D"
                                           : "0");
    }
    put_reduced(s);
    if (names.in_compute) heddle__text_put(t, HEDDLE_COMPUTE_BEGIN, "true");
    heddle__text_put(t, "#pragma unroll\nfor (int q = 0; q < Q; q++)\n"
                        "#pragma unroll\nfor (int j = 0; j < R; j++) {\nconstexpr int t = 0;\n");
    for (int r = 0; r < p->n_reductions; r++)
        heddle__text_put(t, "%s e%d[1];\n", held_type(s, r, type), r);
    for (int i = 0; i < p->n_before; i++) heddle__source_instr(s, i, &names);
    heddle__source_values(s);
    for (int r = 0; r < p->n_reductions; r++) {
        if (heddle__sums_small(p, r)) /* not by way of what it is cast to */
            heddle__text_put(t, "e%d[t] = (int)v%d;\n", r, p->instrs[p->reductions[r].value].a);
        heddle__text_put(t, "x%d[q * R + j] = e%d[t];\n", r, r);
    }
    heddle__text_put(t, names.in_compute ? "}\n" HEDDLE_COMPUTE_END : "}\n");
}

/* The second step of a half meets the first one's. */
static void put_meeting(const struct heddle_source *s, int half, int may_lack)
{
    struct heddle_text *t = s->text;
    char y[32], x[32];
    for (int second = 0; second < 2; second++) {
        heddle__text_put(t, second ? "else " : "if (h%d == 0) ", half);
        if (second && may_lack) heddle__text_put(t, "if (lane < n) ");
        heddle__text_put(t, "{\n#pragma unroll\nfor (int i = 0; i < Q * R; i++) {\n");
        for (int r = 0; r < s->p->n_reductions; r++) {
            snprintf(y, sizeof y, "y%d_%d[i]", r, half);
            snprintf(x, sizeof x, "x%d[i]", r);
            if (second)
                heddle__source_combine(s, r, y, x);
            else
                heddle__text_put(t, "%s = %s;\n", y, x);
        }
        heddle__text_put(t, "}\n}\n");
    }
    heddle__text_put(t, "}\n#pragma unroll\nfor (int i = 0; i < Q * R; i++) {\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t, "x%d[i] = y%d_%d[i];\n", r, r, half);
    heddle__text_put(t, "}\n");
}

static void put_results(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    const int last = s->c->n_kept - 1;
    char type[32];
    heddle__text_put(t, "#pragma unroll\nfor (int q = 0; q < Q; q++)\n"
                        "#pragma unroll\nfor (int j = 0; j < R; j++)\n"
                        "if (row + q < rows && column + j * D < columns) {\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t, "const %s a%d = x%d[q * R + j];\n",
                         heddle__source_accumulator(s, r, type), r, r);
    heddle__text_put(t, "const I k%d = first + column + j * D;\n", last);
    if (has_rows(s)) heddle__text_put(t, "const I k%d = first_row + row + q;\n", last - 1);
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n");
}

void heddle__pairs_shared(const struct heddle_source *s)
{
    const struct heddle_cuda_class *c = s->c;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    heddle__text_put(s->text,
                     "constexpr int Q = %d, R = %d, X = %d, Y = 256 / X, M = %d, S = %d, D = %s;\n",
                     c->together_rows, c->together, c->across, c->lanes,
                     in_order(s) ? 1 : c->unroll, has_rows(s) ? "1" : "X");
    heddle__source_loaded_before(s->p, loaded);
    for (int k = 0; k < s->p->n_operands; k++)
        if (loaded[k] && !is_still(s, k)) /* a row more than a power of two, for the banks */
            heddle__text_put(s->text, "__shared__ __align__(16) %s g%d[M][%s%s];\n",
                             heddle__source_type(s->p->operand_dtype[k]), k, width_of(s, k),
                             by_row(s, k) || by_column(s, k) ? " + 4" : "");
}

static void put_lanes(const struct heddle_source *s, const uint8_t loaded[])
{
    struct heddle_text *t = s->text;
    heddle__text_put(t, "__syncthreads();\n");
    for (int k = 0; k < s->p->n_operands; k++)
        if (loaded[k] && !is_still(s, k)) put_stage(s, k);
    heddle__text_put(t, "__syncthreads();\n");
}

/* All elements, from left to right. */
static void put_in_order(const struct heddle_source *s, const uint8_t loaded[])
{
    struct heddle_text *t = s->text;
    char type[32], x[32], y[32];
    for (int r = 0; r < s->p->n_reductions; r++) {
        const char *const neutral = heddle__source_neutral(s, r);
        heddle__text_put(t, "%s y%d[Q * R];\n", held_type(s, r, type), r);
        if (!neutral) continue;
        heddle__text_put(t, "#pragma unroll\nfor (int i = 0; i < Q * R; i++) y%d[i] = %s;\n", r,
                         neutral);
    }
    heddle__text_put(t, "for (I stage = 0; stage < n; stage += M) {\n");
    put_lanes(s, loaded);
    heddle__text_put(t, "const int n_lanes = n - stage < M ? (int)(n - stage) : M;\n"
                        "#pragma unroll 4\n"
                        "for (int of_stage = 0; of_stage < n_lanes; of_stage++) {\n"
                        "const I lane = stage + of_stage;\n");
    put_elements(s, loaded);
    heddle__text_put(t, "#pragma unroll\nfor (int i = 0; i < Q * R; i++) {\n");
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(x, sizeof x, "x%d[i]", r);
        snprintf(y, sizeof y, "y%d[i]", r);
        if (!heddle__source_neutral(s, r))
            heddle__text_put(t, "if (lane == 0) %s = %s;\nelse ", y, x);
        if (heddle__sums_small(s->p, r))
            heddle__text_put(t, "%s += %s;\n", y, x);
        else
            heddle__source_combine(s, r, y, x);
    }
    heddle__text_put(t, "}\n}\n}\n#pragma unroll\nfor (int i = 0; i < Q * R; i++) {\n");
    for (int r = 0; r < s->p->n_reductions; r++) heddle__text_put(t, "x%d[i] = y%d[i];\n", r, r);
    heddle__text_put(t, "}\n");
}

void heddle__pairs(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    const int stages = s->c->unroll, all = s->c->lanes * stages;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    char type[32];
    heddle__source_loaded_before(p, loaded);
    put_unit(s);
    heddle__text_put(t,
                     "const int row = (int)threadIdx.x / X * Q, column = (int)threadIdx.x %% X * "
                     "(D == 1 ? R : 1);\n"
                     "const I n = (I)args.v[%d];\n",
                     HEDDLE_SLOT_CHUNK);
    heddle__source_offsets(s);
    for (int k = 0; k < p->n_operands; k++)
        if (loaded[k] && is_still(s, k)) put_still(s, k);
    for (int r = 0; r < p->n_reductions; r++)
        heddle__text_put(t, "%s x%d[Q * R];\n", held_type(s, r, type), r);
    if (in_order(s)) {
        put_in_order(s, loaded);
        put_results(s, pass);
        return;
    }
    for (int half = 1; half <= all; half *= 2) {
        if (half == stages) {
            put_steps(s, "const I stage", 1, stages);
            put_lanes(s, loaded);
        }
        if (half == all) break;
        for (int r = 0; r < p->n_reductions; r++)
            heddle__text_put(t, "%s y%d_%d[Q * R];\n", heddle__source_accumulator(s, r, type), r,
                             half);
        heddle__text_put(t, "#pragma unroll %d\nfor (int h%d = 0; h%d < 2; h%d++) {\n",
                         half << UNROLLED >= all ? 2 : 1, half, half, half);
    }
    put_steps(s, "const int of_stage", stages, all);
    heddle__text_put(t, "const I lane = stage + (I)of_stage * S;\nif (h%d == 0 || lane < n) {\n",
                     all / 2);
    put_elements(s, loaded);
    heddle__text_put(t, "}\n");
    for (int half = all / 2; half > 0; half /= 2) put_meeting(s, half, half == all / 2);
    put_results(s, pass);
}
