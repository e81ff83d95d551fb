/* Generated source of maps: slots [u][j], indices i<axis>[u]. Entry point: source.h, heddle__source_map. */
#include "cuda/source.h"

#include <stdio.h>

/* Whether operand k's rows are those of several operands, which the first of them has. */
static int shares_rows(const struct heddle_source *s, int k)
{
    return s->c->shift[s->c->shift[k].first].reach > 0;
}

static void map_load(const struct heddle_source *s, int operand)
{
    const struct heddle_cuda_comb *comb = &s->c->comb[operand];
    if (s->c->walk[operand] == HEDDLE_WALK_STILL)
        heddle__text_put(s->text, "b%d", operand);
    else if (s->c->walk[operand] == HEDDLE_WALK_COMB)
        heddle__text_put(s->text, "l%d[u][j * %d + %d]", comb->first, comb->step, comb->skip);
    else if (s->c->table)
        heddle__text_put(s->text, "(%s)e", heddle__source_type(s->p->operand_dtype[operand]));
    else if (shares_rows(s, operand))
        heddle__text_put(s->text, "l%d[u + %d][j]", s->c->shift[operand].first,
                         s->c->shift[operand].down);
    else
        heddle__text_put(s->text, "l%d[u][j]", operand);
}

static void map_index(const struct heddle_source *s, int axis)
{
    const int inner = s->c->n_kept - 1;
    heddle__text_put(s->text, "(hd_int64)i%d[u]", axis);
    if (axis != inner) return;
    /* The sum so far is a multiple of the vector: so the mask changes nothing, but tells the compiler which elements share
     * a block of random numbers. In C, + comes before &, and & before |. */
    const int vector = s->c->vector;
    if (s->c->even && (vector == 2 || vector == 4))
        heddle__text_put(s->text, " & -%d | j", vector);
    else
        heddle__text_put(s->text, " + j");
}

/* Offset of operand k at slot u. */
static void map_offset(const struct heddle_source *s, int k)
{
    const struct heddle_cuda_class *c = s->c;
    const int inner = c->n_kept - 1, slot = heddle__cuda_operand_slot(c, k) + 1;
    if (c->walk[k] == HEDDLE_WALK_STILL) {
        heddle__text_put(s->text, "0");
        return;
    }
    if (c->form == HEDDLE_FORM_FLAT && c->walk[k] == HEDDLE_WALK_UNIT) {
        heddle__text_put(s->text, "flat[u]");
        return;
    }
    for (int d = 0; d < inner; d++)
        if (!(c->still[k] >> d & 1))
            heddle__text_put(s->text, "i%d[u] * (I)args.v[%d] + ", d, slot + d);
    if (c->walk[k] == HEDDLE_WALK_UNIT || c->walk[k] == HEDDLE_WALK_ROW ||
        c->walk[k] == HEDDLE_WALK_MOVED)
        heddle__text_put(s->text, "i%d[u]", inner);
    else if (c->walk[k] == HEDDLE_WALK_REPEAT)
        heddle__text_put(s->text, "0");
    else
        heddle__text_put(s->text, "i%d[u] * (I)args.v[%d]", inner, slot + inner);
}

/* The loop over the box, and within it i<axis>[u] and room[u]: elements left from there. */
static void map_walk(const struct heddle_source *s)
{
    const struct heddle_cuda_class *c = s->c;
    struct heddle_text *t = s->text;
    const int inner = c->n_kept - 1;
    if (c->form == HEDDLE_FORM_ROWS) {
        heddle__text_put(
            t,
            "const I width = (I)args.v[%d], rows = (I)args.v[%d], columns = (I)args.v[%d];\n"
            "for (I tile = blockIdx.x; tile < (I)args.v[%d]; tile += gridDim.x) {\n"
            "const I down = hd_quotient(tile, columns, args.v[%d]);\n"
            "const I x = ((tile - down * columns) * (I)blockDim.x + (I)threadIdx.x) * V;\n",
            HEDDLE_SLOT_EXTENT + inner, HEDDLE_SLOT_CHUNKS, HEDDLE_SLOT_COLUMNS, HEDDLE_SLOT_UNITS,
            HEDDLE_SLOT_MAGIC_COLUMNS);
    } else {
        heddle__text_put(
            t,
            "const I n = (I)args.v[%d];\n"
            "for (I base = ((I)blockIdx.x * (256 * U) + (I)threadIdx.x) * V; base < n;\n"
            "     base += (I)gridDim.x * (256 * U * V)) {\n",
            HEDDLE_SLOT_N);
    }
    heddle__text_put(t, "I room[U]");
    for (int d = 0; d < c->n_kept; d++) heddle__text_put(t, ", i%d[U]", d);
    if (c->form == HEDDLE_FORM_FLAT) heddle__text_put(t, ", flat[U]");
    heddle__text_put(t, ";\n#pragma unroll\nfor (int u = 0; u < U; u++) {\n");
    if (c->form == HEDDLE_FORM_ROWS) {
        heddle__text_put(t,
                         "const I row = (down * (I)blockDim.y + (I)threadIdx.y) * U + u;\n"
                         "room[u] = row < rows ? width - x : 0;\ni%d[u] = x;\n",
                         inner);
        heddle__source_indices(s, "row", 0, inner, "i", "[u]", "");
        if (c->planes)
            heddle__text_put(t, "if (i%d[u] >= (I)args.v[%d]) room[u] = 0;\n", inner - 1,
                             HEDDLE_SLOT_GROUP);
    } else if (c->form == HEDDLE_FORM_FLAT) {
        heddle__text_put(t, "flat[u] = base + u * (256 * V);\nroom[u] = n - flat[u];\n");
        heddle__source_indices(s, "(flat[u] < n ? flat[u] : 0)", 0, c->n_kept, "i", "[u]", "");
    } else {
        heddle__text_put(t, "i0[u] = base + u * (256 * V);\nroom[u] = n - i0[u];\n");
    }
    heddle__text_put(t, "}\n");
}

/* Whether operand k is no comb, or has the first elements of its pieces. */
static int is_first(const struct heddle_source *s, int k)
{
    return s->c->walk[k] != HEDDLE_WALK_COMB || s->c->comb[k].first == k;
}

/* Whether operand k has elements of its own in registers. */
static int has_slots(const struct heddle_source *s, const uint8_t loaded[], int k)
{
    return loaded[k] && s->c->walk[k] != HEDDLE_WALK_STILL && is_first(s, k) &&
           s->c->shift[k].first == k;
}

static int step_of(const struct heddle_source *s, int k)
{
    return s->c->walk[k] == HEDDLE_WALK_COMB ? s->c->comb[k].step : 1;
}

/* Where store k's values are, by u and j. */
static void put_stored(const struct heddle_source *s, int k)
{
    const int operand = s->p->stores[k].operand;
    const struct heddle_cuda_comb *comb = &s->c->comb[operand];
    if (s->c->walk[operand] == HEDDLE_WALK_COMB)
        heddle__text_put(s->text, "o%d[u][j * %d + %d] = ", comb->first, comb->step, comb->skip);
    else
        heddle__text_put(s->text, "o%d[u][j] = ", operand);
}

/* Elements that are left of operand k, of a comb up to the last that is taken. */
static void map_room(const struct heddle_source *s, int k)
{
    const struct heddle_cuda_comb *comb = &s->c->comb[k];
    if (s->c->walk[k] == HEDDLE_WALK_COMB)
        heddle__text_put(s->text, ", (room[u] - 1) * %d + %d", comb->step, comb->reach + 1);
    else
        heddle__text_put(s->text, ", room[u]");
}

/* How far operand k is moved at x, an index along the last axis. */
static void put_moved_by(const struct heddle_source *s, int k)
{
    const int first = heddle__cuda_moved_slot(s->p, s->c, k), last = s->c->stretches - 1,
              ends = heddle__cuda_constant_slot(s->p, s->c, s->p->n_constants);
    for (int m = 0; m < last; m++)
        heddle__text_put(s->text, "(x < (I)args.v[%d] ? (I)args.v[%d] : 0) + ", ends + m,
                         first + m);
    heddle__text_put(s->text, "(I)args.v[%d]", first + last);
}

/* Elements of operand k to l<k>[slot], those from `at` on, each moved as its stretch is; `room`: NULL, or how many there are. */
static void put_moved(const struct heddle_source *s, int k, const char *slot, const char *at,
                      const char *room)
{
    struct heddle_text *t = s->text;
    heddle__text_put(t, "{\nI x = i%d[u];\n", s->c->n_kept - 1);
    heddle__text_put(t, "#pragma unroll\nfor (int j = 0; j < V; j++, x++)\nl%d[%s][j] = ", k, slot);
    if (room)
        heddle__text_put(t, "j >= %s ? %s() : ", room, heddle__source_type(s->p->operand_dtype[k]));
    heddle__text_put(t, "p%d[%s + j + ", k, at);
    put_moved_by(s, k);
    heddle__text_put(t, "];\n}\n");
}

/* Rows that several operands have: the thread's of the first one, and `reach` more. At an edge those that some operand has, as there are
 * no rows between that the buffer has not. */
static void put_shared_rows(const struct heddle_source *s, int k, int some)
{
    const int row = s->c->n_kept - 2, reach = s->c->shift[k].reach,
              stride = heddle__cuda_operand_slot(s->c, k) + 1 + row;
    struct heddle_text *t = s->text;
    char at[48], room[48];
    heddle__text_put(t, "{\nconstexpr int u = 0;\nconst I at = ");
    map_offset(s, k);
    heddle__text_put(t, ";\n#pragma unroll\nfor (int t = 0; t < U + %d; t++)\n", reach);
    snprintf(at, sizeof at, "(at + t * (I)args.v[%d])", stride);
    snprintf(room, sizeof room, "(t < here + %d ? room[0] : 0)", reach);
    if (s->c->walk[k] == HEDDLE_WALK_MOVED) {
        put_moved(s, k, "t", at, some ? room : NULL);
    } else {
        heddle__text_put(t, "hd_load%s(l%d[t], p%d + %s", some ? "_some" : "", k, k, at);
        if (some) heddle__text_put(t, ", %s", room);
        heddle__text_put(t, ");\n");
    }
    heddle__text_put(t, "}\n");
}

/* The loads of all slots; `some`: at an edge. Offsets that operands have in common are computed once. */
static void map_loads(const struct heddle_source *s, const uint8_t loaded[], int some)
{
    uint8_t is_known[HEDDLE_MAX_OPERANDS] = {0};
    int any = 0;
    for (int k = 0; k < s->p->n_operands; k++) any |= has_slots(s, loaded, k) && shares_rows(s, k);
    if (any && some) /* room[0] is 0 where there is none */
        heddle__text_put(s->text,
                         "int here = 1;\n#pragma unroll\nfor (int u = 1; u < U; u++) here += "
                         "room[u] > 0;\n");
    for (int k = 0; k < s->p->n_operands; k++)
        if (has_slots(s, loaded, k) && shares_rows(s, k)) put_shared_rows(s, k, some);
    heddle__text_put(s->text, "#pragma unroll\nfor (int u = 0; u < U; u++) {\n");
    for (int k = 0; k < s->p->n_operands; k++) {
        if (!has_slots(s, loaded, k) || shares_rows(s, k)) continue;
        const int place = s->c->place[k];
        if (!is_known[place]) {
            heddle__text_put(s->text, "const I at%d = ", place);
            map_offset(s, place);
            heddle__text_put(s->text, ";\n");
            is_known[place] = 1;
        }
        if (s->c->walk[k] == HEDDLE_WALK_MOVED) {
            char at[16];
            snprintf(at, sizeof at, "at%d", place);
            put_moved(s, k, "u", at, some ? "room[u]" : NULL);
            continue;
        }
        const int walk = s->c->walk[k], apart = walk == HEDDLE_WALK_GENERAL && s->c->vector > 1;
        heddle__text_put(s->text, "hd_%s%s(l%d[u], p%d + at%d",
                         apart                        ? "load_apart"
                         : walk == HEDDLE_WALK_REPEAT ? "spread"
                                                      : "load",
                         some ? "_some" : "", k, k, place);
        if (apart)
            heddle__text_put(s->text, ", (I)args.v[%d]",
                             heddle__cuda_operand_slot(s->c, k) + s->c->n_kept);
        if (some) map_room(s, k);
        heddle__text_put(s->text, ");\n");
    }
    heddle__text_put(s->text, "}\n");
}

/* Whether a comb's last piece ends with elements that nobody takes, perhaps beyond the end of the buffer. */
static int has_tail(const struct heddle_source *s)
{
    for (int k = 0; k < s->p->n_operands; k++)
        if (s->c->walk[k] == HEDDLE_WALK_COMB && s->c->comb[k].first == k &&
            s->c->comb[k].reach + 1 < s->c->comb[k].step)
            return 1;
    return 0;
}

enum { BYTES_OF_PAIR = 32 }; /* of hd_store_by_pair */

/* Bytes that each thread stores of operand k, the first of a comb, if those are several pieces (hd_vector), of which each lies apart from
 * its neighbours': a warp then stores them together (hd_store_by_warp, hd_store_by_pair). Else 0. */
static int bytes_by_warp(const struct heddle_source *s, int k)
{
    enum { LEAST_PIECES = 2, LEAST_WORDS = 4, MOST_BYTES = 128 };
    const int all = (int)heddle_dtype_size((enum heddle_dtype)s->p->operand_dtype[k]) *
                    s->c->vector * step_of(s, k);
    const int power = all & -all, piece = power < 16 ? power : 16;
    if (s->c->walk[k] != HEDDLE_WALK_COMB || all > MOST_BYTES) return 0;
    return all / piece >= (piece < 8 ? LEAST_WORDS : LEAST_PIECES) ? all : 0;
}

/* Declares shared memory for what warps store together, if it is not by pairs, and how many threads of its warp come after each. */
static void map_room_of_warps(const struct heddle_source *s)
{
    int most = 0, any = 0;
    for (int i = 0; i < s->p->n_stores; i++) {
        const int k = s->p->stores[i].operand, bytes = is_first(s, k) ? bytes_by_warp(s, k) : 0;
        any |= bytes;
        if (bytes > most && bytes != BYTES_OF_PAIR) most = bytes;
    }
    if (most > 0) heddle__text_put(s->text, "__shared__ uint4 turns[256 * %d / 16];\n", most);
    if (any)
        heddle__text_put(
            s->text, "const int after = 31 - (threadIdx.y * blockDim.x + threadIdx.x) %% 32;\n");
}

static void map_stores(const struct heddle_source *s, int some)
{
    heddle__text_put(s->text, "#pragma unroll\nfor (int u = 0; u < U; u++) {\n");
    for (int k = 0; k < s->p->n_stores; k++) {
        const int operand = s->p->stores[k].operand;
        if (!is_first(s, operand)) continue;
        if (!some && bytes_by_warp(s, operand) > 0) {
            const bool is_pair = bytes_by_warp(s, operand) == BYTES_OF_PAIR;
            heddle__text_put(s->text, "if (room[U - 1] - after * V >= V)\nhd_store_by_%s(p%d + (",
                             is_pair ? "pair" : "warp", operand);
            map_offset(s, operand);
            heddle__text_put(s->text, "), o%d[u]%s);\nelse\n", operand, is_pair ? "" : ", turns");
        }
        heddle__text_put(s->text, "hd_store%s(p%d + (", some ? "_some" : "", operand);
        map_offset(s, operand);
        heddle__text_put(s->text, "), o%d[u]", operand);
        if (some) map_room(s, operand);
        heddle__text_put(s->text, ");\n");
    }
    heddle__text_put(s->text, "}\n");
}

/* What each store has for each byte, in shared memory: t<store>. */
static void map_table(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    for (int k = 0; k < p->n_stores; k++)
        heddle__text_put(t, "__shared__ hd_table%s<%s> t%d;\n",
                         s->c->table == HEDDLE_TABLE_OF_LANES ? "_of_lanes" : "",
                         heddle__source_type(p->operand_dtype[p->stores[k].operand]), k);
    heddle__text_put(
        t, "for (int e = threadIdx.y * blockDim.x + threadIdx.x; e < 256; e += blockDim.x * "
           "blockDim.y) {\n");
    const struct heddle_source_names names = {.load = map_load, .index = map_index};
    for (int i = 0; i < p->n_instrs; i++) heddle__source_instr(s, i, &names);
    for (int k = 0; k < p->n_stores; k++)
        heddle__text_put(t, "t%d.put(e, v%d);\n", k, p->stores[k].value);
    heddle__text_put(t, "}\n__syncthreads();\n"
                        "const int own_lane = (threadIdx.y * blockDim.x + threadIdx.x) %% 32;\n");
}

/* Values 0..n-1 of all elements, by u and j; the stores of each where `stores`. What all elements of a vector have in common is computed
 * once for it. */
static void map_elements(const struct heddle_source *s, const struct heddle_source_names *names,
                         int n, int stores)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    uint8_t differs[HEDDLE_MAX_INSTRS];
    heddle__cuda_differ_in_rows(p, s->c, differs);
    heddle__text_put(t, "#pragma unroll\nfor (int u = 0; u < U; u++) {\n");
    if (s->c->vector > 1) {
        heddle__text_put(t, "const int j = 0;\n");
        for (int i = 0; i < n; i++)
            if (!differs[i]) heddle__source_instr(s, i, names);
    }
    heddle__text_put(t, "#pragma unroll\nfor (int j = 0; j < V; j++) {\n");
    for (int i = 0; i < n; i++)
        if (differs[i] || s->c->vector == 1) heddle__source_instr(s, i, names);
    for (int k = 0; k < p->n_stores && stores; k++) {
        put_stored(s, k);
        heddle__text_put(t, "v%d;\n", p->stores[k].value);
    }
    heddle__text_put(t, "}\n}\n");
}

/* Notes the bad indices among those of all elements, which are computed once more. */
static void map_bad_indices(const struct heddle_source *s, const struct heddle_source_names *names)
{
    int n = 0;
    for (int i = 0; i < s->p->n_instrs; i++)
        if (s->p->instrs[i].code == HEDDLE_CODE_CHECKED) n = i + 1;
    heddle__text_put(s->text, "if (!good) {\n");
    map_elements(s, names, n, 0);
    heddle__text_put(s->text, "}\n");
}

/* The values of all elements, which a table has for each byte. */
static void map_from_table(const struct heddle_source *s, const uint8_t loaded[])
{
    struct heddle_text *t = s->text;
    int bytes = 0;
    while (!loaded[bytes] || s->c->walk[bytes] == HEDDLE_WALK_STILL) bytes++;
    heddle__text_put(t, "#pragma unroll\nfor (int u = 0; u < U; u++)\n#pragma unroll\n"
                        "for (int j = 0; j < V; j++) {\n");
    for (int k = 0; k < s->p->n_stores; k++) {
        put_stored(s, k);
        heddle__text_put(t, "t%d.get((unsigned char)l%d[u][j], own_lane);\n", k, bytes);
    }
    heddle__text_put(t, "}\n");
}

/* The values of all elements. */
static void map_values(const struct heddle_source *s)
{
    /* rows are there as a whole, or not at all */
    const char *const live = s->c->form == HEDDLE_FORM_FLAT ? "room[u] > 0" : "j < room[u]";
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    const int is_quick = heddle__source_is_quick(p, p->n_instrs);
    const struct heddle_source_names noting = {map_load, map_index, 0, live, 0},
                                     names = {map_load, map_index, is_quick, live, 1};
    if (p->n_checked > 0) heddle__text_put(t, "bool good = true;\n");
    if (is_quick) heddle__text_put(t, HEDDLE_COMPUTE_BEGIN, "full");
    map_elements(s, &names, p->n_instrs, 1);
    if (is_quick) heddle__text_put(t, HEDDLE_COMPUTE_END);
    if (p->n_checked > 0) map_bad_indices(s, &noting);
}

/* Whether operand k's slots are of small elements that hd_load brings, in whole words. */
static bool is_packed(const struct heddle_source *s, int k)
{
    const uint8_t walk = s->c->walk[k];
    return heddle__source_packs(s, k, s->c->vector * step_of(s, k)) && walk != HEDDLE_WALK_MOVED &&
           walk != HEDDLE_WALK_REPEAT && walk != HEDDLE_WALK_GENERAL;
}

static void put_slots(const struct heddle_source *s, int k)
{
    const char *const type = heddle__source_type(s->p->operand_dtype[k]);
    const int reach = s->c->shift[k].reach, step = step_of(s, k);
    if (is_packed(s, k))
        heddle__text_put(s->text, "hd_packed<%s, V * %d> l%d[U + %d];\n", type, step, k, reach);
    else
        heddle__text_put(s->text, "%s l%d[U + %d][V * %d];\n", type, k, reach, step);
}

void heddle__source_map(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    heddle__source_loaded(p, loaded);
    heddle__text_put(t, HEDDLE_KERNEL_HEAD "constexpr int V = %d, U = %d;\n", s->c->vector,
                     s->c->unroll);
    heddle__source_operands(s);
    for (int k = 0; k < p->n_operands; k++)
        if (loaded[k] && s->c->walk[k] == HEDDLE_WALK_STILL)
            heddle__text_put(t, "const %s b%d = p%d[0];\n",
                             heddle__source_type(p->operand_dtype[k]), k, k);
    if (s->c->table) map_table(s);
    map_room_of_warps(s);
    map_walk(s);
    /* all loads, all arithmetic, all stores: a stored operand may be a loaded one */
    for (int k = 0; k < p->n_operands; k++)
        if (has_slots(s, loaded, k)) put_slots(s, k);
    for (int i = 0; i < p->n_stores; i++) {
        const int k = p->stores[i].operand;
        if (is_first(s, k))
            heddle__text_put(t, "%s o%d[U][V * %d];\n", heddle__source_type(p->operand_dtype[k]), k,
                             step_of(s, k));
    }
    heddle__text_put(t, "const bool full = room[U - 1] %s V; /* then all are */\nif (full) {\n",
                     has_tail(s) ? ">" : ">=");
    map_loads(s, loaded, 0);
    heddle__text_put(t, "} else {\n");
    map_loads(s, loaded, 1);
    heddle__text_put(t, "}\n");
    if (s->c->table)
        map_from_table(s, loaded);
    else
        map_values(s);
    heddle__text_put(t, "if (full) {\n");
    map_stores(s, 0);
    heddle__text_put(t, "} else {\n");
    map_stores(s, 1);
    heddle__text_put(t, "}\n}\n}\n");
}
