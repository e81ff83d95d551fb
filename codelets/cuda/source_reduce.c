/* Generated source of reductions: the trees of reduce_tree.h by a thread, a warp or a block for each
 * chunk, and the same trees over the partials of the chunks, in a kernel of their own or by the block
 * that does the last chunk. Entry point: heddle__source_reduction.
 *
 * Names in the text: k<a> kept indices, n elements of the chunk, slots [t] of elements that are
 * loaded and computed together (ok[t]: exists), r<a>[t] reduced indices, e<r>[t] values, a<r> the
 * result. `lanes` are the tree's lanes that one thread holds. */
#include "cuda/source.h"

#include "reduce_tree.h"

#include <stdio.h>
#include <string.h>

struct pass { /* the chunks, or their partials */
    int form, lanes, unroll, is_finish, has_results;
};

/* Accumulator type of reduction r. */
static const char *value_type(const struct heddle_source *s, int r, char buffer[32])
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    const char *type = heddle__source_type(in->dtype);
    snprintf(buffer, 32, heddle__is_arg(in) ? "hd_at<%s>" : "%s", type);
    return buffer;
}

/* "into = into (op) y;" for reduction r. */
static void put_combine(const struct heddle_source *s, int r, const char *into, const char *y)
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    heddle__put(s->text, "%s = ", into);
    if (heddle__is_arg(in)) {
        heddle__put(s->text, "hd_%s(%s, %s)", heddle__reductions[in->op].name, into, y);
    } else {
        heddle__put(s->text, "(%s)(", heddle__source_type(in->dtype));
        heddle__source_expression(s, heddle__reductions[in->op].expression, into, y, "");
        heddle__put(s->text, ")");
    }
    heddle__put(s->text, ";\n");
}

static void put_identity(const struct heddle_source *s, int r)
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    const char *type = heddle__source_type(in->dtype);
    const char *value = heddle__reductions[in->op].identity == 1 ? "1" : "0";
    if (heddle__is_arg(in))
        heddle__put(s->text, "hd_at<%s>{(%s)0, 0}", type, type);
    else if (heddle_dtype_kind((enum heddle_dtype)in->dtype) == 'C')
        heddle__put(s->text, "%s{%s, 0}", type, value);
    else
        heddle__put(s->text, "(%s)%s", type, value);
}

/* ---- the elements of a chunk ----------------------------------------------------------------- */

static int n_merged(const struct heddle_source *s)
{
    return s->c->n_kept + s->c->n_reduced;
}

static void element_load(const struct heddle_source *s, int operand)
{
    if (s->c->walk[operand] == HEDDLE_WALK_STILL)
        heddle__put(s->text, "b%d", operand);
    else
        heddle__put(s->text, "l%d[t]", operand);
}

static void element_index(const struct heddle_source *s, int axis)
{
    const char *form = axis < s->c->n_kept ? "(hd_int64)k%d" : "(hd_int64)r%d[t]";
    heddle__put(s->text, form, axis);
}

static void operands_before(const struct heddle_program *p, uint8_t loaded[HEDDLE_MAX_OPERANDS])
{
    memset(loaded, 0, HEDDLE_MAX_OPERANDS);
    for (int i = 0; i < p->n_before; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD) loaded[p->instrs[i].a] = 1;
}

static void put_kept_offset(const struct heddle_source *s, int operand)
{
    const int slot = heddle__cuda_operand_slot(s->c, operand) + 1;
    heddle__put(s->text, "0");
    for (int d = 0; d < s->c->n_kept; d++)
        heddle__put(s->text, " + k%d * (I)args.v[%d]", d, slot + d);
}

/* What does not change within a chunk: kept indices, offsets, still operands. */
static void put_chunk_start(const struct heddle_source *s, const struct pass *pass)
{
    const struct heddle_program *p = s->p;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    if (!pass->is_finish || pass->has_results) {
        heddle__put(s->text, "I k[%d];\n{\n", s->c->n_kept > 0 ? s->c->n_kept : 1);
        heddle__source_indices(s, "kept", 0, s->c->n_kept, "k[", "]", "");
        heddle__put(s->text, "}\n");
        for (int d = 0; d < s->c->n_kept; d++) heddle__put(s->text, "const I k%d = k[%d];\n", d, d);
    }
    if (pass->is_finish) return;
    operands_before(p, loaded);
    for (int k = 0; k < p->n_operands; k++) {
        if (!loaded[k]) continue;
        heddle__put(s->text, "const I s%d = ", k);
        put_kept_offset(s, k);
        heddle__put(s->text, ";\n");
        if (s->c->walk[k] == HEDDLE_WALK_STILL)
            heddle__put(s->text, "const %s b%d = n > 0 ? p%d[s%d] : %s();\n",
                        heddle__source_type(p->operand_dtype[k]), k, k, k,
                        heddle__source_type(p->operand_dtype[k]));
    }
}

static void put_element_offset(const struct heddle_source *s, int k)
{
    const int slot = heddle__cuda_operand_slot(s->c, k) + 1, last = n_merged(s) - 1;
    heddle__put(s->text, "s%d", k);
    for (int a = s->c->n_kept; a < last; a++)
        heddle__put(s->text, " + r%d[t] * (I)args.v[%d]", a, slot + a);
    if (s->c->walk[k] == HEDDLE_WALK_UNIT)
        heddle__put(s->text, " + r%d[t]", last);
    else if (s->c->walk[k] == HEDDLE_WALK_GENERAL)
        heddle__put(s->text, " + r%d[t] * (I)args.v[%d]", last, slot + last);
}

/* Indices and loads of the slots; `some`: at an edge, only those that exist. */
static void put_loads(const struct heddle_source *s, const uint8_t loaded[], int slots,
                      const char *number, int some)
{
    struct heddle_text *t = s->text;
    heddle__put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\nconst I f = %s;\n", slots,
                number);
    heddle__source_indices(s, some ? "start + (ok[t] ? f : 0)" : "start + f", s->c->n_kept,
                           s->c->n_reduced, "r", "[t]", "");
    for (int k = 0; k < s->p->n_operands; k++) {
        if (!loaded[k] || s->c->walk[k] == HEDDLE_WALK_STILL) continue;
        heddle__put(t, "l%d[t] = ", k);
        if (some) heddle__put(t, "!ok[t] ? %s() : ", heddle__source_type(s->p->operand_dtype[k]));
        heddle__put(t, "p%d[", k);
        put_element_offset(s, k);
        heddle__put(t, "];\n");
    }
    heddle__put(t, "}\n");
}

/* ok[t] and e<r>[t] of `slots` slots, of the elements numbered `number` (an expression with t);
 * `full`: a condition under which all exist. */
static void put_elements(const struct heddle_source *s, const struct pass *pass, int slots,
                         const char *number, const char *full)
{
    static const struct heddle_source_names names = {element_load, element_index};
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    char type[32];
    for (int r = 0; r < p->n_reductions; r++)
        heddle__put(t, "%s e%d[%d];\n", value_type(s, r, type), r, slots);
    heddle__put(t, "bool ok[%d];\n#pragma unroll\nfor (int t = 0; t < %d; t++) ok[t] = (%s) < n;\n",
                slots, slots, number);
    if (pass->is_finish) {
        heddle__put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\nconst I f = %s;\n", slots,
                    number);
        for (int r = 0; r < p->n_reductions; r++)
            heddle__put(t, "if (ok[t]) e%d[t] = m%d[(hd_int64)kept * chunks + f];\n", r, r);
        heddle__put(t, "}\n");
        return;
    }
    operands_before(p, loaded);
    for (int a = s->c->n_kept; a < n_merged(s); a++) heddle__put(t, "I r%d[%d];\n", a, slots);
    for (int k = 0; k < p->n_operands; k++)
        if (loaded[k] && s->c->walk[k] != HEDDLE_WALK_STILL)
            heddle__put(t, "%s l%d[%d];\n", heddle__source_type(p->operand_dtype[k]), k, slots);
    heddle__put(t, "if (%s) {\n", full);
    put_loads(s, loaded, slots, number, 0);
    heddle__put(t, "} else {\n");
    put_loads(s, loaded, slots, number, 1);
    heddle__put(t, "}\n#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", slots);
    for (int i = 0; i < p->n_before; i++) heddle__source_instr(s, i, &names);
    for (int r = 0; r < p->n_reductions; r++) {
        const struct heddle_reduce_instr *in = &p->reductions[r];
        if (!heddle__is_arg(in)) {
            heddle__put(t, "e%d[t] = v%d;\n", r, in->value);
            continue;
        }
        heddle__put(t, "e%d[t] = hd_at<%s>{v%d, args.v[%d]", r, heddle__source_type(in->dtype),
                    in->value, HEDDLE_SLOT_FLAT);
        for (int a = s->c->n_kept; a < n_merged(s); a++)
            heddle__put(t, " + (hd_int64)r%d[t] * args.v[%d]", a, HEDDLE_SLOT_FLAT_STRIDE + a);
        heddle__put(t, "};\n");
    }
    heddle__put(t, "}\n");
}

/* ---- the results of a chunk ------------------------------------------------------------------ */

static void result_load(const struct heddle_source *s, int operand)
{
    heddle__put(s->text, "p%d[", operand);
    put_kept_offset(s, operand);
    heddle__put(s->text, "]");
}

static void result_index(const struct heddle_source *s, int axis)
{
    if (axis < s->c->n_kept)
        heddle__put(s->text, "(hd_int64)k%d", axis);
    else
        heddle__put(s->text, "(hd_int64)0");
}

/* Instructions before the reductions that the code after them names: constants and the like. */
static void mark_needed(const struct heddle_program *p, uint8_t needed[HEDDLE_MAX_INSTRS])
{
    memset(needed, 0, HEDDLE_MAX_INSTRS);
    for (int k = 0; k < p->n_stores; k++) needed[p->stores[k].value] = 1;
    for (int i = p->n_instrs - 1; i >= 0; i--) {
        const struct heddle_instr *in = &p->instrs[i];
        if (i >= p->n_before) needed[i] = 1;
        if (!needed[i]) continue;
        const int arity = in->code == HEDDLE_CODE_CAST ? 1
                          : in->code < HEDDLE_N_OPS    ? heddle__ops[in->code].arity
                                                       : 0;
        if (arity > 0) needed[in->a] = 1;
        if (arity > 1) needed[in->b] = 1;
        if (arity > 2) needed[in->c] = 1;
    }
}

/* From a<r>: partials, or the code after the reductions and the stores. */
static void put_results(const struct heddle_source *s, const struct pass *pass)
{
    static const struct heddle_source_names names = {result_load, result_index};
    const struct heddle_program *p = s->p;
    uint8_t needed[HEDDLE_MAX_INSTRS];
    if (!pass->has_results) {
        for (int r = 0; r < p->n_reductions; r++)
            heddle__put(s->text, "m%d[(hd_int64)kept * chunks + chunk] = a%d;\n", r, r);
        return;
    }
    mark_needed(p, needed);
    for (int i = 0; i < p->n_instrs; i++)
        if (needed[i]) heddle__source_instr(s, i, &names);
    for (int k = 0; k < p->n_stores; k++) {
        heddle__put(s->text, "p%d[", p->stores[k].operand);
        put_kept_offset(s, p->stores[k].operand);
        heddle__put(s->text, "] = v%d;\n", p->stores[k].value);
    }
}

/* ---- trees ----------------------------------------------------------------------------------- */

static void by_thread(const struct heddle_source *s, const struct pass *pass)
{
    struct heddle_text *t = s->text;
    char type[32], full[48], a[16], e[24];
    for (int r = 0; r < s->p->n_reductions; r++) {
        heddle__put(t, "%s a%d = ", value_type(s, r, type), r);
        put_identity(s, r);
        heddle__put(t, ";\n");
    }
    heddle__put(t, "for (I b = 0; b < n; b += %d) {\n", pass->unroll);
    snprintf(full, sizeof full, "b + %d <= n", pass->unroll);
    put_elements(s, pass, pass->unroll, "b + t", full);
    heddle__put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\nif (!ok[t]) continue;\n",
                pass->unroll);
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(a, sizeof a, "a%d", r);
        snprintf(e, sizeof e, "e%d[t]", r);
        heddle__put(t, "if (t == 0 && b == 0) a%d = e%d[t];\nelse ", r, r);
        put_combine(s, r, a, e);
    }
    heddle__put(t, "}\n}\n");
    put_results(s, pass);
}

/* Halves 16, 8, 4, 2, 1 of a warp's 32 lanes, in a<r>. */
static void put_shuffles(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    char type[32], a[16];
    heddle__put(t, "#pragma unroll\nfor (int half = 16; half > 0; half /= 2) {\n");
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(a, sizeof a, "a%d", r);
        heddle__put(t,
                    "{\nconst %s y = hd_from_lane(a%d, (lane + half) & 31);\n"
                    "if (lane < half && lane + half < n) ",
                    value_type(s, r, type), r);
        put_combine(s, r, a, "y");
        heddle__put(t, "}\n");
    }
    heddle__put(t, "}\n");
}

static void by_warp(const struct heddle_source *s, const struct pass *pass)
{
    struct heddle_text *t = s->text;
    const int together = pass->lanes < 8 ? pass->lanes : 8;
    char type[32], full[48], a[24], b[24];
    heddle__put(t, "const int lane = threadIdx.x & 31;\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__put(t, "%s w%d[%d];\n", value_type(s, r, type), r, pass->lanes);
    heddle__put(t, "#pragma unroll\nfor (int b = 0; b < %d; b += %d) {\n", pass->lanes, together);
    snprintf(full, sizeof full, "(I)(32 * (b + %d)) <= n", together);
    put_elements(s, pass, together, "(I)(lane + 32 * (b + t))", full);
    heddle__put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", together);
    for (int r = 0; r < s->p->n_reductions; r++) heddle__put(t, "w%d[b + t] = e%d[t];\n", r, r);
    /* each half by itself: a loop over halves stays a loop, and the lanes leave the registers */
    heddle__put(t, "}\n}\nif (n > %d) {\n", HEDDLE_TREE_SHORT);
    for (int half = pass->lanes / 2; half > 0; half /= 2) {
        heddle__put(t,
                    "#pragma unroll\nfor (int t = 0; t < %d; t++)\n"
                    "if (lane + 32 * (t + %d) < n) {\n",
                    half, half);
        for (int r = 0; r < s->p->n_reductions; r++) {
            snprintf(a, sizeof a, "w%d[t]", r);
            snprintf(b, sizeof b, "w%d[t + %d]", r, half);
            put_combine(s, r, a, b);
        }
        heddle__put(t, "}\n");
    }
    heddle__put(t, "}\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__put(t, "%s a%d = w%d[0];\n", value_type(s, r, type), r, r);
    heddle__put(t, "if (n > %d) {\n", HEDDLE_TREE_SHORT);
    put_shuffles(s);
    heddle__put(t, "} else {\n");
    for (int r = 0; r < s->p->n_reductions; r++) { /* left to right; only lane 0's result counts */
        snprintf(a, sizeof a, "a%d", r);
        heddle__put(t, "for (int j = 1; j < n; j++) {\nconst %s y = hd_from_lane(w%d[0], j);\n",
                    value_type(s, r, type), r);
        put_combine(s, r, a, "y");
        heddle__put(t, "}\n");
    }
    heddle__put(t, "}\nif (lane == 0) {\n");
    put_results(s, pass);
    heddle__put(t, "}\n");
}

static void by_block(const struct heddle_source *s, const struct pass *pass)
{
    struct heddle_text *t = s->text;
    const int slots = 4 * pass->unroll, n_reductions = s->p->n_reductions;
    char type[32], full[48], a[32], b[32];
    heddle__put(t, "const int lane = threadIdx.x;\n");
    for (int r = 0; r < n_reductions; r++)
        heddle__put(t, "%s w%d[4];\n", value_type(s, r, type), r);
    heddle__put(t, "for (I b = 0; b < n; b += %d) {\n", 256 * slots);
    snprintf(full, sizeof full, "b + %d <= n", 256 * slots);
    put_elements(s, pass, slots, "b + (I)(t * 256 + lane)", full);
    heddle__put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", slots);
    for (int r = 0; r < n_reductions; r++) {
        snprintf(a, sizeof a, "w%d[t & 3]", r);
        snprintf(b, sizeof b, "e%d[t]", r);
        heddle__put(t, "if (t < 4 && b == 0) w%d[t & 3] = e%d[t];\nelse if (ok[t]) ", r, r);
        put_combine(s, r, a, b);
    }
    heddle__put(t, "}\n}\n");
    /* halves 512 and 256 are in the thread; 128, 64, 32 go through shared memory */
    heddle__put(t, "if (n > %d) {\n", HEDDLE_TREE_SHORT);
    static const int pairs[3][3] = {{512, 0, 2}, {768, 1, 3}, {256, 0, 1}};
    for (int k = 0; k < 3; k++) {
        heddle__put(t, "if (lane + %d < n) {\n", pairs[k][0]);
        for (int r = 0; r < n_reductions; r++) {
            snprintf(a, sizeof a, "w%d[%d]", r, pairs[k][1]);
            snprintf(b, sizeof b, "w%d[%d]", r, pairs[k][2]);
            put_combine(s, r, a, b);
        }
        heddle__put(t, "}\n");
    }
    heddle__put(t, "}\n__syncthreads();\n");
    for (int r = 0; r < n_reductions; r++) heddle__put(t, "shared%d[lane] = w%d[0];\n", r, r);
    heddle__put(t,
                "__syncthreads();\nif (n > %d) {\n#pragma unroll\n"
                "for (int half = 128; half >= 64; half /= 2) {\n"
                "if (lane < half && lane + half < n) {\n",
                HEDDLE_TREE_SHORT);
    for (int r = 0; r < n_reductions; r++) {
        snprintf(a, sizeof a, "shared%d[lane]", r);
        snprintf(b, sizeof b, "shared%d[lane + half]", r);
        put_combine(s, r, a, b);
    }
    heddle__put(t, "}\n__syncthreads();\n}\n}\nif (lane < 32) {\n");
    for (int r = 0; r < n_reductions; r++)
        heddle__put(t, "%s a%d = shared%d[lane];\n", value_type(s, r, type), r, r);
    heddle__put(t, "if (n > %d) {\nif (lane + 32 < n) {\n", HEDDLE_TREE_SHORT);
    for (int r = 0; r < n_reductions; r++) {
        snprintf(a, sizeof a, "a%d", r);
        snprintf(b, sizeof b, "shared%d[lane + 32]", r);
        put_combine(s, r, a, b);
    }
    heddle__put(t, "}\n");
    put_shuffles(s);
    heddle__put(t, "} else {\nfor (int j = 1; j < n; j++) {\n");
    for (int r = 0; r < n_reductions; r++) {
        snprintf(a, sizeof a, "a%d", r);
        snprintf(b, sizeof b, "shared%d[j]", r);
        put_combine(s, r, a, b);
    }
    heddle__put(t, "}\n}\nif (lane == 0) {\n");
    put_results(s, pass);
    heddle__put(t, "}\n}\n");
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The unit of a pass: its kept element, and its chunk: number, first element, length. */
static void put_unit(const struct heddle_source *s, const struct pass *pass)
{
    struct heddle_text *t = s->text;
    if (pass->is_finish) {
        heddle__put(t, "const I kept = unit;\n");
        return;
    }
    if (pass->has_results) {
        heddle__put(t, "const I kept = unit, start = 0, n = (I)args.v[%d];\n", HEDDLE_SLOT_CHUNK);
        return;
    }
    if (pass->form == HEDDLE_FORM_THREAD) /* neighbours have neighbouring kept elements */
        heddle__put(t,
                    "const I chunk = hd_quotient(unit, (I)args.v[%d], args.v[%d]);\n"
                    "const I kept = unit - chunk * (I)args.v[%d];\n",
                    HEDDLE_SLOT_N, HEDDLE_SLOT_MAGIC_N, HEDDLE_SLOT_N);
    else
        heddle__put(t,
                    "const I kept = hd_quotient(unit, chunks, args.v[%d]);\n"
                    "const I chunk = unit - kept * chunks;\n",
                    HEDDLE_SLOT_MAGIC_CHUNKS);
    heddle__put(t,
                "const I outer = hd_quotient(chunk, (I)args.v[%d], args.v[%d]);\n"
                "const I skip = (chunk - outer * (I)args.v[%d]) * (I)args.v[%d];\n"
                "const I start = outer * (I)args.v[%d] + skip;\n"
                "const I left = (I)args.v[%d] - skip;\n"
                "const I n = left < (I)args.v[%d] ? left : (I)args.v[%d];\n",
                HEDDLE_SLOT_GROUP_CHUNKS, HEDDLE_SLOT_MAGIC_GROUP_CHUNKS, HEDDLE_SLOT_GROUP_CHUNKS,
                HEDDLE_SLOT_CHUNK, HEDDLE_SLOT_GROUP, HEDDLE_SLOT_GROUP, HEDDLE_SLOT_CHUNK,
                HEDDLE_SLOT_CHUNK);
}

/* The chunk of a unit, or the partials of a kept element. */
static void put_pass(const struct heddle_source *s, const struct pass *pass)
{
    if (pass->is_finish) heddle__put(s->text, "const I n = chunks;\n");
    put_chunk_start(s, pass);
    if (pass->form == HEDDLE_FORM_THREAD)
        by_thread(s, pass);
    else if (pass->form == HEDDLE_FORM_WARP)
        by_warp(s, pass);
    else
        by_block(s, pass);
}

/* `finish`: the pass that follows within the kernel, or NULL. Such a kernel has a block for each unit:
 * in a loop over units, what the second pass starts from would be kept in registers for the first. */
static void put_kernel(const struct heddle_source *s, const char *name, const struct pass *pass,
                       const struct pass *finish)
{
    struct heddle_text *t = s->text;
    const struct heddle_program *p = s->p;
    char type[32];
    if (finish) heddle__put(t, "__device__ unsigned hd_ticket[%d];\n", HEDDLE_CUDA_TICKETS);
    heddle__put(t,
                "extern \"C\" __global__ void __launch_bounds__(%s)\n%s"
                "(const __grid_constant__ hd_args args)\n{\n",
                s->c->light && !pass->is_finish ? "256, 8" : "256", name);
    heddle__source_operands(s);
    heddle__put(t, "const I chunks = (I)args.v[%d];\n", HEDDLE_SLOT_CHUNKS);
    for (int r = 0; r < p->n_reductions; r++) {
        value_type(s, r, type);
        if (pass->is_finish || !pass->has_results)
            heddle__put(t, "%s *const m%d = (%s *)args.v[%d];\n", type, r, type,
                        HEDDLE_SLOT_PARTIAL + r);
        if (pass->form == HEDDLE_FORM_BLOCK)
            heddle__put(t, "__shared__ %s shared%d[256];\n", type, r);
    }
    if (finish)
        heddle__put(t, "{\nconst I unit = (I)blockIdx.x;\n");
    else
        heddle__put(
            t, "for (I unit = %s; unit < (I)args.v[%d];\n     unit += (I)gridDim.x * %s) {\n",
            pass->form == HEDDLE_FORM_THREAD ? "(I)blockIdx.x * (I)blockDim.x + (I)threadIdx.x"
            : pass->form == HEDDLE_FORM_WARP ? "(I)blockIdx.x * 8 + (I)threadIdx.x / 32"
                                             : "(I)blockIdx.x",
            pass->is_finish ? HEDDLE_SLOT_N : HEDDLE_SLOT_UNITS,
            pass->form == HEDDLE_FORM_THREAD ? "(I)blockDim.x"
            : pass->form == HEDDLE_FORM_WARP ? "8"
                                             : "1");
    put_unit(s, pass);
    put_pass(s, pass);
    if (finish) {
        heddle__put(t, "if (hd_is_last(hd_ticket + kept, (unsigned)chunks)) {\n");
        put_pass(s, finish);
        heddle__put(t, "}\n");
    }
    heddle__put(t, "}\n}\n");
}

void heddle__source_reduction(const struct heddle_source *s)
{
    const struct heddle_cuda_class *c = s->c;
    const struct pass chunks = {c->form, c->lanes, c->unroll, 0, c->whole};
    const struct pass finish = {c->finish, c->finish_lanes, c->finish == HEDDLE_FORM_BLOCK ? 1 : 4,
                                1, 1};
    if (c->form != HEDDLE_FORM_NONE)
        put_kernel(s, HEDDLE_KERNEL_MAIN, &chunks, c->joined ? &finish : NULL);
    if (c->finish != HEDDLE_FORM_NONE && !c->joined)
        put_kernel(s, HEDDLE_KERNEL_FINISH, &finish, NULL);
}
