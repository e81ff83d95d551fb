/* Generated source of maps, and what maps and reductions share. It depends on a program and a class
 * alone, so that equal text means equal kernels. Entry points: source.h, heddle__cuda_source. */
#include "cuda/source.h"

#include "cuda/tiles/tiles.h"

#include <base/memory.h>
#include <kernels.h>
#include <stdio.h>
#include <string.h>

const char *heddle__source_type(unsigned dtype)
{
    static const char *const names[HEDDLE_N_DTYPES] = {
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) [HEDDLE_##ID] = "hd_" #name,
#define HEDDLE_STORAGE_DTYPE HEDDLE_DTYPE
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
    };
    return names[dtype];
}

void heddle__source_expression(const struct heddle_source *s, const char *expression, const char *a,
                               const char *b, const char *c)
{
    const char *const by[3] = {a, b, c};
    int in_word = 0;
    for (const char *e = expression; *e; e++) {
        const char next = e[1];
        const int next_in_word =
            (next >= 'a' && next <= 'z') || next == '_' || (next >= '0' && next <= '9');
        if (!in_word && !next_in_word && *e >= 'x' && *e <= 'z')
            heddle__text_put(s->text, "%s", by[*e - 'x']);
        else
            heddle__text_put(s->text, "%c", *e);
        in_word = (*e >= 'a' && *e <= 'z') || *e == '_' || (*e >= '0' && *e <= '9');
    }
}

static int can_be_quick(const struct heddle_instr *in)
{
    const int of_both = in->code == HEDDLE_OP_DIVIDE || in->code == HEDDLE_OP_RECIPROCAL ||
                        in->code == HEDDLE_OP_SQRT;
    return (in->dtype == HEDDLE_FLOAT32 && of_both) ||
           (in->dtype == HEDDLE_FLOAT64 && (of_both || in->code == HEDDLE_OP_EXP));
}

/* What instructions 0..n-1 ask for: how many there are that can be quick, and arithmetic of an element, in flops. */
struct quick_count {
    int singles, doubles;
    double flops, of_doubles;
};

static struct quick_count count_quick(const struct heddle_program *p, int n)
{
    struct quick_count count = {0};
    for (int i = 0; i < n; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        if (in->code >= HEDDLE_N_OPS) continue;
        const int is_double = in->dtype == HEDDLE_FLOAT64;
        const double flops = (double)heddle__ops[in->code].flops;
        count.flops += flops;
        count.of_doubles += is_double ? flops : 0;
        if (can_be_quick(in)) (*(is_double ? &count.doubles : &count.singles))++;
    }
    return count;
}

enum { MOST_FLOPS = 100 }; /* of an element, which a kernel then has twice */

int heddle__source_has_quick_doubles(const struct heddle_program *p, int n)
{
    enum { ENOUGH_OF_REDUCTION = 8, ENOUGH_OF_BYTE = 3 };
    const struct quick_count count = count_quick(p, n);
    size_t bytes = 0;
    for (int k = 0; k < p->n_operands; k++)
        bytes += heddle_dtype_size((enum heddle_dtype)p->operand_dtype[k]);
    const double enough =
        p->n_reductions > 0 ? ENOUGH_OF_REDUCTION : ENOUGH_OF_BYTE * (double)bytes;
    return count.doubles > 0 && count.of_doubles >= enough && count.flops <= MOST_FLOPS;
}

int heddle__source_is_quick(const struct heddle_program *p, int n)
{
    const struct quick_count count = count_quick(p, n);
    return (count.singles > 0 && count.flops <= MOST_FLOPS) ||
           heddle__source_has_quick_doubles(p, n);
}

void heddle__source_instr(const struct heddle_source *s, int i,
                          const struct heddle_source_names *names)
{
    const struct heddle_instr *in = &s->p->instrs[i];
    const char *type = heddle__source_type(in->result);
    char a[16], b[16], c[16];
    snprintf(a, sizeof a, "v%d", in->a);
    snprintf(b, sizeof b, "v%d", in->b);
    snprintf(c, sizeof c, "v%d", in->c);
    heddle__text_put(s->text, "const %s v%d = ", type, i);
    switch (in->code) {
    case HEDDLE_CODE_LOAD: names->load(s, in->a); break;
    case HEDDLE_CODE_CONSTANT: heddle__text_put(s->text, "c%d", in->a); break;
    case HEDDLE_CODE_INDEX:
        heddle__text_put(s->text, "args.v[%d]", HEDDLE_SLOT_ORIGIN + in->a);
        if (s->c->axis[in->a] >= 0) {
            heddle__text_put(s->text, " + ");
            names->index(s, s->c->axis[in->a]);
        }
        break;
    case HEDDLE_CODE_CHECKED:
        heddle__text_put(s->text, "hd_checked<%s>(v%d, v%d, %s, %d, bad)",
                         in->near ? "int" : "hd_int64", in->a, in->b,
                         names->live ? names->live : "true", in->c);
        break;
    case HEDDLE_CODE_LOAD_AT: /* int: so the compiler computes the place in 32 bits */
        heddle__text_put(s->text, in->near ? "p%d[(int)v%d]" : "p%d[v%d]", in->b, in->a);
        break;
    case HEDDLE_CODE_CAST: heddle__text_put(s->text, "hd_cast<%s>(v%d)", type, in->a); break;
    case HEDDLE_CODE_REDUCED:
        if (s->c->near && heddle__is_arg(&s->p->reductions[in->a]))
            heddle__text_put(s->text, "args.v[%d] + ", HEDDLE_SLOT_FLAT);
        heddle__text_put(s->text, heddle__is_arg(&s->p->reductions[in->a]) ? "a%d.index" : "a%d",
                         in->a);
        break;
    default: {
        const char *e = heddle__ops[in->code].expression;
        char with_quick[64];
        if (heddle__cuda_divides_by(s->p, in)) { /* a multiplication */
            heddle__text_put(s->text, "hd_%s_by(v%d, d%d)", heddle__ops[in->code].name, in->a,
                             s->p->instrs[in->b].a);
            break;
        }
        if (names->in_compute && can_be_quick(in)) { /* one more argument */
            snprintf(with_quick, sizeof with_quick, "%.*s, quick)", (int)strlen(e) - 1, e);
            e = with_quick;
        }
        heddle__text_put(s->text, "(%s)(", type);
        heddle__source_expression(s, strcmp(e, "x - y") == 0 ? "hd_sub(x, y)" : e, a, b, c);
        heddle__text_put(s->text, ")");
        break;
    }
    }
    heddle__text_put(s->text, ";\n");
}

void heddle__source_constant(const struct heddle_source *s, int k, int slot)
{
    const char *type = heddle__source_type(s->p->constant_dtype[k]);
    heddle__text_put(s->text, "const %s c%d = hd_slot<%s>(args.v + %d);\n", type, k, type, slot);
    if (heddle__cuda_has_divisor(s->p, k))
        heddle__text_put(s->text, "const hd_divisor<%s> d%d(c%d, args.v[%d]);\n", type, k, k,
                         slot + 1);
}

void heddle__source_operands(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    for (int k = 0; k < p->n_operands; k++) {
        const char *type = heddle__source_type(p->operand_dtype[k]);
        heddle__text_put(s->text, "%s *const p%d = (%s *)args.v[%d];\n", type, k, type,
                         heddle__cuda_operand_slot(s->c, k));
    }
    for (int k = 0; k < p->n_constants; k++)
        heddle__source_constant(s, k, heddle__cuda_constant_slot(p, s->c, k));
    if (p->n_checked > 0)
        heddle__text_put(s->text, "hd_bad_index bad(args.v + %d);\n", HEDDLE_SLOT_REPORT);
}

void heddle__source_indices(const struct heddle_source *s, const char *from, int first, int n,
                            const char *prefix, const char *suffix, const char *declare)
{
    struct heddle_text *t = s->text;
    if (n == 1) heddle__text_put(t, "%s%s%d%s = %s;\n", declare, prefix, first, suffix, from);
    if (n <= 1) return;
    heddle__text_put(t, "I q = %s, d;\n", from);
    for (int a = first + n - 1; a > first; a--) {
        const int extent = HEDDLE_SLOT_EXTENT + a;
        heddle__text_put(t, "d = hd_quotient(q, (I)args.v[%d], args.v[%d]);\n", extent,
                         HEDDLE_SLOT_MAGIC + a);
        heddle__text_put(t, "%s%s%d%s = q - d * (I)args.v[%d];\nq = d;\n", declare, prefix, a,
                         suffix, extent);
    }
    heddle__text_put(t, "%s%s%d%s = q;\n", declare, prefix, first, suffix);
}

/* ---- maps: slots [u][j], indices i<axis>[u] -------------------------------------------------- */

static void map_load(const struct heddle_source *s, int operand)
{
    const struct heddle_cuda_comb *comb = &s->c->comb[operand];
    if (s->c->walk[operand] == HEDDLE_WALK_STILL)
        heddle__text_put(s->text, "b%d", operand);
    else if (s->c->walk[operand] == HEDDLE_WALK_COMB)
        heddle__text_put(s->text, "l%d[u][j * %d + %d]", comb->first, comb->step, comb->skip);
    else if (s->c->table)
        heddle__text_put(s->text, "(%s)e", heddle__source_type(s->p->operand_dtype[operand]));
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
        heddle__text_put(s->text, "i%d[u] * (I)args.v[%d] + ", d, slot + d);
    if (c->walk[k] == HEDDLE_WALK_UNIT || c->walk[k] == HEDDLE_WALK_ROW)
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
    return loaded[k] && s->c->walk[k] != HEDDLE_WALK_STILL && is_first(s, k);
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

/* The loads, or the stores, of all slots; `some`: at an edge. */
static void map_loads(const struct heddle_source *s, const uint8_t loaded[], int some)
{
    heddle__text_put(s->text, "#pragma unroll\nfor (int u = 0; u < U; u++) {\n");
    for (int k = 0; k < s->p->n_operands; k++) {
        if (!has_slots(s, loaded, k)) continue;
        const int walk = s->c->walk[k], apart = walk == HEDDLE_WALK_GENERAL && s->c->vector > 1;
        heddle__text_put(s->text, "hd_%s%s(l%d[u], p%d + (",
                         apart                        ? "load_apart"
                         : walk == HEDDLE_WALK_REPEAT ? "spread"
                                                      : "load",
                         some ? "_some" : "", k, k);
        map_offset(s, k);
        heddle__text_put(s->text, ")");
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

static void map_stores(const struct heddle_source *s, int some)
{
    heddle__text_put(s->text, "#pragma unroll\nfor (int u = 0; u < U; u++) {\n");
    for (int k = 0; k < s->p->n_stores; k++) {
        const int operand = s->p->stores[k].operand;
        if (!is_first(s, operand)) continue;
        heddle__text_put(s->text, "hd_store%s(p%d + (", some ? "_some" : "", operand);
        map_offset(s, operand);
        heddle__text_put(s->text, "), o%d[u]", operand);
        if (some) map_room(s, operand);
        heddle__text_put(s->text, ");\n");
    }
    heddle__text_put(s->text, "}\n");
}

static const struct heddle_source_names map_names = {map_load, map_index, 0, "j < room[u]"},
                                        map_compute_names = {map_load, map_index, 1, "j < room[u]"};

/* What each store has for each byte, in shared memory: t<store>[byte]. */
static void map_table(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    for (int k = 0; k < p->n_stores; k++)
        heddle__text_put(t, "__shared__ %s t%d[256];\n",
                         heddle__source_type(p->operand_dtype[p->stores[k].operand]), k);
    heddle__text_put(
        t, "for (int e = threadIdx.y * blockDim.x + threadIdx.x; e < 256; e += blockDim.x * "
           "blockDim.y) {\n");
    for (int i = 0; i < p->n_instrs; i++) heddle__source_instr(s, i, &map_names);
    for (int k = 0; k < p->n_stores; k++)
        heddle__text_put(t, "t%d[e] = v%d;\n", k, p->stores[k].value);
    heddle__text_put(t, "}\n__syncthreads();\n");
}

/* The values of all elements, by u and j. */
static void map_values(const struct heddle_source *s, const uint8_t loaded[])
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    const int is_quick = !s->c->table && heddle__source_is_quick(p, p->n_instrs);
    int bytes = 0;
    if (is_quick) heddle__text_put(t, HEDDLE_COMPUTE_BEGIN, "full");
    heddle__text_put(t, "#pragma unroll\nfor (int u = 0; u < U; u++)\n#pragma unroll\n"
                        "for (int j = 0; j < V; j++) {\n");
    while (s->c->table && (!loaded[bytes] || s->c->walk[bytes] == HEDDLE_WALK_STILL)) bytes++;
    for (int i = 0; i < p->n_instrs && !s->c->table; i++)
        heddle__source_instr(s, i, is_quick ? &map_compute_names : &map_names);
    for (int k = 0; k < p->n_stores; k++) {
        put_stored(s, k);
        if (s->c->table)
            heddle__text_put(t, "t%d[(unsigned char)l%d[u][j]];\n", k, bytes);
        else
            heddle__text_put(t, "v%d;\n", p->stores[k].value);
    }
    heddle__text_put(t, is_quick ? "}\n" HEDDLE_COMPUTE_END : "}\n");
}

void heddle__source_loaded(const struct heddle_program *p, uint8_t loaded[HEDDLE_MAX_OPERANDS])
{
    memset(loaded, 0, HEDDLE_MAX_OPERANDS);
    for (int i = 0; i < p->n_instrs; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD) loaded[p->instrs[i].a] = 1;
}

static void map_source(const struct heddle_source *s)
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
    map_walk(s);
    /* all loads, all arithmetic, all stores: a stored operand may be a loaded one */
    for (int k = 0; k < p->n_operands; k++)
        if (has_slots(s, loaded, k))
            heddle__text_put(t, "%s l%d[U][V * %d];\n", heddle__source_type(p->operand_dtype[k]), k,
                             step_of(s, k));
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
    map_values(s, loaded);
    heddle__text_put(t, "if (full) {\n");
    map_stores(s, 0);
    heddle__text_put(t, "} else {\n");
    map_stores(s, 1);
    heddle__text_put(t, "}\n}\n}\n");
}

static int draws(const struct heddle_program *p)
{
    for (int i = 0; i < p->n_instrs; i++)
        if (p->instrs[i].code < HEDDLE_N_OPS &&
            heddle__ops[p->instrs[i].code].accepts >= HEDDLE_ACCEPTS_I64)
            return 1;
    return 0;
}

char *heddle__cuda_class_source(const struct heddle_program *p, const struct heddle_cuda_class *c)
{
    struct heddle_text text = {0};
    const struct heddle_source s = {.text = &text, .p = p, .c = c};
    if (draws(p)) heddle__text_put(&text, "#define HD_DRAWS\n");
    heddle__text_put(&text,
                     "#include \"heddle.cuh\"\ntypedef %s I;\n"
                     "struct hd_args {\nhd_int64 v[%d];\n};\n",
                     c->wide ? "hd_int64" : "int", heddle__cuda_n_slots(p, c));
    if (p->n_reductions > 0)
        heddle__source_reduction(&s);
    else if (c->form == HEDDLE_FORM_TILES)
        heddle__tiles_source(&s);
    else
        map_source(&s);
    return heddle__text_take(&text);
}

char *heddle__cuda_source(const struct heddle_launch *launch)
{
    struct heddle_cuda_layout layout;
    heddle__cuda_layout(launch, NULL, &layout);
    return heddle__cuda_class_source(launch->program, &layout.class);
}
