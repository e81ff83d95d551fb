/* Proves that what is computed does not depend on how: random programs give the oracle's values, and
 * the same bits for one part or many, fused or not, on the caller's thread or through StarPU. Usage:
 * random_graphs [programs [seed]]. On failure it prints the seed and the plan. */
#include "property/oracle.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_VALUES = 14, N_ASKED = 3 };

static const struct {
    const char *name;
    struct heddle_config config;
} ways[] = {
    {"inline", {.inline_bytes = (int64_t)1 << 40}},
    {"inline, unfused", {.inline_bytes = (int64_t)1 << 40, .no_fusion = true}},
    {"StarPU", {.inline_bytes = -1}},
    {"StarPU, 3 parts", {.inline_bytes = -1, .partition = "3"}},
    {"StarPU, 2x3 parts", {.inline_bytes = -1, .partition = "2x3"}},
    {"StarPU, 5 parts, unfused", {.inline_bytes = -1, .partition = "5", .no_fusion = true}},
    {"interpreted", {.inline_bytes = -1, .partition = "2", .no_jit = true}},
};

static uint64_t hash_bytes(const unsigned char *data, int64_t n)
{
    uint64_t h = 1469598103934665603ULL; /* FNV-1a */
    for (int64_t i = 0; i < n; i++) h = (h ^ data[i]) * 1099511628211ULL;
    return h;
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

/* Runs one program; the hashes of what it asks for go to `hashes`. Returns failures. */
static int run(const char *way, uint64_t seed, bool first, uint64_t hashes[N_ASKED])
{
    struct random r = {seed};
    struct value values[N_VALUES];
    heddle_scope scope = heddle_scope_open();
    const int n = random_program(&r, N_VALUES, seed % 4 == 0, values);
    heddle_array *asked[N_ASKED];
    struct value *of[N_ASKED];
    int failures = 0;
    for (int i = 0; i < N_ASKED; i++) {
        of[i] = &values[i == 0 ? n - 1 : random_below(&r, n)];
        asked[i] = of[i]->array;
    }
    if (getenv("HEDDLE_TEST_GRAPH")) {
        char *text = NULL;
        for (int i = 0; i < N_ASKED; i++)
            if (heddle_explain(asked[i], HEDDLE_EXPLAIN_GRAPH, &text) == HEDDLE_OK) {
                printf("asked %d:\n%s", i, text);
                heddle_free(text);
            }
        fflush(stdout);
    }
    if (heddle_eval_all(N_ASKED, asked) != HEDDLE_OK) {
        report(way, seed, of[0], heddle_last_error());
        failures++;
    }
    for (int i = 0; i < N_ASKED && !failures; i++) {
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
            if (!first && hash != hashes[i] && !of[i]->by_blas && !(of[i]->by_libm && uses_gpu())) {
                snprintf(what, sizeof what, "value %d has other bits than the first way", i);
                bad = 0;
            }
            hashes[i] = hash;
        }
        if (bad >= 0) {
            report(way, seed, of[i], what);
            failures++;
        }
        free(bytes);
    }
    heddle_scope_close(scope);
    values_free(n, values);
    return failures;
}

int main(int argc, char **argv)
{
    const int programs = argc > 1 ? atoi(argv[1]) : 400;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    uint64_t(*hashes)[N_ASKED] = calloc((size_t)programs, sizeof *hashes);
    int failures = 0;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0] && failures < 5; w++) {
        if (heddle_shutdown() != HEDDLE_OK || heddle_configure(&ways[w].config) != HEDDLE_OK) {
            printf("FAILED: %s: %s\n", ways[w].name, heddle_last_error());
            failures++;
            break;
        }
        for (int i = 0; i < programs && failures < 5; i++)
            failures += run(ways[w].name, seed + (uint64_t)i, w == 0, hashes[i]);
        struct heddle_statistics s;
        heddle_statistics_get(&s);
        printf("%s: %d programs; %lld inline, %lld CPU tasks, %lld GPU tasks, %lld kernels (%lld "
               "interpreted)\n",
               ways[w].name, programs, (long long)s.inline_programs, (long long)s.cpu_tasks,
               (long long)s.gpu_tasks, (long long)s.gpu_kernels, (long long)s.gpu_interpreted);
    }
    heddle_shutdown();
    free(hashes);
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
}
