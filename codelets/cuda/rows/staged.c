/* Which operands of short rows go through shared memory, and the text that moves them. Entry points: staged.h. */
#include "cuda/rows/staged.h"

#include "cuda/source.h"

/* ---- Rooms ------------------------------------------------------------------------------------------- */

/* Rows one after the other, without gaps. */
static bool lies_together(const struct heddle_rows *rows, int u)
{
    const struct heddle_rows_operand *o = &rows->operand[u];
    return !o->is_row && !o->is_passed && o->step == 1 && o->period == 0 && rows->n_kept == 1 &&
           o->stride[0] == rows->length;
}

static bool is_staged(const struct heddle_rows_class *c, int u, int made)
{
    return c->kind[u] & HEDDLE_ROWS_IS_STAGED && (c->kind[u] & HEDDLE_ROWS_IS_MADE) == made;
}

static bool has_staged(const struct heddle_rows_class *c, int made)
{
    for (int u = 0; u < c->n_operands; u++)
        if (is_staged(c, u, made)) return true;
    return false;
}

bool heddle__rows_staged(const struct heddle_rows_class *c)
{
    return has_staged(c, 0);
}

/* The staged operand in whose room what is made goes: a loaded one of the same dtype, or itself. */
static int room_of(const struct heddle_rows *rows, const struct heddle_rows_class *c, int made)
{
    for (int u = 0; u < c->n_operands; u++) {
        bool is_free = is_staged(c, u, 0) && rows->operand[u].dtype == rows->operand[made].dtype;
        for (int k = 0; k < c->n_operands && is_free; k++)
            is_free = !is_staged(c, k, HEDDLE_ROWS_IS_MADE) || c->room[k] != u;
        if (is_free) return u;
    }
    return made;
}

void heddle__rows_stage(const struct heddle_rows *rows, struct heddle_rows_class *c)
{
    /* of a thread: so 256 have less than the 48 KB that a kernel may name */
    enum { ROOM_BYTES = 176 };
    int bytes = 0;
    if (c->threads > 1 || c->parts > 1) return;
    for (int pass = 0; pass < 2; pass++) /* what is loaded, then what is made */
        for (int u = 0; u < c->n_operands; u++) {
            const bool made = c->kind[u] & HEDDLE_ROWS_IS_MADE;
            if (made != pass || !lies_together(rows, u)) continue;
            const int room = made ? room_of(rows, c, u) : u;
            const int size = (int)heddle_dtype_size((enum heddle_dtype)rows->operand[u].dtype);
            if (room == u) bytes += c->slots * c->rows * size;
            if (bytes > ROOM_BYTES) return;
            c->room[u] = (uint8_t)room;
            c->kind[u] |= HEDDLE_ROWS_IS_STAGED | (made ? 0 : HEDDLE_ROWS_IS_HELD);
        }
}

/* ---- Text -------------------------------------------------------------------------------------------- */

static const char *type_of(const struct heddle_rows *rows, int u)
{
    return heddle__source_type(rows->operand[u].dtype);
}

void heddle__rows_stage_rooms(struct heddle_text *t, const struct heddle_rows *rows,
                              const struct heddle_rows_class *c)
{
    for (int u = 0; u < c->n_operands; u++)
        if (c->kind[u] & HEDDLE_ROWS_IS_STAGED && c->room[u] == u)
            heddle__text_put(t, "__shared__ __align__(16) %s room%d[8][hd_spaced<%s>(%d) + 1];\n",
                             type_of(rows, u), u, type_of(rows, u), 32 * c->rows * c->slots - 1);
    for (int u = 0; u < c->n_operands; u++)
        if (c->kind[u] & HEDDLE_ROWS_IS_STAGED)
            heddle__text_put(t, "%s *const at%d = room%d[threadIdx.x / 32];\n", type_of(rows, u), u,
                             c->room[u]);
}

static bool is_small(const struct heddle_rows *rows, int u)
{
    return heddle_dtype_size((enum heddle_dtype)rows->operand[u].dtype) < 4;
}

/* `text`, of operand u, for each element e, the k-th of a thread. */
static void put_moves(struct heddle_text *t, const struct heddle_rows *rows,
                      const struct heddle_rows_class *c, int u, const char *text)
{
    heddle__text_put(t,
                     "#pragma unroll\nfor (int k = 0; k < %d; k++) {\n"
                     "const int e = k * 32 + lane, place = hd_spaced<%s>(e);\n",
                     c->slots * c->rows, type_of(rows, u));
    heddle__text_put(t, text, u, u);
    heddle__text_put(t, "}\n");
}

static void put_load(struct heddle_text *t, const struct heddle_rows *rows,
                     const struct heddle_rows_class *c, int u)
{
    const int n = c->slots * c->rows;
    if (!is_small(rows, u)) {
        heddle__text_put(t, "%s l%d[%d];\n", type_of(rows, u), u, n);
        put_moves(t, rows, c, u, "if (e < left) l%d[k] = p%d[from + e];\n");
        return;
    }
    heddle__text_put(t,
                     "hd_staged<%s, %d> l%d;\n"
                     "const bool whole%d = left >= %d && hd_are_pieces<%d>(p%d + from, 0);\n"
                     "if (whole%d) l%d.load(p%d + from, lane);\n",
                     type_of(rows, u), 32 * n, u, u, 32 * n,
                     16 / (int)heddle_dtype_size((enum heddle_dtype)rows->operand[u].dtype), u, u,
                     u, u);
}

static void put_store(struct heddle_text *t, const struct heddle_rows *rows,
                      const struct heddle_rows_class *c, int u)
{
    if (!is_small(rows, u)) {
        put_moves(t, rows, c, u, "at%d[place] = l%d[k];\n");
        return;
    }
    heddle__text_put(t,
                     "if (whole%d) l%d.store(at%d, lane);\n"
                     "else hd_stage<%d>(at%d, p%d + from, left, lane);\n",
                     u, u, u, 32 * c->slots * c->rows, u, u);
}

static void put_extent(struct heddle_text *t, const struct heddle_rows_class *c)
{
    heddle__text_put(t, "{\nconst I from = first * %d, left = ((I)args.v[%d] - first) * %d;\n",
                     c->slots, HEDDLE_SLOT_N, c->slots);
}

void heddle__rows_stage_in(struct heddle_text *t, const struct heddle_rows *rows,
                           const struct heddle_rows_class *c)
{
    if (!has_staged(c, 0)) return;
    put_extent(t, c);
    /* by way of registers, so that all loads are under way before the first store waits for one */
    for (int u = 0; u < c->n_operands; u++)
        if (is_staged(c, u, 0)) put_load(t, rows, c, u);
    for (int u = 0; u < c->n_operands; u++)
        if (is_staged(c, u, 0)) put_store(t, rows, c, u);
    heddle__text_put(t, "}\n__syncwarp();\n");
}

void heddle__rows_stage_out(struct heddle_text *t, const struct heddle_rows *rows,
                            const struct heddle_rows_class *c)
{
    const bool made = has_staged(c, HEDDLE_ROWS_IS_MADE);
    /* what is read by other threads has been written; and their next rows do not overwrite what is still read */
    if (made || has_staged(c, 0)) heddle__text_put(t, "__syncwarp();\n");
    if (!made) return;
    put_extent(t, c);
    for (int u = 0; u < c->n_operands; u++)
        if (is_staged(c, u, HEDDLE_ROWS_IS_MADE))
            put_moves(t, rows, c, u, "if (e < left) p%d[from + e] = at%d[place];\n");
    heddle__text_put(t, "}\n__syncwarp();\n");
}
