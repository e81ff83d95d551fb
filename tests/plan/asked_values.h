/* Arrays that a random program asks for, evaluated together, against values that were found element by element. */
#ifndef HEDDLE_TESTS_ASKED_VALUES_H
#define HEDDLE_TESTS_ASKED_VALUES_H

#include "check_heddle.h"
#include "machine/machine.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

/* An array, and what its elements should be. */
struct asked {
    heddle_array *a;
    const double *x;
    int64_t size;
};

static inline void check_asked(const struct asked *v, const char *plan, int way, int program)
{
    double *got = calloc((size_t)v->size + 1, sizeof *got);
    heddle_array *a = heddle_astype(v->a, HEDDLE_FLOAT64);
    CHECK(heddle_read(a, got, v->size * (int64_t)sizeof *got) == HEDDLE_OK, "%s", heddle_error(a));
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < v->size; i++)
        if (got[i] != v->x[i] && wrong++ == 0) first = i;
    CHECK(wrong == 0,
          "way %d, program %d: %lld of %lld elements are wrong, as number %lld: %g, not %g\n%s",
          way, program, (long long)wrong, (long long)v->size, (long long)first,
          got[first < 0 ? 0 : first], v->x[first < 0 ? 0 : first], plan);
    free(got);
}

/* Evaluates up to three and checks them; whether the plan of the last one has one of two texts. */
static inline bool check_all_asked(const struct asked asked[], int n, const char *text,
                                   const char *or_text, int way, int program)
{
    char *plan = NULL;
    heddle_array *arrays[3];
    CHECK_EQ(heddle_explain(asked[n - 1].a, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    const bool found = plan && (strstr(plan, text) || strstr(plan, or_text));
    for (int i = 0; i < n; i++) arrays[i] = asked[i].a;
    CHECK(heddle_eval_all(n, arrays) == HEDDLE_OK, "%s", heddle_last_error());
    for (int i = 0; i < n; i++) check_asked(&asked[i], plan ? plan : "", way, program);
    heddle_free(plan);
    return found;
}

/* The main of tests of work beside calls: random programs, of which a third have what they are for, on one thread, by tasks, in parts, and
 * without fusion, where none has. */
static inline int check_ways(int programs, bool (*check_program)(int way, int program))
{
    static const struct heddle_config ways[] = {
        {.inline_bytes = (int64_t)1 << 40},
        {.inline_bytes = -1},
        {.inline_bytes = -1, .partition = "3"},
        {.inline_bytes = -1, .partition = "2x3"},
        {.inline_bytes = (int64_t)1 << 40, .no_fusion = true},
    };
    const int no = check_devices_named();
    if (no) return no;
    for (int way = 0; way < (int)(sizeof ways / sizeof *ways); way++) {
        CHECK_EQ(machine_configure(&ways[way]), HEDDLE_OK);
        int found = 0;
        for (int i = 0; i < programs; i++) found += check_program(way, i);
        if (ways[way].no_fusion)
            CHECK_EQ(found, 0);
        else
            CHECK(way > 0 || found > programs / 3, "%d of %d have what they are for", found,
                  programs);
        heddle_shutdown();
    }
    return check_done();
}

#endif
