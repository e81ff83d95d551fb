/* Folds as C (plan.h): from the first row to the last, groups of rows that a tree combines, or rows that are combined to lanes each.
 * Entry point: heddle__put_fold. */
#include "cpu/compiled/source.h"

#include <stdio.h>

/* Bools are bytes there, as in blocks. */
static const char *accumulator_type(const struct heddle_reduce_instr *r)
{
    return r->dtype == HEDDLE_BOOL ? "uint8_t" : heddle__c_types[r->dtype].type;
}

/* acc = acc combined with value, of reduction r; of a place the row's number, too. */
static void put_combined(struct heddle__writer *w, int r, const char *acc, const char *value,
                         int row)
{
    const struct heddle_reduce_instr *reduction = &w->section->program->reductions[r];
    const char *type = accumulator_type(reduction);
    struct heddle_text *t = &w->text;
    heddle__text_put(t, "        {\n            const %s x = %s, y = %s;\n", type, acc, value);
    if (heddle__is_arg(reduction)) {
        /* hd_above, hd_below, by two selections: GCC 12 makes branches of one whose condition has two parts */
        const bool is_nan = *heddle__c_types[reduction->dtype].kind == 'F';
        char first_nan[64] = "false";
        if (is_nan)
            snprintf(first_nan, sizeof first_nan, "hd_%s_first_nan(y, x)",
                     heddle__c_types[reduction->dtype].id);
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
    heddle__put_text(t, heddle__reductions[reduction->op].expression, reduction->dtype);
    heddle__text_put_all(t, ");\n        }\n");
}

/* The reductions' values of element `i` of row `row` after the first one. */
static void put_values(struct heddle__writer *w, const struct heddle__run *run, int row,
                       const char *i)
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
                t, "        const bool v%d = ((uint8_t *)(at%d + %d * step%d))[%s] != 0;\n", k, k,
                row, k, i);
        else
            heddle__text_put(t, "        const %s v%d = ((%s *)(at%d + %d * step%d))[%s];\n", type,
                             k, type, k, row, k, i);
    }
    for (int k = 0; k < run->n; k++) heddle__put_operation(w, items[k]);
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "        value%d_%d = (%s)v%d;\n", r, row,
                         accumulator_type(&program->reductions[r]),
                         w->number[program->reductions[r].value]);
    heddle__text_put_all(t, "        }\n");
}

static void put_flat(struct heddle__writer *w, const struct heddle__run *run, int rows)
{
    const uint16_t *map = w->plan->map;
    for (int k = 0; k < run->n_inputs; k++)
        for (int row = 0; row < rows && heddle__bit(w->section->flat, map[k]); row++)
            heddle__text_put(&w->text,
                             "    const %s flat%d_%d = *(const %s *)(at%d + %d * step%d);\n",
                             type_of(w, map[k]), k, row, type_of(w, map[k]), k, row, k);
}

static void put_accumulator(struct heddle__writer *w, int r)
{
    const struct heddle_reduce_instr *reduction = &w->section->program->reductions[r];
    heddle__text_put(&w->text, "        %s sum%d = sums%d[i];\n", accumulator_type(reduction), r,
                     r);
    if (heddle__is_arg(reduction))
        heddle__text_put(&w->text, "        int32_t place%d = places%d[i];\n", r, r);
}

/* As many rows at a time: an accumulator is read and written once for all of them. */
static void put_rows(struct heddle__writer *w, const struct heddle__run *run, int rows)
{
    const int n_reductions = w->section->program->n_reductions;
    struct heddle_text *t = &w->text;
    heddle__text_put(t, "    for (; rows >= %d; rows -= %d) {\n", rows, rows);
    put_flat(w, run, rows);
    heddle__text_put_all(t, "    VECTOR\n    for (size_t i = 0; i < n; i++) {\n");
    for (int row = 0; row < rows; row++) {
        put_values(w, run, row, "i");
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
static void put_group(struct heddle__writer *w, const struct heddle__run *run, int rows, bool joins)
{
    static const char *const of_tree[][2] = {
        {"value%d_0", "value%d_2"}, {"value%d_1", "value%d_3"}, {"value%d_0", "value%d_1"}};
    static const int last_of[] = {2, 3, 1}; /* the last row that it has */
    const int n_reductions = w->section->program->n_reductions;
    struct heddle_text *t = &w->text;
    heddle__text_put(t, "    if (rows == %d) {\n", rows);
    put_flat(w, run, rows);
    heddle__text_put_all(t, "    VECTOR\n    for (size_t i = 0; i < n; i++) {\n");
    for (int row = 0; row < rows; row++) put_values(w, run, row, "i");
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

/* part[place] combined with part[other] or, without one, with a value. */
static void put_parts_combined(struct heddle__writer *w, const char *place, const char *other)
{
    for (int r = 0; r < w->section->program->n_reductions; r++) {
        char x[48], y[48];
        snprintf(x, sizeof x, "part%d[%s]", r, place);
        if (other)
            snprintf(y, sizeof y, "part%d[%s]", r, other);
        else
            snprintf(y, sizeof y, "value%d_0", r);
        put_combined(w, r, x, y, 0);
    }
}

/* to[place] = the values of element `i`. */
static void put_parts(struct heddle__writer *w, const struct heddle__run *run, const char *to,
                      const char *place, const char *i)
{
    heddle__text_put_all(&w->text, "    {\n");
    put_values(w, run, 0, i);
    for (int r = 0; r < w->section->program->n_reductions; r++)
        heddle__text_put(&w->text, "        %s%d[%s] = value%d_0;\n", to, r, place, r);
    heddle__text_put_all(&w->text, "    }\n");
}

/* Those behind the last whole vector of a row, by loads with a mask. What is written is whole, or the next load would wait for it. */
static void put_last(struct heddle__writer *w, const struct heddle__run *run)
{
    const struct heddle_program *program = w->section->program;
    struct heddle_text *t = &w->text;
    heddle__text_put_all(t, "    if (more > 0) {\n    FEW\n"
                            "    for (size_t i = 0; i < LANES; i++) {\n");
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "        %s sum%d = part%d[whole + i];\n",
                         accumulator_type(&program->reductions[r]), r, r);
    heddle__text_put_all(t, "    if (i < more) {\n");
    put_values(w, run, 0, "half + whole + i");
    for (int r = 0; r < program->n_reductions; r++) {
        char sum[32], value[32];
        snprintf(sum, sizeof sum, "sum%d", r);
        snprintf(value, sizeof value, "value%d_0", r);
        put_combined(w, r, sum, value, 0);
    }
    heddle__text_put_all(t, "    }\n");
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "        part%d[whole + i] = sum%d;\n", r, r);
    heddle__text_put_all(t, "    }\n    }\n");
}

/* Rows one after the other: elements that lie half the tree apart are combined, until few are left; those without a partner stay. Of rows that are longer than the
 * tree's lanes, each lane takes its elements in order first. FEW: a loop that is one vector, and not that many statements. */
static void put_lanes(struct heddle__writer *w, const struct heddle__run *run)
{
    const struct heddle_program *program = w->section->program;
    struct heddle_text *t = &w->text;
    heddle__text_put(t,
                     "    enum { LANES = %d, PARTS = %d };\n    size_t half = LANES;\n"
                     "    const size_t pairs = n < 2 * PARTS ? n : 2 * PARTS;\n"
                     "    while (2 * half < n && half < PARTS) half *= 2;\n"
                     "    const size_t single = half & ~(size_t)(LANES - 1);\n"
                     "    const size_t whole = (pairs - half) & ~(size_t)(LANES - 1);\n"
                     "    const size_t more = pairs - half - whole;\n"
                     "    for (; rows > 0; rows--) {\n",
                     HEDDLE_ROW_LANES, HEDDLE_ROW_PARTS);
    put_flat(w, run, 1);
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "    %s part%d[PARTS];\n", accumulator_type(&program->reductions[r]),
                         r);
    heddle__text_put_all(t, "    VECTOR\n    for (size_t i = 0; i < whole; i++) {\n");
    put_parts(w, run, "part", "i", "i");
    heddle__text_put_all(t, "    {\n");
    put_values(w, run, 0, "half + i");
    put_parts_combined(w, "i", NULL);
    heddle__text_put_all(t, "    }\n    }\n    VECTOR\n"
                            "    for (size_t i = whole; i < single; i++) {\n");
    put_parts(w, run, "part", "i", "i");
    heddle__text_put_all(t, "    }\n");
    put_last(w, run);
    heddle__text_put_all(t, "    for (size_t from = 2 * PARTS; from < n; from += PARTS) {\n"
                            "    const size_t m = n - from < PARTS ? n - from : PARTS;\n"
                            "    VECTOR\n    for (size_t i = 0; i < m; i++) {\n");
    put_values(w, run, 0, "from + i");
    put_parts_combined(w, "i", NULL);
    heddle__text_put_all(t, "    }\n    }\n");
    heddle__text_put_all(t, "    for (size_t h = single / 2; h >= LANES; h /= 2) {\n"
                            "    const size_t m = h & ~(size_t)(LANES - 1);\n"
                            "    VECTOR\n    for (size_t i = 0; i < m; i++) {\n");
    put_parts_combined(w, "i", "i + m");
    heddle__text_put_all(t, "    }\n    }\n    FEW\n    for (size_t i = 0; i < LANES; i++) {\n");
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "        lanes%d[i] = part%d[i];\n", r, r);
    heddle__text_put_all(t, "    }\n");
    for (int r = 0; r < program->n_reductions; r++)
        heddle__text_put(t, "    lanes%d += LANES;\n", r);
    for (int k = 0; k < run->n_inputs; k++)
        if (is_moving(w, run, k)) heddle__text_put(t, "    at%d += step%d;\n", k, k);
    heddle__text_put_all(t, "    }\n");
}

void heddle__put_fold(struct heddle__writer *w, const struct heddle__run *run, int number)
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
        heddle__text_put(t, "    %s *%s%d = ptr[%d];\n", accumulator_type(&program->reductions[r]),
                         w->section->lanes ? "lanes" : "const sums", r, run->n_inputs + r);
    for (int r = 0; r < program->n_reductions; r++)
        if (heddle__is_arg(&program->reductions[r]))
            heddle__text_put(t, "    int32_t *const places%d = ptr[%d];\n", r,
                             run->n_inputs + program->n_reductions + r);
    if (heddle__has_arg(program))
        heddle__text_put(t, "    int32_t first = *(const int32_t *)ptr[%d];\n",
                         run->n_inputs + 2 * program->n_reductions);
    heddle__put_prepared(w, run);
    if (w->section->lanes) put_lanes(w, run);
    for (int rows = w->section->lanes ? 0 : w->plan->group; rows > 0; rows--)
        if (w->section->tree)
            put_group(w, run, rows, number == 1);
        else if (rows == 1 || rows == w->plan->group)
            put_rows(w, run, rows);
    heddle__text_put_all(t, "}\n");
}
