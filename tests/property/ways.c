/* The ways to run a program, and one program run; ways.h. */
#include "property/ways.h"

#include "families/cases.h"
#include "machine/machine.h"
#include "property/random_distribution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_VALUES = 14 };

static const struct {
    const char *name;
    struct heddle_config config;
    enum {
        AS_THEY_ARE,
        ON_GPUS,     /* as they are; without a GPU this would be another one of these ways */
        DISTRIBUTED, /* intermediate values at random, over all places */
        WAITED_FOR,  /* these are, so what follows finds them where they are */
    } values;
} ways[] = {
    {"inline", {.inline_bytes = (int64_t)1 << 40}, AS_THEY_ARE},
    {"inline, unfused", {.inline_bytes = (int64_t)1 << 40, .no_fusion = true}, AS_THEY_ARE},
    {"StarPU", {.inline_bytes = -1, .no_direct = true}, AS_THEY_ARE},
    {"StarPU, 3 parts", {.inline_bytes = -1, .no_direct = true, .partition = "3"}, AS_THEY_ARE},
    {"StarPU, 2x3 parts", {.inline_bytes = -1, .no_direct = true, .partition = "2x3"}, AS_THEY_ARE},
    {"StarPU, 5 parts, unfused",
     {.inline_bytes = -1, .no_direct = true, .partition = "5", .no_fusion = true},
     AS_THEY_ARE},
    {"interpreted", {.inline_bytes = -1, .partition = "2", .no_jit = true}, AS_THEY_ARE},
    {"StarPU, small parts",
     {.inline_bytes = -1, .no_direct = true, .part_bytes = 1 << 12},
     AS_THEY_ARE},
    {"distributed", {.inline_bytes = -1, .cpu_workers = 3}, DISTRIBUTED},
    {"direct", {.inline_bytes = 1}, ON_GPUS},
    {"direct, distributed", {.inline_bytes = 1, .cpu_workers = 3}, WAITED_FOR},
    {"by default", {.devices = NULL}, AS_THEY_ARE},
};
const size_t n_ways = sizeof ways / sizeof *ways;

static heddle_array *distribute(heddle_array *a)
{
    return random_distribution(a, false);
}

static heddle_array *distribute_and_wait(heddle_array *a)
{
    return random_distribution(a, true);
}

static uint64_t hash_bytes(const unsigned char *data, int64_t n)
{
    uint64_t h = 1469598103934665603ULL, word = 0; /* as FNV-1a, eight bytes at a time */
    for (int64_t i = 0; i < n; i += 8) {
        memcpy(&word, data + i, n - i < 8 ? (size_t)(n - i) : 8);
        h = (h ^ word) * 1099511628211ULL;
        h ^= h >> 29;
    }
    return h;
}

static bool has_gpu(void)
{
    int n_cpus = 0, n_gpus = 0;
    return heddle_count_places(&n_cpus, &n_gpus) == HEDDLE_OK && n_gpus > 0;
}

static bool uses_gpu(void)
{
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    return s.gpu_kernels > 0;
}

static void report(const char *way, uint64_t seed, struct value *v, const char *what)
{
    printf("FAILED: %s, seed %llu: %s\n", way, (unsigned long long)seed, what);
    char *text = NULL;
    if (heddle_explain(v->array, HEDDLE_EXPLAIN_PLAN, &text) == HEDDLE_OK) {
        printf("%s", text);
        heddle_free(text);
    }
}

bool way_start(size_t w)
{
    if (heddle_shutdown() != HEDDLE_OK || machine_configure(&ways[w].config) != HEDDLE_OK) {
        printf("FAILED: %s: %s\n", ways[w].name, heddle_last_error());
        return false;
    }
    const bool distributed = ways[w].values == DISTRIBUTED, waits = ways[w].values == WAITED_FOR;
    random_wrap = distributed ? distribute : waits ? distribute_and_wait : NULL;
    if (random_wrap) random_places_find();
    return true;
}

bool way_applies(size_t w)
{
    return ways[w].values != ON_GPUS || has_gpu();
}

const char *way_name(size_t w)
{
    return ways[w].name;
}

int way_run(size_t w, uint64_t seed, bool by_family, struct way_results *first)
{
    const char *way = ways[w].name;
    struct random r = {seed};
    random_distribution_seed(seed);
    struct value values[N_VALUES];
    heddle_scope scope = heddle_scope_open();
    const bool large = seed / (by_family ? (uint64_t)n_families_cases : 1) % 4 == 0;
    const int n = by_family
                      ? random_case(&r, (int)(seed % (uint64_t)n_families_cases), large, values)
                      : random_program(&r, N_VALUES, large, values);
    if (n == 0) {
        printf("FAILED: %s: no case of family %s\n", way,
               families_cases[seed % (uint64_t)n_families_cases].name);
        heddle_scope_close(scope);
        return 1;
    }
    heddle_array *asked[WAY_ASKED];
    struct value *of[WAY_ASKED];
    int failures = 0;
    for (int i = 0; i < WAY_ASKED; i++) {
        of[i] = &values[i == 0 ? n - 1 : random_below(&r, n)];
        asked[i] = of[i]->array;
    }
    if (getenv("HEDDLE_TEST_GRAPH")) {
        char *text = NULL;
        for (int i = 0; i < WAY_ASKED; i++)
            if (heddle_explain(asked[i], HEDDLE_EXPLAIN_GRAPH, &text) == HEDDLE_OK) {
                printf("asked %d:\n%s", i, text);
                heddle_free(text);
            }
        fflush(stdout);
    }
    if (heddle_eval_all(WAY_ASKED, asked) != HEDDLE_OK) {
        report(way, seed, of[0], heddle_last_error());
        failures++;
    }
    for (int i = 0; i < WAY_ASKED && !failures; i++) {
        const int64_t size = heddle_nbytes(asked[i]);
        unsigned char *bytes = malloc((size_t)size + 1);
        double got = 0;
        char what[200];
        int64_t bad = -1;
        if (size != of[i]->size * (int64_t)heddle_dtype_size(of[i]->dtype)) {
            snprintf(what, sizeof what, "dtype %s or size %lld is wrong",
                     heddle_dtype_name(heddle_dtype_of(asked[i])),
                     (long long)heddle_size(asked[i]));
            bad = 0;
        } else if (heddle_read(asked[i], bytes, size) != HEDDLE_OK) {
            snprintf(what, sizeof what, "%s", heddle_error(asked[i]));
            bad = 0;
        } else if ((bad = value_check(of[i], bytes, &got)) >= 0) {
            snprintf(what, sizeof what,
                     "value %d element %lld is %.17g, expected %.17g (spread %g)", i,
                     (long long)bad, got, of[i]->data[bad], of[i]->exact ? 0 : of[i]->spread);
        } else {
            const uint64_t hash = hash_bytes(bytes, size);
            if (first->known && hash != first->hashes[i] && !of[i]->by_blas &&
                !(of[i]->by_libm && uses_gpu())) {
                snprintf(what, sizeof what, "value %d has other bits than the first way", i);
                bad = 0;
            }
            first->hashes[i] = hash;
        }
        if (bad >= 0) {
            report(way, seed, of[i], what);
            failures++;
        }
        free(bytes);
    }
    first->known = true;
    heddle_scope_close(scope);
    values_free(n, values);
    return failures;
}
