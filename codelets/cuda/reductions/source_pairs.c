/* Generated source of reductions over pairs: a warp reduces Q by R kept elements, neighbours along the last two kept axes (or the
 * last one, Q = 1), whose operands each move with at most one of the two, as in sums of (a[:, None, :] - b[None, :, :])**2.
 * What moves with the rows is loaded once for all R columns, what moves with the columns once for Q rows.
 *
 * Each thread has T of a row's lanes for every element, as a warp that has one element alone; what differs is how the lanes of
 * different threads meet. At half h of the tree (16, 8, 4, 2, 1) two elements go together: the threads without bit h of their
 * number go on with the first one, the others with the second, and each sends its partner what that one goes on with. So a half
 * takes one exchange for two elements, not one for each, and in the end each thread has one element's result. The operands of each
 * addition, and so the bits, are those of the element alone. Entry point: heddle__pairs. */
#include "cuda/reductions/source_reduce.h"

#include <stdio.h>

/* How far operand k's element is from that of the first row and column, for a row and a column. */
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

static void pair_load(const struct heddle_source *s, int k)
{
    if (is_still(s, k))
        heddle__text_put(s->text, by_row(s, k) && !by_column(s, k) ? "b%d[q]" : "b%d", k);
    else
        heddle__text_put(s->text, by_row(s, k) ? "l%d[q * T + t]" : "l%d[t]", k);
}

static void pair_index(const struct heddle_source *s, int axis)
{
    const int last = s->c->n_kept - 1;
    const char *const form = axis > last                                   ? "(hd_int64)r%d[t]"
                             : axis == last                                ? "(hd_int64)(k%d + j)"
                             : axis == last - 1 && s->c->together_rows > 1 ? "(hd_int64)(k%d + q)"
                                                                           : "(hd_int64)k%d";
    heddle__text_put(s->text, form, axis);
}

/* The unit's first kept element, and how many rows and columns there are. Units of different rows come first: the warps of a
 * block share columns. */
static void put_unit(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    const int last = s->c->n_kept - 1, has_rows = s->c->together_rows > 1;
    heddle__text_put(t, "constexpr int Q = %d, R = %d, T = %d;\nI over = unit, next;\n",
                     s->c->together_rows, s->c->together, s->c->lanes);
    if (has_rows)
        heddle__text_put(t,
                         "next = hd_quotient(over, (I)args.v[%d], args.v[%d]);\n"
                         "const I first_row = (over - next * (I)args.v[%d]) * Q;\n"
                         "over = next;\n"
                         "const I rows_left = (I)args.v[%d] - first_row;\n"
                         "const int rows = rows_left < Q ? (int)rows_left : Q;\n",
                         HEDDLE_SLOT_BESIDE, HEDDLE_SLOT_MAGIC_BESIDE, HEDDLE_SLOT_BESIDE,
                         HEDDLE_SLOT_EXTENT + last - 1);
    else
        heddle__text_put(t, "const int rows = 1;\n");
    heddle__text_put(t,
                     "next = hd_quotient(over, (I)args.v[%d], args.v[%d]);\n"
                     "const I first = (over - next * (I)args.v[%d]) * R;\n"
                     "over = next;\n"
                     "const I left = (I)args.v[%d] - first;\n"
                     "const int count = left < R ? (int)left : R;\n"
                     "const I n = (I)args.v[%d];\n"
                     "I k[%d];\n{\n",
                     HEDDLE_SLOT_COLUMNS, HEDDLE_SLOT_MAGIC_COLUMNS, HEDDLE_SLOT_COLUMNS,
                     HEDDLE_SLOT_EXTENT + last, HEDDLE_SLOT_CHUNK, last + 1);
    heddle__source_indices(s, "over", 0, last - has_rows, "k[", "]", "");
    heddle__text_put(t, "}\n");
    for (int d = 0; d < last - has_rows; d++) heddle__text_put(t, "const I k%d = k[%d];\n", d, d);
    if (has_rows) heddle__text_put(t, "const I k%d = first_row;\n", last - 1);
    heddle__text_put(t, "const I k%d = first;\nconst int of_warp = threadIdx.x & 31;\n", last);
}

/* " + <row> * stride + <column> * stride" of those that operand k moves with: elements at an edge are others' again. */
static void put_neighbour(const struct heddle_source *s, int k)
{
    const int last = s->c->n_kept - 1, slot = heddle__cuda_operand_slot(s->c, k) + 1;
    if (by_row(s, k))
        heddle__text_put(s->text, " + (q < rows ? q : 0) * (I)args.v[%d]", slot + last - 1);
    if (by_column(s, k))
        heddle__text_put(s->text, " + (j < count ? j : 0) * (I)args.v[%d]", slot + last);
}

/* The elements of operand k, of one row and column or of `rows` of them. */
static void put_loads(const struct heddle_source *s, int k, int rows)
{
    struct heddle_text *t = s->text;
    const char *const type = heddle__source_type(s->p->operand_dtype[k]);
    const int still = is_still(s, k);
    if (still)
        heddle__text_put(t, rows ? "%s b%d[Q];\n" : "%s b%d;\n", type, k);
    else
        heddle__text_put(t, rows ? "%s l%d[Q * T];\n" : "%s l%d[T];\n", type, k);
    if (rows) heddle__text_put(t, "#pragma unroll\nfor (int q = 0; q < Q; q++)\n");
    if (!still) heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < T; t++)\n");
    pair_load(s, k);
    heddle__text_put(t, " = p%d[", k);
    if (still)
        heddle__text_put(t, "s%d", k);
    else
        heddle__source_element_offset(s, k, "t");
    put_neighbour(s, k);
    heddle__text_put(t, "];\n");
}

/* Indices along the reduced axes; a lane without an element reads the first one's, which nothing takes. */
static void put_reduced(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    for (int a = s->c->n_kept; a < s->c->n_kept + s->c->n_reduced; a++)
        heddle__text_put(t, "I r%d[T];\n", a);
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < T; t++) {\n"
                        "const I f = of_warp + 32 * t;\n");
    heddle__source_indices(s, "(f < n ? f : 0)", s->c->n_kept, s->c->n_reduced, "r", "[t]", "");
    heddle__text_put(t, "}\n");
}

/* a<r>: the thread's lanes of row q and column j. */
static void put_element(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    const struct heddle_source_names names = {pair_load, pair_index,
                                              heddle__source_is_quick(p, p->n_before)};
    char type[32];
    for (int r = 0; r < p->n_reductions; r++) {
        heddle__source_accumulator(s, r, type);
        heddle__text_put(t, "%s e%d[T];\n", type, r);
    }
    if (names.in_compute) heddle__text_put(t, HEDDLE_COMPUTE_BEGIN, "true");
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < T; t++) {\n");
    for (int i = 0; i < p->n_before; i++) heddle__source_instr(s, i, &names);
    heddle__source_values(s);
    heddle__text_put(t, names.in_compute ? "}\n" HEDDLE_COMPUTE_END : "}\n");
    heddle__source_fold(s, "e", "of_warp", 32, s->c->lanes, 0);
    for (int r = 0; r < p->n_reductions; r++) heddle__text_put(t, "a%d = e%d[0];\n", r, r);
}

/* Two elements' lanes meet at half `half`: y<r>_<half> of the first, a<r> of the second. */
static void put_meeting(const struct heddle_source *s, int half)
{
    struct heddle_text *t = s->text;
    char type[32];
    for (int r = 0; r < s->p->n_reductions; r++) {
        heddle__source_accumulator(s, r, type);
        heddle__text_put(t,
                         "{\nconst bool up = of_warp & %d;\n"
                         "const %s own = up ? a%d : y%d_%d;\n"
                         "const %s got = hd_from_lane(up ? y%d_%d : a%d, of_warp ^ %d);\n"
                         "const %s right = up ? own : got;\n"
                         "a%d = up ? got : own;\n",
                         half, type, r, r, half, type, r, half, r, half, type, r);
        char a[16];
        snprintf(a, sizeof a, "a%d", r);
        if (half == 16) heddle__text_put(t, "if ((of_warp | 16) < n) ");
        heddle__source_combine(s, r, a, "right");
        heddle__text_put(t, "}\n");
    }
}

/* "<name> = bit + 2 * bit ...": of the loops' variables h<half>, or of a thread's number, from half `first` down, `n` bits. */
static void put_bits(const struct heddle_source *s, const char *name, int first, int n,
                     int of_loops)
{
    heddle__text_put(s->text, "const int %s = 0", name);
    for (int i = 0, half = first; i < n; i++, half /= 2)
        heddle__text_put(s->text, of_loops ? " + h%d * %d" : " + ((of_warp & %d) != 0) * %d", half,
                         1 << i);
    heddle__text_put(s->text, ";\n");
}

static int log2_of(int x)
{
    int n = 0;
    while (x > 1) {
        x /= 2;
        n++;
    }
    return n;
}

void heddle__pairs(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    const int row_bits = log2_of(s->c->together_rows), column_bits = log2_of(s->c->together),
              column_half = 16 >> row_bits, last = s->c->n_kept - 1;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    char type[32];
    heddle__source_loaded_before(p, loaded);
    put_unit(s);
    heddle__source_offsets(s);
    put_reduced(s);
    for (int k = 0; k < p->n_operands; k++)
        if (loaded[k] && !by_column(s, k)) put_loads(s, k, by_row(s, k));
    for (int r = 0; r < p->n_reductions; r++)
        heddle__text_put(t, "%s a%d;\n", heddle__source_accumulator(s, r, type), r);
    for (int half = 1; half <= 16; half *= 2) {
        for (int r = 0; r < p->n_reductions; r++)
            heddle__text_put(t, "%s y%d_%d;\n", heddle__source_accumulator(s, r, type), r, half);
        /* rows are in registers, whose numbers must be known */
        heddle__text_put(t, half > column_half ? "#pragma unroll\n" : "#pragma unroll 1\n");
        heddle__text_put(t, "for (int h%d = 0; h%d < 2; h%d++) {\n", half, half, half);
        if (half != column_half) continue;
        put_bits(s, "j", column_half, column_bits, 1);
        for (int k = 0; k < p->n_operands; k++)
            if (loaded[k] && by_column(s, k) && !by_row(s, k)) put_loads(s, k, 0);
    }
    put_bits(s, "q", 16, row_bits, 1);
    for (int k = 0; k < p->n_operands; k++)
        if (loaded[k] && by_column(s, k) && by_row(s, k)) put_loads(s, k, 0);
    put_element(s);
    for (int half = 16; half > 0; half /= 2) {
        heddle__text_put(t, "if (h%d == 0) {\n", half);
        for (int r = 0; r < p->n_reductions; r++)
            heddle__text_put(t, "y%d_%d = a%d;\n", r, half, r);
        heddle__text_put(t, "} else {\n");
        put_meeting(s, half);
        heddle__text_put(t, "}\n}\n");
    }
    put_bits(s, "q", 16, row_bits, 0);
    put_bits(s, "j", column_half, column_bits, 0);
    heddle__text_put(t, "if (q < rows && j < count) {\nconst I k%d = first + j;\n", last);
    if (row_bits > 0) heddle__text_put(t, "const I k%d = first_row + q;\n", last - 1);
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n");
}
