/* Runs as C: for each dtype the functions of scalar.h, with its name in theirs, then a function with one loop, over each row,
 * for each run. Values are numbered as they come, so that runs that are alike are one text. Entry point: heddle__plan_source. */
#include "cpu/compiled/source.h"

#include "cpu/compiled/narrow.h"

#include <stdio.h>
#include <string.h>

extern const char heddle__scalar_text[], heddle__scalar_integer_text[], heddle__scalar_real_text[],
    heddle__scalar_complex_text[], heddle__division_text[], heddle__exponentials_text[];

const struct heddle__c_type heddle__c_types[HEDDLE_N_DTYPES] = {
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy)                                            \
    [HEDDLE_##ID] = {#name, #ctype, bytes, #kind},
#define HEDDLE_STORAGE_DTYPE HEDDLE_DTYPE
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
};

/* ---- Names of a dtype ------------------------------------------------------------------------------------ */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The length of the prefix that all names of ours have, at the begin of a name; 0: it is not ours. */
static int prefix_at(const char *begin, const char *at)
{
    static const char *const prefixes[] = {"hd_", "HD_", "HEDDLE_"};
    if (at > begin && is_letter(at[-1])) return 0;
    for (int i = 0; i < 3; i++)
        if (!strncmp(at, prefixes[i], strlen(prefixes[i]))) return (int)strlen(prefixes[i]);
    return 0;
}

void heddle__put_text(struct heddle_text *t, const char *text, int dtype)
{
    const char *from = text;
    for (const char *at = text; *at; at++) {
        const int n = prefix_at(text, at);
        if (n == 0) continue;
        heddle__text_put(t, "%.*s%s_", (int)(at + n - from), from, heddle__c_types[dtype].id);
        from = at + n;
    }
    heddle__text_put_all(t, from);
}

static void put_functions(struct heddle_text *t, int dtype, bool prepares)
{
    const char kind = *heddle__c_types[dtype].kind, *id = heddle__c_types[dtype].id;
    heddle__text_put(t, "#define HD_%s_T %s\n#define HD_%s_KIND HD_%s_%c\n", id,
                     heddle__c_types[dtype].type, id, id, kind);
    heddle__text_put(t, "#define HD_%s_BYTES %d\n#define HD_%s_SINGLE %d\n", id,
                     heddle__c_types[dtype].bytes, id,
                     heddle__c_types[dtype].bytes == (kind == 'C' ? 8 : 4));
    heddle__put_text(t, heddle__scalar_text, dtype);
    heddle__put_text(t,
                     kind == 'C'   ? heddle__scalar_complex_text
                     : kind == 'F' ? heddle__scalar_real_text
                                   : heddle__scalar_integer_text,
                     dtype);
    if (prepares) heddle__put_text(t, heddle__division_text, dtype);
}

/* Functions in place of libm's, whose calls no loop over vectors can have. */
static void put_functions_in_loops(struct heddle__writer *w)
{
    bool has_text = false;
    for (int r = 0; r < w->plan->n_runs; r++) {
        const struct heddle__run *run = &w->plan->runs[r];
        if (!run->compiled) continue; /* a block function */
        for (int k = 0; k < run->n; k++) {
            const struct heddle_instr *in = instr_of(w, w->plan->items[run->first + k]);
            const char *const name = heddle__function_in_loops(in).name;
            if (!name) continue;
            if (!has_text) {
                heddle__text_put_all(&w->text, heddle__exponentials_text);
                heddle__text_put_all(&w->text, "#undef inline\n");
            }
            has_text = true; /* equal definitions may be there twice */
            heddle__text_put(&w->text, "#define hd_%s_%s %s_%c\n", heddle__c_types[in->dtype].id,
                             name, name, in->dtype == HEDDLE_FLOAT32 ? 'f' : 'd');
        }
    }
}

/* ---- Runs ------------------------------------------------------------------------------------------------ */

static void put_cast(struct heddle__writer *w, const struct heddle_instr *in)
{
    const char *from = heddle__c_types[in->dtype].id, *to = heddle__c_types[in->result].type;
    if (w->near && heddle__narrows(in)) {
        heddle__text_put(&w->text, "hd_%s_near(x)", from);
        return;
    }
    switch (*heddle__c_types[in->result].kind) {
    case 'B': heddle__text_put(&w->text, "hd_%s_to_bool(x)", from); break;
    case 'I': heddle__text_put(&w->text, "hd_%s_to_i64(x)", from); break;
    case 'U': heddle__text_put(&w->text, "hd_%s_to_u64(x)", from); break;
    case 'F': heddle__text_put(&w->text, "HD_%s_TO_FLOAT(%s, x)", from, to); break;
    default: heddle__text_put(&w->text, "HD_%s_TO_COMPLEX(%s, x)", from, to); break;
    }
}

/* The dtypes in which an operation is done, and which its value has. */
static struct heddle__narrow dtypes_of(const struct heddle__writer *w, int value)
{
    const struct heddle_instr *in = instr_of(w, value);
    if (w->is_small && w->narrow[value].in) return w->narrow[value];
    return (struct heddle__narrow){in->dtype, in->result};
}

/* What is prepared of the operation's second operand for it, in the dtype in which it is done. */
static void put_prepared_name(struct heddle__writer *w, int value, const char *prepared)
{
    heddle__text_put(&w->text, "%s_%s_%d", prepared, heddle__c_types[dtypes_of(w, value).in].id,
                     w->number[instr_of(w, value)->b]);
}

void heddle__put_operation(struct heddle__writer *w, int value)
{
    static const char names[] = "xyz";
    const struct heddle_instr *in = instr_of(w, value);
    const struct heddle__narrow d = dtypes_of(w, value);
    const char *const prepared = heddle__prepared(w->section, in),
                      *type = heddle__c_types[d.out].type;
    const uint16_t operand[3] = {in->a, in->b, in->c};
    const bool is_narrow = d.in != in->dtype;
    heddle__text_put(&w->text, "        %s v%d;\n        {\n", type, w->number[value]);
    for (int k = 0; k < heddle__instr_arity(in); k++) {
        const bool own = !is_narrow || (in->code == HEDDLE_OP_WHERE && k == 0);
        heddle__text_put(&w->text, "            const %s %c = v%d;\n",
                         own ? type_of(w, operand[k]) : heddle__c_types[d.in].type, names[k],
                         w->number[operand[k]]);
    }
    const struct heddle__in_loops function = heddle__function_in_loops(in);
    const char letter = in->dtype == HEDDLE_FLOAT32 ? 'f' : 'd';
    if (w->near && heddle__narrows(in))
        heddle__text_put(&w->text, "            far_%s |= hd_%s_is_far(x);\n",
                         heddle__c_types[in->dtype].id, heddle__c_types[in->dtype].id);
    if (w->near && function.has_far)
        heddle__text_put(&w->text, "            far_%s |= %s_is_far_%c(x);\n",
                         heddle__c_types[in->dtype].id, function.name, letter);
    heddle__text_put(&w->text, "            v%d = (%s)(", w->number[value], type);
    if (in->code == HEDDLE_CODE_CAST && is_narrow) {
        heddle__text_put_all(&w->text, "x");
    } else if (in->code == HEDDLE_CODE_CAST) {
        put_cast(w, in);
    } else if (prepared) {
        heddle__text_put(&w->text, "hd_%s_%s_by(x, &", heddle__c_types[d.in].id,
                         heddle__ops[in->code].name);
        put_prepared_name(w, value, prepared);
        heddle__text_put_all(&w->text, ")");
    } else if (w->near && function.has_far) {
        heddle__text_put(&w->text, "%s_of_%c(x, true)", function.name, letter);
    } else {
        heddle__put_text(&w->text, heddle__ops[in->code].expression, d.in);
    }
    heddle__text_put(&w->text, ");\n        }\n");
}

void heddle__put_input(struct heddle__writer *w, const struct heddle__run *run, int k,
                       const char *at, const char *i)
{
    const int value = w->plan->map[run->map + k], number = w->number[value];
    const char *const type = type_of(w, value);
    char place[32];
    if (w->plan->step[value]) {
        snprintf(place, sizeof place, "(int64_t)%s * %d", i, w->plan->step[value]);
        i = place;
    }
    if (heddle__bit(w->section->counts, value))
        heddle__text_put(&w->text, "        const int64_t v%d = first%d + (int64_t)%s;\n", number,
                         k, i);
    else if (instr_of(w, value)->result == HEDDLE_BOOL) /* as in loops.c */
        heddle__text_put(&w->text, "        const bool v%d = ((uint8_t *)%s)[%s] != 0;\n", number,
                         at, i);
    else
        heddle__text_put(&w->text, "        const %s v%d = ((%s *)%s)[%s];\n", type, number, type,
                         at, i);
}

static void put_input(struct heddle__writer *w, const struct heddle__run *run, int k, const char *i)
{
    char at[16];
    snprintf(at, sizeof at, "at%d", k);
    heddle__put_input(w, run, k, at, i);
}

/* What is one number for a row: loads, and operations on these and on what is one for all rows. */
static void find_flat(struct heddle__writer *w, const struct heddle__run *run, bool operations)
{
    const uint16_t *map = w->plan->map + run->map, *items = w->plan->items + run->first;
    for (int k = 0; k < run->n_inputs; k++)
        w->flat[map[k]] = !is_moving(w, run, k) || heddle__bit(w->section->flat, map[k]);
    for (int k = 0; k < run->n; k++) {
        const struct heddle_instr *in = instr_of(w, items[k]);
        const uint16_t operand[3] = {in->a, in->b, in->c};
        bool flat = operations;
        for (int j = 0; j < heddle__instr_arity(in); j++) flat = flat && w->flat[operand[j]];
        w->flat[items[k]] = flat;
    }
}

/* What is flat, and where indices begin, before the loop over a row. */
static void put_flat(struct heddle__writer *w, const struct heddle__run *run)
{
    const uint16_t *map = w->plan->map + run->map;
    for (int k = 0; k < run->n_inputs; k++)
        if (heddle__bit(w->section->counts, map[k]))
            heddle__text_put(&w->text, "    const int64_t first%d = *(const int64_t *)at%d;\n", k,
                             k);
        else if (is_moving(w, run, k) && w->flat[map[k]])
            put_input(w, run, k, "0");
    for (int k = 0; k < run->n; k++) {
        const int value = w->plan->items[run->first + k];
        if (w->flat[value]) heddle__put_operation(w, value);
    }
}

void heddle__put_output(struct heddle__writer *w, const struct heddle__run *run, int k, int row,
                        const char *i)
{
    const int value = w->plan->map[run->map + k];
    /* GCC 12 makes no vectors of a loop that stores _Bool made of an integer */
    const bool is_bool = instr_of(w, value)->result == HEDDLE_BOOL;
    const char *const type = is_bool ? "uint8_t" : type_of(w, value);
    char at[48];
    snprintf(at, sizeof at, row ? "(at%d + %d * step%d)" : "at%d", k, row, k);
    heddle__text_put(&w->text, "        ((%s *)%s)[%s] = v%d;\n", type, at, i, w->number[value]);
}

/* The operations on element `i` of a row. */
static void put_element(struct heddle__writer *w, const struct heddle__run *run, const char *i)
{
    const uint16_t *map = w->plan->map + run->map, *items = w->plan->items + run->first;
    const int n_map = run->n_inputs + run->n_outputs;
    for (int k = 0; k < run->n_inputs; k++)
        if (!w->flat[map[k]]) put_input(w, run, k, i);
    for (int k = 0; k < run->n; k++)
        if (!w->flat[items[k]]) heddle__put_operation(w, items[k]);
    for (int k = run->n_inputs; k < n_map; k++) heddle__put_output(w, run, k, 0, i);
}

void heddle__put_prepared(struct heddle__writer *w, const struct heddle__run *run)
{
    for (int k = 0; k < run->n; k++) {
        const int value = w->plan->items[run->first + k], dtype = dtypes_of(w, value).in;
        const struct heddle_instr *in = instr_of(w, value);
        const char *const prepared = heddle__prepared(w->section, in),
                          *id = heddle__c_types[dtype].id;
        if (!prepared || (w->is_small && dtype == in->dtype)) continue;
        bool again = false; /* another operation has the same */
        for (int j = 0; j < k && !again; j++) {
            const int before = w->plan->items[run->first + j];
            const char *const its = heddle__prepared(w->section, instr_of(w, before));
            again = its && instr_of(w, before)->b == in->b && dtypes_of(w, before).in == dtype &&
                    !strcmp(its, prepared);
        }
        if (again) continue;
        heddle__text_put(&w->text, "    const struct hd_%s_%s ", id, prepared);
        put_prepared_name(w, value, prepared);
        heddle__text_put(&w->text, " = hd_%s_%s_of((%s)v%d);\n", id, prepared,
                         heddle__c_types[dtype].type, w->number[in->b]);
    }
}

static void put_next_row(struct heddle__writer *w, const struct heddle__run *run)
{
    heddle__text_put_all(&w->text, "    if (rows == 1) return;\n");
    for (int k = 0; k < run->n_inputs + run->n_outputs; k++)
        if (is_moving(w, run, k)) heddle__text_put(&w->text, "    at%d += step%d;\n", k, k);
    heddle__text_put_all(&w->text, "    }\n");
}

static void put_loop(struct heddle__writer *w, const struct heddle__run *run, const char *from,
                     const char *to)
{
    heddle__text_put(&w->text, "    VECTOR\n    for (size_t i = %s; i < %s; i++) {\n", from, to);
    put_element(w, run, "i");
    heddle__text_put_all(&w->text, "    }\n");
}

/* A row of a run that expects something of its operands, by strips: once as if nothing were far, unless that overwrites operands; and
 * again where something was. Behind a strip that had such a thing the next one is computed without expectations, at once. */
static void put_strips(struct heddle__writer *w, const struct heddle__run *run)
{
    struct heddle_text *t = &w->text;
    heddle__text_put_all(t, "    bool apart = true;\n");
    for (int k = 0; k < run->n_inputs; k++)
        for (int out = 0; is_moving(w, run, k) && out < run->n_outputs; out++)
            heddle__text_put(t, "    apart &= at%d != at%d;\n", k, run->n_inputs + out);
    heddle__text_put_all(t, "    bool expects = apart;\n"
                            "    for (size_t from = 0, to; from < n; from = to) {\n"
                            "    to = n - from < 512 ? n : from + 512;\n"
                            "    int64_t far_float64 = 0;\n"
                            "    int32_t far_float32 = 0;\n"
                            "    if (expects) {\n");
    w->near = true;
    put_loop(w, run, "from", "to");
    w->near = false;
    heddle__text_put_all(t, "    }\n    const bool far = far_float64 || far_float32;\n"
                            "    if (!expects || far) {\n");
    put_loop(w, run, "from", "to");
    heddle__text_put_all(t, "    }\n    expects = apart && !(expects && far);\n    }\n");
}

static bool has_far(const struct heddle__writer *w, const struct heddle__run *run)
{
    for (int k = 0; k < run->n; k++) {
        const struct heddle_instr *in = instr_of(w, w->plan->items[run->first + k]);
        if (heddle__narrows(in) || heddle__function_in_loops(in).has_far) return true;
    }
    return false;
}

/* `has_small`: a loop for small integers, too. Rows of one element have a loop of their own, which the empty assembly keeps from becoming vectors: columns are not worth them. */
static void put_run(struct heddle__writer *w, const struct heddle__run *run, int number,
                    bool has_small)
{
    const uint16_t *map = w->plan->map + run->map, *items = w->plan->items + run->first;
    const int n_map = run->n_inputs + run->n_outputs;
    struct heddle_text *t = &w->text;
    for (int k = 0; k < run->n_inputs; k++) w->number[map[k]] = (uint16_t)k;
    for (int k = 0; k < run->n; k++) w->number[items[k]] = (uint16_t)(run->n_inputs + k);
    heddle__text_put(t,
                     "void heddle_run_%d(size_t n, size_t rows, void *const *ptr, "
                     "const int64_t *pitch, const uint16_t *map)\n{\n"
                     "    (void)map;\n",
                     number);
    for (int k = 0; k < n_map; k++) {
        const char *type = type_of(w, map[k]);
        if (is_moving(w, run, k))
            heddle__text_put(t, "    char *at%d = ptr[map[%d]];\n", k, k);
        else
            heddle__text_put(t, "    const %s v%d = *(const %s *)ptr[map[%d]];\n", type, k, type,
                             k);
    }
    heddle__put_prepared(w, run);
    if (has_small) {
        heddle__put_bounds(w, run);
        w->is_small = true;
        heddle__put_prepared(w, run);
        w->is_small = false;
    }
    for (int k = 0; k < n_map; k++)
        if (is_moving(w, run, k))
            heddle__text_put(t, "    const int64_t step%d = pitch[map[%d]];\n", k, k);
    find_flat(w, run, !has_small);
    heddle__text_put_all(t, "    for (; n == 1; rows--) {\n    __asm__ volatile(\"\");\n");
    put_flat(w, run);
    put_element(w, run, "0");
    put_next_row(w, run);
    if (w->plan->together) heddle__put_rows_together(w, run, has_small);
    heddle__text_put_all(t, "    for (;; rows--) {\n");
    put_flat(w, run);
    if (has_small) {
        heddle__text_put_all(t, "    if (small) {\n");
        w->is_small = true;
        put_loop(w, run, "0", "n");
        w->is_small = false;
        heddle__text_put_all(t, "    } else {\n");
        put_loop(w, run, "0", "n");
        heddle__text_put_all(t, "    }\n");
    } else if (has_far(w, run))
        put_strips(w, run);
    else
        put_loop(w, run, "0", "n");
    put_next_row(w, run);
    heddle__text_put_all(t, "}\n");
}

/* Whether the run has a loop for small integers, whose dtypes it adds. */
static bool find_small(struct heddle__writer *w, const struct heddle__run *run, bool *used,
                       bool *prepares)
{
    if (!run->compiled || has_far(w, run) || !heddle__find_narrow(w, run)) return false;
    for (int k = 0; k < run->n; k++) {
        const int value = w->plan->items[run->first + k], dtype = w->narrow[value].in;
        if (!dtype) continue;
        used[dtype] = true;
        prepares[dtype] |= heddle__prepared(w->section, instr_of(w, value)) != NULL;
    }
    return true;
}

char *heddle__plan_source(const struct heddle__plan *plan, const struct heddle__section *section)
{
    struct heddle__writer w = {.plan = plan, .section = section};
    bool used[HEDDLE_N_DTYPES] = {false}, prepares[HEDDLE_N_DTYPES] = {false};
    const bool folds = section->folds;
    for (int r = 0; r < plan->n_runs; r++)
        for (int k = 0; plan->runs[r].compiled && k < plan->runs[r].n; k++) {
            const struct heddle_instr *in = instr_of(&w, plan->items[plan->runs[r].first + k]);
            used[in->dtype] = true;
            prepares[in->dtype] |= heddle__prepared(section, in) != NULL;
        }
    bool has_small[HEDDLE_MAX_INSTRS] = {false}, any_small = false;
    for (int r = 0; r < plan->n_runs && !folds; r++)
        any_small |= has_small[r] = find_small(&w, &plan->runs[r], used, prepares);
    for (int r = 0; folds && r < section->program->n_reductions; r++)
        used[section->program->reductions[r].dtype] = true;
    /* iterations are independent: outputs are inputs' own elements or apart from them */
    heddle__text_put_all(&w.text,
                         "#include <stddef.h>\n"
                         "#include <stdint.h>\n"
                         "#if defined(__clang__)\n"
                         "#define VECTOR _Pragma(\"clang loop vectorize(assume_safety)\")\n"
                         "#define FEW VECTOR\n"
                         "#else\n"
                         "#define VECTOR _Pragma(\"GCC ivdep\")\n"
                         "#define FEW VECTOR _Pragma(\"GCC unroll 1\")\n"
                         /* paths through several selections would be copies of the loop's body */
                         "#pragma GCC optimize(\"no-thread-jumps\")\n"
                         "#endif\n");
    if (any_small) heddle__text_put_all(&w.text, heddle__bounds_text);
    for (int d = 0; d < HEDDLE_N_DTYPES; d++)
        if (used[d]) put_functions(&w.text, d, prepares[d]);
    put_functions_in_loops(&w);
    for (int f = 0; folds && f < plan->n_compiled; f++) heddle__put_fold(&w, &plan->runs[0], f);
    for (int r = 0, n = 0; r < plan->n_runs && !folds; r++)
        if (plan->runs[r].compiled) put_run(&w, &plan->runs[r], n++, has_small[r]);
    return heddle__text_take(&w.text);
}
