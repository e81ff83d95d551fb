/* Generated source of maps by tiles. All loads of a tile precede all its stores, by a barrier where threads store what others
 * loaded; and a stored operand that is also a loaded one has the same access, so that no block stores what another one loads.
 * Entry point: heddle__tiles_source.
 *
 * Names in the text: a tile of S rows and W columns begins at `top` and `left`, and has `bottom` rows and `right` columns of the
 * box; a thread has columns x..x+V-1 of row `row` for each u or, of an operand that lies across, elements y..y+V-1 of column
 * `column`. q<k> is operand k's first element of the tile, l<k>[u][j] what is loaded, o<n>[u][j] what is stored, s<k> the tile in shared memory. */
#include "cuda/tiles/tiles.h"

static void put(const struct heddle_source *s, const char *line)
{
    heddle__text_put(s->text, "%s", line);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void tile_load(const struct heddle_source *s, int operand)
{
    const int still = s->c->walk[operand] == HEDDLE_WALK_STILL;
    heddle__text_put(s->text, still ? "b%d" : "l%d[u][j]", operand);
}

static void tile_index(const struct heddle_source *s, int axis)
{
    const int inner = s->c->n_kept - 1, vector = s->c->vector;
    if (axis < inner - 1)
        heddle__text_put(s->text, "(hd_int64)i%d", axis);
    else if (axis < inner)
        put(s, "(hd_int64)(top + row)");
    else if (s->c->even && (vector == 2 || vector == 4)) /* as map_index, of source.c */
        heddle__text_put(s->text, "(hd_int64)(left + x) & -%d | j", vector);
    else
        put(s, "(hd_int64)(left + x) + j");
}

static const struct heddle_source_names names = {.load = tile_load, .index = tile_index};

/* ---- operands -------------------------------------------------------------------------------- */

static int is_across(const struct heddle_source *s, int operand)
{
    return s->c->walk[operand] == HEDDLE_WALK_ACROSS;
}

/* q<k>. */
static void put_start(const struct heddle_source *s, int k)
{
    const int inner = s->c->n_kept - 1, slot = heddle__cuda_operand_slot(s->c, k) + 1;
    const char *const type = heddle__source_type(s->p->operand_dtype[k]);
    if (s->c->walk[k] == HEDDLE_WALK_STILL) return;
    heddle__text_put(s->text, "%s *const q%d = p%d + (", type, k, k);
    for (int d = 0; d < inner - 1; d++)
        heddle__text_put(s->text, "i%d * (I)args.v[%d] + ", d, slot + d);
    if (is_across(s, k))
        put(s, "top");
    else
        heddle__text_put(s->text, "top * (I)args.v[%d]", slot + inner - 1);
    if (s->c->walk[k] == HEDDLE_WALK_UNIT)
        put(s, " + left");
    else if (s->c->walk[k] != HEDDLE_WALK_REPEAT)
        heddle__text_put(s->text, " + left * (I)args.v[%d]", slot + inner);
    put(s, ");\n");
}

/* Of the elements of u: "q<k> + (their offset in the tile)". */
static void put_place(const struct heddle_source *s, int k)
{
    const int inner = s->c->n_kept - 1, slot = heddle__cuda_operand_slot(s->c, k) + 1;
    heddle__text_put(s->text, "q%d + ((I)%s * (I)args.v[%d]", k, is_across(s, k) ? "column" : "row",
                     slot + (is_across(s, k) ? inner : inner - 1));
    if (s->c->walk[k] == HEDDLE_WALK_GENERAL)
        heddle__text_put(s->text, " + (I)x * (I)args.v[%d]", slot + inner);
    else if (s->c->walk[k] != HEDDLE_WALK_REPEAT)
        put(s, is_across(s, k) ? " + y" : " + x");
    put(s, ")");
}

static const char *room(const struct heddle_source *s, int k, int some)
{
    return !some ? "" : is_across(s, k) ? ", room_across" : ", room";
}

/* A loop over u, up to its first statement; `some`: at an edge, where the loads and stores ask for room. */
static void begin_loop(const struct heddle_source *s, int some)
{
    put(s, "#pragma unroll\nfor (int u = 0; u < U; u++) {\n"
           "const int row = (int)threadIdx.x / (W / V) + u * (S / U);\n"
           "const int column = (int)threadIdx.x / (S / V) + u * (W / U);\n");
    if (some)
        put(s, "const int room = row < bottom ? right - x : 0;\n"
               "const int room_across = column < right ? bottom - y : 0;\n");
}

static void put_loads(const struct heddle_source *s, const uint8_t loaded[], int some)
{
    begin_loop(s, some);
    for (int k = 0; k < s->p->n_operands; k++) {
        if (!loaded[k] || s->c->walk[k] == HEDDLE_WALK_STILL) continue;
        heddle__text_put(s->text, "hd_%s%s(l%d[u], ",
                         s->c->walk[k] == HEDDLE_WALK_REPEAT ? "spread" : "load",
                         some ? "_some" : "", k);
        put_place(s, k);
        heddle__text_put(s->text, "%s);\n", room(s, k, some));
    }
    put(s, "}\n");
}

static void put_stores(const struct heddle_source *s, int some)
{
    begin_loop(s, some);
    for (int n = 0; n < s->p->n_stores; n++) {
        const int k = s->p->stores[n].operand;
        heddle__text_put(s->text, "hd_store%s(", some ? "_some" : "");
        put_place(s, k);
        heddle__text_put(s->text, ", o%d[u]%s);\n", n, room(s, k, some));
    }
    put(s, "}\n");
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* What there is before anything is loaded: operands, shared memory, the tile of this block. */
static void put_tile(const struct heddle_source *s, const uint8_t loaded[])
{
    const struct heddle_program *p = s->p;
    const int inner = s->c->n_kept - 1;
    struct heddle_text *t = s->text;
    for (int k = 0; k < p->n_operands; k++) {
        const char *const type = heddle__source_type(p->operand_dtype[k]);
        if (is_across(s, k))
            heddle__text_put(t, "__shared__ hd_tile<%s, W, S, V> s%d;\n", type, k);
        else if (loaded[k] && s->c->walk[k] == HEDDLE_WALK_STILL)
            heddle__text_put(t, "const %s b%d = p%d[0];\n", type, k, k);
    }
    heddle__text_put(
        t,
        "const int tile = (int)blockIdx.x;\n"
        "const int x = (int)threadIdx.x %% (W / V) * V, y = (int)threadIdx.x %% (S / V) * V;\n"
        "const int band = (int)args.v[%d], columns = (int)args.v[%d], bands = "
        "(int)args.v[%d];\n"
        "const int above = hd_quotient(tile, band, args.v[%d]);\n"
        "const int beside = hd_quotient(above, columns, args.v[%d]);\n"
        "const int box = hd_quotient(beside, bands, args.v[%d]);\n"
        "const int down = (beside - box * bands) * band + tile - above * band;\n",
        HEDDLE_SLOT_CHUNKS, HEDDLE_SLOT_COLUMNS, HEDDLE_SLOT_GROUP_CHUNKS, HEDDLE_SLOT_MAGIC_CHUNKS,
        HEDDLE_SLOT_MAGIC_COLUMNS, HEDDLE_SLOT_MAGIC_GROUP_CHUNKS);
    heddle__text_put(t,
                     "const I top = (I)down * S, left = (I)(above - beside * columns) * W;\n"
                     "const I rows = (I)args.v[%d] - top, width = (I)args.v[%d] - left;\n"
                     "if (rows <= 0) return; /* all threads */\n"
                     "const int bottom = rows < S ? (int)rows : S, right = width < W ? (int)width "
                     ": W;\n"
                     "const bool full = bottom == S && right == W;\n",
                     HEDDLE_SLOT_EXTENT + inner - 1, HEDDLE_SLOT_EXTENT + inner);
    for (int d = 0; d < inner - 1; d++) heddle__text_put(t, "I i%d;\n", d);
    put(s, "{\n");
    heddle__source_indices(s, "(I)box", 0, inner - 1, "i", "", "");
    put(s, "}\n");
    for (int k = 0; k < p->n_operands; k++) put_start(s, k);
}

/* From loads across to elements as this thread computes them. */
static void put_turned(const struct heddle_source *s, const uint8_t loaded[])
{
    int n = 0;
    for (int k = 0; k < s->p->n_operands; k++) n += loaded[k] && is_across(s, k);
    if (n == 0) return;
    begin_loop(s, 0);
    for (int k = 0; k < s->p->n_operands; k++)
        if (loaded[k] && is_across(s, k))
            heddle__text_put(s->text, "hd_put_run(s%d, column, y, l%d[u]);\n", k, k);
    put(s, "}\n__syncthreads();\n");
}

static void put_values(const struct heddle_source *s, const uint8_t loaded[])
{
    const struct heddle_program *p = s->p;
    begin_loop(s, 0);
    for (int k = 0; k < p->n_operands; k++)
        if (loaded[k] && is_across(s, k))
            heddle__text_put(s->text, "hd_take_across(l%d[u], s%d, x, row);\n", k, k);
    put(s, "#pragma unroll\nfor (int j = 0; j < V; j++) {\n");
    for (int i = 0; i < p->n_instrs; i++) heddle__source_instr(s, i, &names);
    for (int n = 0; n < p->n_stores; n++)
        heddle__text_put(s->text, "o%d[u][j] = v%d;\n", n, p->stores[n].value);
    put(s, "}\n}\n");
}

/* Results that are stored across, as this thread stores them. */
static void put_results_turned(const struct heddle_source *s)
{
    static const char *const lines[] = {"hd_put_across(s%d, x, row, o%d[u]);\n",
                                        "hd_take_run(o%d[u], s%d, column, y);\n"};
    const struct heddle_program *p = s->p;
    int n_across = 0;
    for (int n = 0; n < p->n_stores; n++) n_across += is_across(s, p->stores[n].operand);
    for (int take = 0; take < 2 && n_across > 0; take++) {
        begin_loop(s, 0);
        for (int n = 0; n < p->n_stores; n++) {
            const int k = p->stores[n].operand;
            if (is_across(s, k)) heddle__text_put(s->text, lines[take], take ? n : k, take ? k : n);
        }
        put(s, take ? "}\n" : "}\n__syncthreads();\n");
    }
}

void heddle__tiles_source(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    heddle__source_loaded(p, loaded);
    heddle__text_put(t, HEDDLE_KERNEL_HEAD "constexpr int V = %d, U = %d, S = %d, W = %d;\n",
                     s->c->vector, s->c->unroll, s->c->side, s->c->columns);
    heddle__source_operands(s);
    put_tile(s, loaded);
    for (int k = 0; k < p->n_operands; k++)
        if (loaded[k] && s->c->walk[k] != HEDDLE_WALK_STILL)
            heddle__text_put(t, "%s l%d[U][V];\n", heddle__source_type(p->operand_dtype[k]), k);
    for (int n = 0; n < p->n_stores; n++)
        heddle__text_put(t, "%s o%d[U][V];\n",
                         heddle__source_type(p->operand_dtype[p->stores[n].operand]), n);
    put(s, "if (full) {\n");
    put_loads(s, loaded, 0);
    put(s, "} else {\n");
    put_loads(s, loaded, 1);
    put(s, "}\n");
    put_turned(s, loaded);
    put_values(s, loaded);
    put_results_turned(s);
    put(s, "if (full) {\n");
    put_stores(s, 0);
    put(s, "} else {\n");
    put_stores(s, 1);
    put(s, "}\n}\n");
}
