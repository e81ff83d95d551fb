/* Runs as C: for each dtype the functions of scalar.h, with its name in theirs, then a function with one loop, over each row,
 * for each run. Values are numbered as they come, so that runs that are alike are one text. Entry point: heddle__plan_source. */
#include "cpu/compiled/plan.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

extern const char heddle__scalar_text[], heddle__scalar_integer_text[], heddle__scalar_real_text[],
    heddle__scalar_complex_text[], heddle__division_text[];

static const struct {
    const char *id, *type;
    int bytes;
    char kind[2];
} dtypes[HEDDLE_N_DTYPES] = {
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

/* The text, with the dtype in each of our names. */
static void put_text(struct heddle_text *t, const char *text, int dtype)
{
    const char *from = text;
    for (const char *at = text; *at; at++) {
        const int n = prefix_at(text, at);
        if (n == 0) continue;
        heddle__text_put(t, "%.*s%s_", (int)(at + n - from), from, dtypes[dtype].id);
        from = at + n;
    }
    heddle__text_put_all(t, from);
}

static void put_functions(struct heddle_text *t, int dtype, bool prepares)
{
    const char kind = *dtypes[dtype].kind, *id = dtypes[dtype].id;
    heddle__text_put(t, "#define HD_%s_T %s\n#define HD_%s_KIND HD_%s_%c\n", id, dtypes[dtype].type,
                     id, id, kind);
    heddle__text_put(t, "#define HD_%s_BYTES %d\n#define HD_%s_SINGLE %d\n", id,
                     dtypes[dtype].bytes, id, dtypes[dtype].bytes == (kind == 'C' ? 8 : 4));
    put_text(t, heddle__scalar_text, dtype);
    put_text(t,
             kind == 'C'   ? heddle__scalar_complex_text
             : kind == 'F' ? heddle__scalar_real_text
                           : heddle__scalar_integer_text,
             dtype);
    if (prepares) put_text(t, heddle__division_text, dtype);
}

/* ---- Runs ------------------------------------------------------------------------------------------------ */

struct writer {
    struct heddle_text text;
    const struct heddle__plan *plan;
    const struct heddle__section *section;
    bool near; /* the loop expects that conversions to narrower integers fit in an int32 */
    uint16_t number[HEDDLE_MAX_INSTRS]; /* of a value in its run's function */
};

static const struct heddle_instr *instr_of(const struct writer *w, int value)
{
    return &w->section->program->instrs[value];
}

static const char *type_of(const struct writer *w, int value)
{
    return dtypes[instr_of(w, value)->result].type;
}

static void put_cast(struct writer *w, const struct heddle_instr *in)
{
    const char *from = dtypes[in->dtype].id, *to = dtypes[in->result].type;
    if (w->near && heddle__narrows(in)) {
        heddle__text_put(&w->text, "hd_%s_near(x)", from);
        return;
    }
    switch (*dtypes[in->result].kind) {
    case 'B': heddle__text_put(&w->text, "hd_%s_to_bool(x)", from); break;
    case 'I': heddle__text_put(&w->text, "hd_%s_to_i64(x)", from); break;
    case 'U': heddle__text_put(&w->text, "hd_%s_to_u64(x)", from); break;
    case 'F': heddle__text_put(&w->text, "HD_%s_TO_FLOAT(%s, x)", from, to); break;
    default: heddle__text_put(&w->text, "HD_%s_TO_COMPLEX(%s, x)", from, to); break;
    }
}

/* The same expression as in a block function, of operands of the same names and types. */
static void put_operation(struct writer *w, int value)
{
    static const char names[] = "xyz";
    const struct heddle_instr *in = instr_of(w, value);
    const char *const prepared = heddle__prepared(w->section, in);
    const uint16_t operand[3] = {in->a, in->b, in->c};
    heddle__text_put(&w->text, "        %s v%d;\n        {\n", type_of(w, value), w->number[value]);
    for (int k = 0; k < heddle__instr_arity(in); k++)
        heddle__text_put(&w->text, "            const %s %c = v%d;\n", type_of(w, operand[k]),
                         names[k], w->number[operand[k]]);
    if (w->near && heddle__narrows(in))
        heddle__text_put(&w->text, "            far_%s |= hd_%s_is_far(x);\n", dtypes[in->dtype].id,
                         dtypes[in->dtype].id);
    heddle__text_put(&w->text, "            v%d = (%s)(", w->number[value], type_of(w, value));
    if (in->code == HEDDLE_CODE_CAST)
        put_cast(w, in);
    else if (prepared)
        heddle__text_put(&w->text, "hd_%s_%s_by(x, &%s%d)", dtypes[in->dtype].id,
                         heddle__ops[in->code].name, prepared, w->number[in->b]);
    else
        put_text(&w->text, heddle__ops[in->code].expression, in->dtype);
    heddle__text_put(&w->text, ");\n        }\n");
}

/* Whether the run's value map[k] changes with the element. */
static bool is_moving(const struct writer *w, const struct heddle__run *run, int k)
{
    return heddle__bit(w->section->moving, w->plan->map[run->map + k]);
}

/* The operations on element `i` of a row. */
static void put_element(struct writer *w, const struct heddle__run *run, const char *i)
{
    const uint16_t *map = w->plan->map + run->map, *items = w->plan->items + run->first;
    const int n_map = run->n_inputs + run->n_outputs;
    struct heddle_text *t = &w->text;
    for (int k = 0; k < run->n_inputs; k++)
        if (is_moving(w, run, k) && instr_of(w, map[k])->result == HEDDLE_BOOL) /* as in loops.c */
            heddle__text_put(t, "        const bool v%d = ((uint8_t *)at%d)[%s] != 0;\n", k, k, i);
        else if (is_moving(w, run, k))
            heddle__text_put(t, "        const %s v%d = ((%s *)at%d)[%s];\n", type_of(w, map[k]), k,
                             type_of(w, map[k]), k, i);
    for (int k = 0; k < run->n; k++) put_operation(w, items[k]);
    for (int k = run->n_inputs; k < n_map; k++)
        heddle__text_put(t, "        ((%s *)at%d)[%s] = v%d;\n", type_of(w, map[k]), k, i,
                         w->number[map[k]]);
}

/* What is made of numbers once for all elements. */
static void put_prepared(struct writer *w, const struct heddle__run *run)
{
    for (int k = 0; k < run->n; k++) {
        const struct heddle_instr *in = instr_of(w, w->plan->items[run->first + k]);
        const char *const prepared = heddle__prepared(w->section, in), *id = dtypes[in->dtype].id;
        bool again = false; /* another operation has the same */
        for (int j = 0; prepared && j < k && !again; j++) {
            const struct heddle_instr *other = instr_of(w, w->plan->items[run->first + j]);
            const char *const its = heddle__prepared(w->section, other);
            again = its && other->b == in->b && !strcmp(its, prepared);
        }
        if (!prepared || again) continue;
        const int v = w->number[in->b];
        heddle__text_put(&w->text, "    const struct hd_%s_%s %s%d = hd_%s_%s_of(v%d);\n", id,
                         prepared, prepared, v, id, prepared, v);
    }
}

static void put_next_row(struct writer *w, const struct heddle__run *run)
{
    heddle__text_put_all(&w->text, "    if (rows == 1) return;\n");
    for (int k = 0; k < run->n_inputs + run->n_outputs; k++)
        if (is_moving(w, run, k)) heddle__text_put(&w->text, "    at%d += step%d;\n", k, k);
    heddle__text_put_all(&w->text, "    }\n");
}

static void put_loop(struct writer *w, const struct heddle__run *run, const char *from,
                     const char *to)
{
    heddle__text_put(&w->text, "    VECTOR\n    for (size_t i = %s; i < %s; i++) {\n", from, to);
    put_element(w, run, "i");
    heddle__text_put_all(&w->text, "    }\n");
}

/* A row of a run that narrows, by strips: once as if all fitted, unless that overwrites operands; and again where something did
 * not fit. */
static void put_strips(struct writer *w, const struct heddle__run *run)
{
    struct heddle_text *t = &w->text;
    heddle__text_put_all(t, "    bool apart = true;\n");
    for (int k = 0; k < run->n_inputs; k++)
        for (int out = 0; is_moving(w, run, k) && out < run->n_outputs; out++)
            heddle__text_put(t, "    apart &= at%d != at%d;\n", k, run->n_inputs + out);
    heddle__text_put_all(t, "    for (size_t from = 0, to; from < n; from = to) {\n"
                            "    to = n - from < 512 ? n : from + 512;\n"
                            "    int64_t far_float64 = 0;\n"
                            "    int32_t far_float32 = 0;\n"
                            "    if (apart) {\n");
    w->near = true;
    put_loop(w, run, "from", "to");
    w->near = false;
    heddle__text_put_all(t, "    }\n    if (!apart || far_float64 || far_float32) {\n");
    put_loop(w, run, "from", "to");
    heddle__text_put_all(t, "    }\n    }\n");
}

static bool narrows(const struct writer *w, const struct heddle__run *run)
{
    for (int k = 0; k < run->n; k++)
        if (heddle__narrows(instr_of(w, w->plan->items[run->first + k]))) return true;
    return false;
}

/* Rows of one element have a loop of their own, which the empty assembly keeps from becoming vectors: columns are not worth them. */
static void put_run(struct writer *w, const struct heddle__run *run, int number)
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
    put_prepared(w, run);
    for (int k = 0; k < n_map; k++)
        if (is_moving(w, run, k))
            heddle__text_put(t, "    const int64_t step%d = pitch[map[%d]];\n", k, k);
    heddle__text_put_all(t, "    for (; n == 1; rows--) {\n    __asm__ volatile(\"\");\n");
    put_element(w, run, "0");
    put_next_row(w, run);
    heddle__text_put_all(t, "    for (;; rows--) {\n");
    if (narrows(w, run))
        put_strips(w, run);
    else
        put_loop(w, run, "0", "n");
    put_next_row(w, run);
    heddle__text_put_all(t, "}\n");
}

/* ---- Folds ----------------------------------------------------------------------------------------------- */

/* Bools are bytes there, as in blocks. */
static const char *accumulator_type(const struct heddle_reduce_instr *r)
{
    return r->dtype == HEDDLE_BOOL ? "uint8_t" : dtypes[r->dtype].type;
}

/* acc = acc combined with value, of reduction r; of a place the row's number, too. */
static void put_combined(struct writer *w, int r, const char *acc, const char *value, int row)
{
    const struct heddle_reduce_instr *reduction = &w->section->program->reductions[r];
    const char *type = accumulator_type(reduction);
    struct heddle_text *t = &w->text;
    heddle__text_put(t, "        {\n            const %s x = %s, y = %s;\n", type, acc, value);
    if (heddle__is_arg(reduction)) {
        /* hd_above, hd_below, by two selections: GCC 12 makes branches of one whose condition has two parts */
        const bool is_nan = *dtypes[reduction->dtype].kind == 'F';
        char first_nan[64] = "false";
        if (is_nan)
            snprintf(first_nan, sizeof first_nan, "hd_%s_first_nan(y, x)",
                     dtypes[reduction->dtype].id);
        heddle__text_put(t,
                         "            const bool take = y %s x, is_nan = %s;\n"
                         "            const %s best = take ? y : x;\n"
                         "            const int32_t place = take ? first + %d : place%d;\n"
                         "            %s = is_nan ? y : best;\n"
                         "            place%d = is_nan ? first + %d : place;\n        }\n",
                         reduction->op == HEDDLE_REDUCE_ARGMAX ? ">" : "<", first_nan, type, row, r,
                         acc, r, row);
        return;
    }
    heddle__text_put(t, "            %s = (%s)(", acc, type);
    put_text(t, heddle__reductions[reduction->op].expression, reduction->dtype);
    heddle__text_put_all(t, ");\n        }\n");
}

/* The reductions' values of element i of row `row` after the first one. */
static void put_values(struct writer *w, const struct heddle__run *run, int row)
{
    const struct heddle_program *program = w->section->program;
    const uint16_t *map = w->plan->map, *items = w->plan->items;
    struct heddle_text *t = &w->text;
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "        %s value%d_%d;\n", accumulator_type(&program->reductions[r]),
                         r, row);
    heddle__text_put_all(t, "        {\n");
    for (int k = 0; k < run->n_inputs; k++) {
        const char *type = type_of(w, map[k]);
        if (!is_moving(w, run, k)) continue;
        if (heddle__bit(w->section->flat, map[k]))
            heddle__text_put(t, "        const %s v%d = flat%d_%d;\n", type, k, k, row);
        else if (instr_of(w, map[k])->result == HEDDLE_BOOL) /* as in loops.c */
            heddle__text_put(
                t, "        const bool v%d = ((uint8_t *)(at%d + %d * step%d))[i] != 0;\n", k, k,
                row, k);
        else
            heddle__text_put(t, "        const %s v%d = ((%s *)(at%d + %d * step%d))[i];\n", type,
                             k, type, k, row, k);
    }
    for (int k = 0; k < run->n; k++) put_operation(w, items[k]);
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "        value%d_%d = (%s)v%d;\n", r, row,
                         accumulator_type(&program->reductions[r]),
                         w->number[program->reductions[r].value]);
    heddle__text_put_all(t, "        }\n");
}

static void put_flat(struct writer *w, const struct heddle__run *run, int rows)
{
    const uint16_t *map = w->plan->map;
    for (int k = 0; k < run->n_inputs; k++)
        for (int row = 0; row < rows && heddle__bit(w->section->flat, map[k]); row++)
            heddle__text_put(&w->text,
                             "    const %s flat%d_%d = *(const %s *)(at%d + %d * step%d);\n",
                             type_of(w, map[k]), k, row, type_of(w, map[k]), k, row, k);
}

static void put_accumulator(struct writer *w, int r)
{
    const struct heddle_reduce_instr *reduction = &w->section->program->reductions[r];
    heddle__text_put(&w->text, "        %s sum%d = sums%d[i];\n", accumulator_type(reduction), r,
                     r);
    if (heddle__is_arg(reduction))
        heddle__text_put(&w->text, "        int32_t place%d = places%d[i];\n", r, r);
}

/* As many rows at a time: an accumulator is read and written once for all of them. */
static void put_rows(struct writer *w, const struct heddle__run *run, int rows)
{
    const int n_reductions = w->section->program->n_reductions;
    struct heddle_text *t = &w->text;
    heddle__text_put(t, "    for (; rows >= %d; rows -= %d) {\n", rows, rows);
    put_flat(w, run, rows);
    heddle__text_put_all(t, "    VECTOR\n    for (size_t i = 0; i < n; i++) {\n");
    for (int row = 0; row < rows; row++) {
        put_values(w, run, row);
        for (int r = 0; r < n_reductions; r++) {
            char acc[32], value[32];
            snprintf(acc, sizeof acc, "sum%d", r);
            snprintf(value, sizeof value, "value%d_%d", r, row);
            if (row == 0) put_accumulator(w, r);
            put_combined(w, r, acc, value, row);
        }
    }
    for (int r = 0; r < n_reductions; r++) {
        heddle__text_put(t, "        sums%d[i] = sum%d;\n", r, r);
        if (heddle__is_arg(&w->section->program->reductions[r]))
            heddle__text_put(t, "        places%d[i] = place%d;\n", r, r);
    }
    heddle__text_put_all(t, "    }\n");
    if (heddle__has_arg(w->section->program)) heddle__text_put(t, "    first += %d;\n", rows);
    for (int k = 0; k < run->n_inputs; k++)
        if (is_moving(w, run, k)) heddle__text_put(t, "    at%d += %d * step%d;\n", k, rows, k);
    heddle__text_put_all(t, "    }\n");
}

/* A group of as many rows, as the tree combines them. */
static void put_group(struct writer *w, const struct heddle__run *run, int rows, bool joins)
{
    static const char *const of_tree[][2] = {
        {"value%d_0", "value%d_2"}, {"value%d_1", "value%d_3"}, {"value%d_0", "value%d_1"}};
    static const int last_of[] = {2, 3, 1}; /* the last row that it has */
    const int n_reductions = w->section->program->n_reductions;
    struct heddle_text *t = &w->text;
    heddle__text_put(t, "    if (rows == %d) {\n", rows);
    put_flat(w, run, rows);
    heddle__text_put_all(t, "    VECTOR\n    for (size_t i = 0; i < n; i++) {\n");
    for (int row = 0; row < rows; row++) put_values(w, run, row);
    for (int r = 0; r < n_reductions; r++) {
        char x[32], y[32];
        for (int k = 0; k < 3; k++) {
            snprintf(x, sizeof x, of_tree[k][0], r);
            snprintf(y, sizeof y, of_tree[k][1], r);
            if (last_of[k] < rows) put_combined(w, r, x, y, 0);
        }
        snprintf(x, sizeof x, "sum%d", r);
        snprintf(y, sizeof y, "value%d_0", r);
        heddle__text_put(t, "        %s sum%d = %s%d%s;\n",
                         accumulator_type(&w->section->program->reductions[r]), r,
                         joins ? "sums" : "value", r, joins ? "[i]" : "_0");
        if (joins) put_combined(w, r, x, y, 0);
        heddle__text_put(t, "        sums%d[i] = sum%d;\n", r, r);
    }
    heddle__text_put_all(t, "    }\n    return;\n    }\n");
}

static void put_fold(struct writer *w, const struct heddle__run *run, int number)
{
    const struct heddle_program *program = w->section->program;
    const uint16_t *map = w->plan->map;
    struct heddle_text *t = &w->text;
    for (int k = 0; k < run->n_inputs; k++) w->number[map[k]] = (uint16_t)k;
    for (int k = 0; k < run->n; k++) w->number[w->plan->items[k]] = (uint16_t)(run->n_inputs + k);
    heddle__text_put(t,
                     "void heddle_run_%d(size_t n, size_t rows, void *const *ptr, "
                     "const int64_t *pitch, const uint16_t *map)\n{\n"
                     "    (void)map;\n",
                     number);
    for (int k = 0; k < run->n_inputs; k++) {
        const char *type = type_of(w, map[k]);
        if (is_moving(w, run, k))
            heddle__text_put(t,
                             "    char *at%d = ptr[%d];\n    const int64_t step%d = pitch[%d];\n",
                             k, k, k, k);
        else
            heddle__text_put(t, "    const %s v%d = *(const %s *)ptr[%d];\n", type, k, type, k);
    }
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "    %s *const sums%d = ptr[%d];\n",
                         accumulator_type(&program->reductions[r]), r, run->n_inputs + r);
    for (int r = 0; r < program->n_reductions; r++)
        if (heddle__is_arg(&program->reductions[r]))
            heddle__text_put(t, "    int32_t *const places%d = ptr[%d];\n", r,
                             run->n_inputs + program->n_reductions + r);
    if (heddle__has_arg(program))
        heddle__text_put(t, "    int32_t first = *(const int32_t *)ptr[%d];\n",
                         run->n_inputs + 2 * program->n_reductions);
    put_prepared(w, run);
    for (int rows = w->plan->group; rows > 0; rows--)
        if (w->section->tree)
            put_group(w, run, rows, number == 1);
        else if (rows == 1 || rows == w->plan->group)
            put_rows(w, run, rows);
    heddle__text_put_all(t, "}\n");
}

char *heddle__plan_source(const struct heddle__plan *plan, const struct heddle__section *section)
{
    struct writer w = {.plan = plan, .section = section};
    bool used[HEDDLE_N_DTYPES] = {false}, prepares[HEDDLE_N_DTYPES] = {false};
    const bool folds = section->folds;
    for (int r = 0; r < plan->n_runs; r++)
        for (int k = 0; (folds || plan->runs[r].n > 1) && k < plan->runs[r].n; k++) {
            const struct heddle_instr *in = instr_of(&w, plan->items[plan->runs[r].first + k]);
            used[in->dtype] = true;
            prepares[in->dtype] |= heddle__prepared(section, in) != NULL;
        }
    for (int r = 0; folds && r < section->program->n_reductions; r++)
        used[section->program->reductions[r].dtype] = true;
    /* iterations are independent: outputs are inputs' own elements or apart from them */
    heddle__text_put_all(&w.text,
                         "#include <stddef.h>\n"
                         "#include <stdint.h>\n"
                         "#if defined(__clang__)\n"
                         "#define VECTOR _Pragma(\"clang loop vectorize(assume_safety)\")\n"
                         "#else\n"
                         "#define VECTOR _Pragma(\"GCC ivdep\")\n"
                         /* paths through several selections would be copies of the loop's body */
                         "#pragma GCC optimize(\"no-thread-jumps\")\n"
                         "#endif\n");
    for (int d = 0; d < HEDDLE_N_DTYPES; d++)
        if (used[d]) put_functions(&w.text, d, prepares[d]);
    for (int f = 0; folds && f < plan->n_compiled; f++) put_fold(&w, &plan->runs[0], f);
    for (int r = 0, n = 0; r < plan->n_runs && !folds; r++)
        if (plan->runs[r].n > 1) put_run(&w, &plan->runs[r], n++);
    return heddle__text_take(&w.text);
}
