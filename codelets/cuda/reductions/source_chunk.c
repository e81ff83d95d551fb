/* Generated source of what a chunk of a reduction starts from, of its elements, and of what is made of
 * its result. Entry points: heddle__source_chunk_start,
 * heddle__source_elements, heddle__source_results. */
#include "cuda/reductions/source_reduce.h"

#include <stdio.h>
#include <string.h>

/* ---- the elements of a chunk ----------------------------------------------------------------- */

static int has_strips(const struct heddle_source *s)
{
    return s->c->side > 0;
}

static int n_merged(const struct heddle_source *s)
{
    return s->c->n_kept + s->c->n_reduced;
}

/* Whether a thread has operand k's elements of several kept elements (source_gathered.c). */
static int is_across(const struct heddle_source *s, int k)
{
    return s->c->together && s->c->walk[k] == HEDDLE_WALK_ACROSS;
}

static void element_load(const struct heddle_source *s, int operand)
{
    if (s->c->walk[operand] == HEDDLE_WALK_STILL)
        heddle__text_put(s->text, s->c->together && !s->c->alike[operand] ? "b%d[i]" : "b%d",
                         operand);
    else if (has_strips(s))
        heddle__text_put(s->text, s->c->alike[operand] ? "l%d[t / S][0]" : "l%d[t / S][t %% S]",
                         operand);
    else
        heddle__text_put(s->text, is_across(s, operand) ? "l%d[t][i]" : "l%d[t]", operand);
}

static void element_index(const struct heddle_source *s, int axis)
{
    const int in_strip = has_strips(s) && axis == s->c->across;
    const int together = s->c->together && axis == s->c->n_kept - 1;
    const char *form = axis < s->c->n_kept ? in_strip   ? "(hd_int64)(k%d + t %% S)"
                                             : together ? "(hd_int64)(k%d + i)"
                                                        : "(hd_int64)k%d"
                       : s->c->even ? "(hd_int64)r%d[t & -2] & -2 | (t & 1)" /* as map_index */
                                    : "(hd_int64)r%d[t]";
    heddle__text_put(s->text, form, axis);
}

struct heddle_source_names heddle__source_element_names(int in_compute, const char *live)
{
    return (struct heddle_source_names){element_load, element_index, in_compute, live, 0};
}

void heddle__source_loaded_before(const struct heddle_program *p,
                                  uint8_t loaded[HEDDLE_MAX_OPERANDS])
{
    memset(loaded, 0, HEDDLE_MAX_OPERANDS);
    for (int i = 0; i < p->n_before; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD) loaded[p->instrs[i].a] = 1;
}

void heddle__source_kept_offset(const struct heddle_source *s, int operand)
{
    const int slot = heddle__cuda_operand_slot(s->c, operand) + 1;
    heddle__text_put(s->text, "0");
    for (int d = 0; d < s->c->n_kept; d++)
        if (!(s->c->still[operand] >> d & 1))
            heddle__text_put(s->text, " + k%d * (I)args.v[%d]", d, slot + d);
}

void heddle__source_kept(const struct heddle_source *s)
{
    heddle__text_put(s->text, "I k[%d];\n{\n", s->c->n_kept > 0 ? s->c->n_kept : 1);
    heddle__source_indices(s, "kept", 0, s->c->n_kept, "k[", "]", "");
    heddle__text_put(s->text, "}\n");
    for (int d = 0; d < s->c->n_kept; d++)
        heddle__text_put(s->text, "const I k%d = k[%d];\n", d, d);
}

void heddle__source_offsets(const struct heddle_source *s)
{
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    heddle__source_loaded_before(s->p, loaded);
    for (int k = 0; k < s->p->n_operands; k++) {
        if (!loaded[k]) continue;
        heddle__text_put(s->text, "const I s%d = ", k);
        heddle__source_kept_offset(s, k);
        heddle__text_put(s->text, ";\n");
    }
}

void heddle__source_still(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    heddle__source_loaded_before(p, loaded);
    heddle__source_offsets(s);
    for (int k = 0; k < p->n_operands; k++) {
        const char *type = heddle__source_type(p->operand_dtype[k]);
        if (!loaded[k] || s->c->walk[k] != HEDDLE_WALK_STILL) continue;
        if (!s->c->together || s->c->alike[k])
            heddle__text_put(t, "const %s b%d = n > 0 ? p%d[s%d] : %s();\n", type, k, k, k, type);
        else
            heddle__text_put(t,
                             "%s b%d[R];\n#pragma unroll\nfor (int i = 0; i < R; i++)\n"
                             "b%d[i] = n > 0 ? p%d[s%d + (i < count ? i : 0) * (I)args.v[%d]] : "
                             "%s();\n",
                             type, k, k, k, k, heddle__cuda_operand_slot(s->c, k) + s->c->n_kept,
                             type);
    }
}

void heddle__source_chunk_start(const struct heddle_source *s,
                                const struct heddle_source_pass *pass)
{
    if (!pass->is_finish || pass->has_results) heddle__source_kept(s);
    if (pass->is_finish) return;
    heddle__source_still(s);
    if (!s->c->narrow) return;
    heddle__text_put(s->text, "int o[%d]; /* the first element's reduced indices */\n{\n",
                     n_merged(s));
    heddle__source_indices(s, "start", s->c->n_kept, s->c->n_reduced, "o[", "]", "");
    heddle__text_put(s->text, "}\n");
}

/* r<a>[t] of the chunk's element f, and its number x[t] if an operand goes by it. */
static void put_indices(const struct heddle_source *s, const char *f, const char *suffix)
{
    struct heddle_text *t = s->text;
    char from[48];
    const int last = n_merged(s) - 1;
    if (s->c->in_line) heddle__text_put(t, "x%s = start + (I)(%s);\n", suffix, f);
    if (!s->c->narrow) {
        snprintf(from, sizeof from, "start + %s", f);
        heddle__source_indices(s, from, s->c->n_kept, s->c->n_reduced, "r", suffix, "");
        return;
    }
    heddle__text_put(t, "int q = o[%d] + (int)(%s), d;\n", last, f);
    for (int a = last; a > s->c->n_kept; a--) {
        const int extent = HEDDLE_SLOT_EXTENT + a;
        heddle__text_put(t,
                         "d = hd_quotient(q, (int)args.v[%d], args.v[%d]);\n"
                         "r%d%s = q - d * (int)args.v[%d];\nq = o[%d] + d;\n",
                         extent, HEDDLE_SLOT_MAGIC + a, a, suffix, extent, a - 1);
    }
    heddle__text_put(t, "r%d%s = q;\n", s->c->n_kept, suffix);
}

void heddle__source_element_offset(const struct heddle_source *s, int k, const char *slot)
{
    const int first = heddle__cuda_operand_slot(s->c, k) + 1, last = n_merged(s) - 1;
    const uint8_t walk = s->c->walk[k];
    heddle__text_put(s->text, "s%d", k);
    if (s->c->in_line >> k & 1) {
        heddle__text_put(s->text, " + x[%s]", slot);
        return;
    }
    const char *const by =
        s->c->narrow ? " + (I)r%d[%s] * (int)args.v[%d]" : " + r%d[%s] * (I)args.v[%d]";
    for (int a = s->c->n_kept; a < last; a++)
        if (!(s->c->still[k] >> a & 1)) heddle__text_put(s->text, by, a, slot, first + a);
    if (walk == HEDDLE_WALK_UNIT)
        heddle__text_put(s->text, " + r%d[%s]", last, slot);
    else if (walk == HEDDLE_WALK_GENERAL || walk == HEDDLE_WALK_ACROSS)
        heddle__text_put(s->text, by, last, slot, first + last);
}

int heddle__source_has_quads(const struct heddle_source *s)
{
    return s->c->form == HEDDLE_FORM_BLOCK && s->c->side == 0 && s->c->vector == HEDDLE_CUDA_QUAD;
}

static int is_run(const struct heddle_source *s, int k)
{
    const int form = s->c->form;
    return (form == HEDDLE_FORM_THREAD || form == HEDDLE_FORM_RUNS || form == HEDDLE_FORM_BLOCK) &&
           s->c->side == 0 && s->c->vector > 1 && s->c->walk[k] == HEDDLE_WALK_UNIT;
}

/* Operand k's elements by loads of a run each: all slots of a thread, or a vector's; `some`: those runs that exist, and then the
 * elements of the one that an edge cuts. */
static void put_runs(const struct heddle_source *s, int k, int slots, int some)
{
    struct heddle_text *t = s->text;
    const int length = s->c->vector, has_parts = some && s->c->form == HEDDLE_FORM_BLOCK;
    char slot[16];
    if (s->c->form == HEDDLE_FORM_THREAD) {
        heddle__text_put(t, "hd_load(l%d, p%d + (", k, k);
        heddle__source_element_offset(s, k, "0");
        heddle__text_put(t, "));\n");
        return;
    }
    for (int first = 0; first < slots; first += length) {
        snprintf(slot, sizeof slot, "%d", first);
        heddle__text_put(t, "{\n%s z[%d]%s;\n", heddle__source_type(s->p->operand_dtype[k]), length,
                         some ? " = {}" : "");
        if (some) heddle__text_put(t, "if (ok[%d]) ", first + (has_parts ? length - 1 : 0));
        heddle__text_put(t, "hd_load(z, p%d + (", k);
        heddle__source_element_offset(s, k, slot);
        heddle__text_put(t, "));\n");
        heddle__text_put(t, "#pragma unroll\nfor (int i = 0; i < %d; i++) l%d[%d + i] = z[i];\n}\n",
                         length, k, first);
    }
    if (!has_parts) return;
    heddle__text_put(t,
                     "if (n & %d) {\n#pragma unroll\nfor (int t = 0; t < %d; t++)\n"
                     "if (ok[t] && !ok[t | %d]) l%d[t] = p%d[",
                     length - 1, slots, length - 1, k, k);
    heddle__source_element_offset(s, k, "t");
    heddle__text_put(t, "];\n}\n");
}

static int has_pointer(const struct heddle_source *s, int k)
{
    return s->c->n_reduced == 1 && s->c->walk[k] == HEDDLE_WALK_UNIT;
}

void heddle__source_pointers(const struct heddle_source *s, const char *first)
{
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    heddle__source_loaded_before(s->p, loaded);
    for (int k = 0; k < s->p->n_operands; k++)
        if (loaded[k] && has_pointer(s, k))
            heddle__text_put(s->text, "const %s *const q%d = p%d + (s%d + start + %s);\n",
                             heddle__source_type(s->p->operand_dtype[k]), k, k, k, first);
}

/* Indices and loads of the slots; `some`: at an edge, only those that exist; the others are 0, or the chunk's first element, which is more
 * likely to have an ordinary quotient. */
static void put_loads(const struct heddle_source *s, const uint8_t loaded[], int slots,
                      const char *number, const char *after, int some)
{
    struct heddle_text *t = s->text;
    /* runs are of all elements or none; a quad's elements at an edge are told apart, which quick quotients would not bear */
    const int in_runs =
        s->c->form == HEDDLE_FORM_RUNS ||
        (heddle__source_has_quads(s) && !heddle__source_is_quick(s->p, s->p->n_before));
    const int in_quads = !some && heddle__source_has_quads(s);
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", slots);
    if (in_quads) heddle__text_put(t, "if ((t & 3) == 0) {\n");
    heddle__text_put(t, "const I f = %s;\n", number);
    put_indices(s, some ? "(ok[t] ? f : 0)" : "f", "[t]");
    if (in_quads) { /* neighbours along the last axis */
        heddle__text_put(t, "} else {\n");
        if (s->c->in_line) heddle__text_put(t, "x[t] = x[t & -4] + (t & 3);\n");
        for (int a = s->c->n_kept; a < n_merged(s); a++)
            heddle__text_put(t, "r%d[t] = r%d[t & -4]%s;\n", a, a,
                             a == n_merged(s) - 1 ? " + (t & 3)" : "");
        heddle__text_put(t, "}\n");
    }
    for (int k = 0; k < s->p->n_operands; k++) {
        if (!loaded[k] || s->c->walk[k] == HEDDLE_WALK_STILL ||
            (is_run(s, k) && (in_runs || !some)))
            continue;
        if (is_across(s, k)) { /* of slots beyond an edge: the first one's */
            heddle__text_put(t, "hd_load(l%d[t], p%d + (", k, k);
            heddle__source_element_offset(s, k, "t");
            heddle__text_put(t, "));\n");
            continue;
        }
        heddle__text_put(t, "l%d[t] = ", k);
        if (s->c->walk[k] == HEDDLE_WALK_STAGED) {
            /* where `some` are not there is memory all the same */
            heddle__text_put(t, "stage%d[of_thread%d + (q + t) * %d];\n", k, k, s->c->columns);
            continue;
        }
        if (in_quads && s->c->walk[k] == HEDDLE_WALK_REPEAT)
            heddle__text_put(t, "t & 3 ? l%d[t & -4] : ", k);
        if (after && has_pointer(s, k)) {
            heddle__text_put(t, "q%d[%s];\n", k, after);
            continue;
        }
        if (some && !heddle__source_is_quick(s->p, s->p->n_before))
            heddle__text_put(t, "!ok[t] ? %s() : ", heddle__source_type(s->p->operand_dtype[k]));
        heddle__text_put(t, "p%d[", k);
        heddle__source_element_offset(s, k, "t");
        heddle__text_put(t, "];\n");
    }
    heddle__text_put(t, "}\n");
    for (int k = 0; k < s->p->n_operands && (in_runs || !some); k++) {
        if (!loaded[k] || !is_run(s, k)) continue;
        put_runs(s, k, slots, some);
    }
}

/* The same of strips. */
static void put_strip_loads(const struct heddle_source *s, const uint8_t loaded[], int slots,
                            const char *number, int some)
{
    struct heddle_text *t = s->text;
    const int across = s->c->across;
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\nconst I f = %s;\n", slots,
                     number);
    if (some) heddle__text_put(t, "const int here = f < n ? count : 0;\n");
    put_indices(s, some ? "(here ? f : 0)" : "f", "[t * S]");
    heddle__text_put(t, "#pragma unroll\nfor (int i = 1; i < S; i++) {\n");
    for (int a = s->c->n_kept; a < n_merged(s); a++)
        heddle__text_put(t, "r%d[t * S + i] = r%d[t * S]%s;\n", a, a, a == across ? " + i" : "");
    heddle__text_put(t, "}\n");
    for (int k = 0; k < s->p->n_operands; k++) {
        if (!loaded[k] || s->c->walk[k] == HEDDLE_WALK_STILL) continue;
        const int is_across = s->c->walk[k] == HEDDLE_WALK_ACROSS;
        const int by_run = is_across && s->c->vector > 1 && !some;
        heddle__text_put(t, "const auto *const q%d = p%d + (", k, k);
        heddle__source_element_offset(s, k, "t * S");
        heddle__text_put(t, ");\n");
        if (by_run)
            heddle__text_put(t, "hd_load(l%d[t], q%d);\n", k, k);
        else if (is_across)
            heddle__text_put(t, "hd_load_some(l%d[t], q%d, %s);\n", k, k, some ? "here" : "S");
        else if (s->c->alike[k])
            heddle__text_put(t, some ? "l%d[t][0] = here ? *q%d : %s();\n" : "l%d[t][0] = *q%d;\n",
                             k, k, heddle__source_type(s->p->operand_dtype[k]));
        else
            heddle__text_put(t,
                             "#pragma unroll\nfor (int i = 0; i < S; i++) l%d[t][i] = %s%s%s"
                             "q%d[i * (I)args.v[%d]];\n",
                             k, some ? "i >= here ? " : "",
                             some ? heddle__source_type(s->p->operand_dtype[k]) : "",
                             some ? "() : " : "", k,
                             heddle__cuda_operand_slot(s->c, k) + 1 + across);
    }
    heddle__text_put(t, "}\n");
}

void heddle__source_values(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    char value[16], accumulator[32];
    for (int r = 0; r < p->n_reductions; r++) {
        const struct heddle_reduce_instr *in = &p->reductions[r];
        const char *type = heddle__source_type(in->dtype);
        snprintf(value, sizeof value, "v%d", in->value);
        if (heddle__is_arg(in))
            heddle__text_put(t, "e%d[t] = %s{(%s)(", r,
                             heddle__source_accumulator(s, r, accumulator), type);
        else
            heddle__text_put(t, "e%d[t] = (%s)(", r, type);
        heddle__source_expression(s, heddle__reductions[in->op].element, "", value, "");
        heddle__text_put(t, ")");
        if (!heddle__is_arg(in)) {
            heddle__text_put(t, ";\n");
            continue;
        }
        heddle__text_put(t, s->c->near ? ", 0" : ", args.v[%d]", HEDDLE_SLOT_FLAT);
        for (int a = s->c->n_kept; a < n_merged(s); a++)
            heddle__text_put(t,
                             s->c->near ? " + (int)r%d[t] * (int)args.v[%d]"
                                        : " + (hd_int64)r%d[t] * args.v[%d]",
                             a, HEDDLE_SLOT_FLAT_STRIDE + a);
        heddle__text_put(t, "};\n");
    }
}

/* The elements of a pass over partials. */
static void put_partials(const struct heddle_source *s, int slots, const char *number)
{
    heddle__text_put(s->text, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\nconst I f = %s;\n",
                     slots, number);
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text, "if (ok[t]) e%d[t] = m%d[(hd_int64)kept * chunks + f];\n", r, r);
    heddle__text_put(s->text, "}\n");
}

/* e<r>[t]. */
static void put_slots(const struct heddle_source *s, int n)
{
    char type[32];
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text, "%s e%d[%d];\n", heddle__source_accumulator(s, r, type), r, n);
}

void heddle__source_slots(const struct heddle_source *s, const struct heddle_source_pass *pass,
                          int slots, const char *number, const char *full, const char *after)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    const int in_strips = has_strips(s) && !pass->is_finish, side = in_strips ? s->c->side : 1;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    if (full && s->c->form == HEDDLE_FORM_RUNS && !pass->is_finish)
        heddle__text_put(t,
                         "bool ok[%d];\n#pragma unroll\nfor (int t = 0; t < %d; t++)\n"
                         "ok[t] = t %% %d ? ok[t - 1] : (%s) < n; /* all of a run, or none */\n",
                         slots, slots, s->c->vector, number);
    else if (full)
        heddle__text_put(
            t,
            "bool ok[%d];\n#pragma unroll\nfor (int t = 0; t < %d; t++)\n"
            "#pragma unroll\nfor (int i = 0; i < %d; i++) ok[t * %d + i] = (%s) < n;\n",
            slots * side, slots, side, side, number);
    if (pass->is_finish) {
        put_partials(s, slots, number);
        return;
    }
    heddle__source_loaded_before(p, loaded);
    for (int a = s->c->n_kept; a < n_merged(s); a++)
        heddle__text_put(t, "%s r%d[%d];\n", s->c->narrow ? "int" : "I", a, slots * side);
    if (s->c->in_line) heddle__text_put(t, "I x[%d];\n", slots * side);
    for (int k = 0; k < p->n_operands; k++)
        if (loaded[k] && s->c->walk[k] != HEDDLE_WALK_STILL)
            heddle__text_put(t,
                             in_strips         ? "%s l%d[%d][S];\n"
                             : is_across(s, k) ? "%s l%d[%d][R];\n"
                                               : "%s l%d[%d];\n",
                             heddle__source_type(p->operand_dtype[k]), k, slots);
    if (full) heddle__text_put(t, "if (%s) {\n", full);
    in_strips ? put_strip_loads(s, loaded, slots, number, 0)
              : put_loads(s, loaded, slots, number, after, 0);
    if (full) {
        heddle__text_put(t, "} else {\n");
        in_strips ? put_strip_loads(s, loaded, slots, number, 1)
                  : put_loads(s, loaded, slots, number, NULL, 1);
        heddle__text_put(t, "}\n");
    }
}

void heddle__source_computed(const struct heddle_source *s, int slots, const char *live)
{
    const struct heddle_source_names names =
        heddle__source_element_names(heddle__source_is_quick(s->p, s->p->n_before), live);
    put_slots(s, slots);
    if (names.in_compute) heddle__text_put(s->text, HEDDLE_COMPUTE_BEGIN, "true");
    heddle__text_put(s->text, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", slots);
    for (int i = 0; i < s->p->n_before; i++) heddle__source_instr(s, i, &names);
    heddle__source_values(s);
    heddle__text_put(s->text, names.in_compute ? "}\n" HEDDLE_COMPUTE_END : "}\n");
}

void heddle__source_elements(const struct heddle_source *s, const struct heddle_source_pass *pass,
                             int slots, const char *number, const char *full, const char *after)
{
    const int side = has_strips(s) && !pass->is_finish ? s->c->side : 1;
    const int together = s->c->together && !pass->is_finish;
    if (pass->is_finish) put_slots(s, slots);
    heddle__source_slots(s, pass, slots, number, full, after);
    if (pass->is_finish) return;
    if (together) heddle__text_put(s->text, "#pragma unroll\nfor (int i = 0; i < R; i++) {\n");
    heddle__source_computed(s, slots * side, full ? "ok[t]" : NULL);
}

/* ---- the results of a chunk ------------------------------------------------------------------ */

static void result_load(const struct heddle_source *s, int operand)
{
    heddle__text_put(s->text, "p%d[", operand);
    heddle__source_kept_offset(s, operand);
    heddle__text_put(s->text, "]");
}

static void result_index(const struct heddle_source *s, int axis)
{
    if (axis < s->c->n_kept)
        heddle__text_put(s->text, "(hd_int64)k%d", axis);
    else
        heddle__text_put(s->text, "(hd_int64)0");
}

/* Instructions before the reductions that the code after them names: constants and the like. */
void heddle__source_needed(const struct heddle_program *p, uint8_t needed[HEDDLE_MAX_INSTRS])
{
    memset(needed, 0, HEDDLE_MAX_INSTRS);
    for (int k = 0; k < p->n_stores; k++) needed[p->stores[k].value] = 1;
    memset(needed + p->n_before, 1, (size_t)(p->n_instrs - p->n_before));
    heddle__mark_needed(p, p->n_instrs, needed);
}

void heddle__source_results(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    static const struct heddle_source_names names = {.load = result_load, .index = result_index};
    const struct heddle_program *p = s->p;
    uint8_t needed[HEDDLE_MAX_INSTRS];
    if (!pass->has_results) {
        for (int r = 0; r < p->n_reductions; r++)
            heddle__text_put(s->text, "m%d[(hd_int64)kept * chunks + chunk] = a%d;\n", r, r);
        return;
    }
    heddle__source_needed(p, needed);
    for (int i = 0; i < p->n_instrs; i++)
        if (needed[i]) heddle__source_instr(s, i, &names);
    for (int k = 0; k < p->n_stores; k++) {
        if (pass->form == HEDDLE_FORM_THREAD && s->c->together && !pass->is_finish) {
            heddle__text_put(s->text, "o%d[i] = v%d;\n", p->stores[k].operand, p->stores[k].value);
            continue;
        }
        heddle__text_put(s->text, "p%d[", p->stores[k].operand);
        heddle__source_kept_offset(s, p->stores[k].operand);
        heddle__text_put(s->text, "] = v%d;\n", p->stores[k].value);
    }
}
