/* Proves that what is computed does not depend on how: random programs give the oracle's values, and
 * the same bits for one part or many, fused or not, on the caller's thread or through StarPU. Usage:
 * random_graphs [programs [seed [families [threads [thinned]]]]]; families: operations of each kernel family
 * in turn; threads: as many run programs at the same time; thinned: each program goes every so many of the
 * ways. On failure it prints the seed and the plan. */
#include "families/cases.h"
#include "machine/machine.h"
#include "property/oracle.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_VALUES = 14, N_ASKED = 3, MAX_THREADS = 8 };

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
};

/* ---- Random distributions ------------------------------------------------------------------------ */

/* Of their own, so that the programs stay the same. */
static _Thread_local struct random choices;
static heddle_place places[16];
static int n_places;

static void find_places(void)
{
    int n_cpus = 0, n_gpus = 0;
    if (heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK) exit(1);
    n_places = 0;
    for (int i = 0; i < n_cpus && n_places < 8; i++) places[n_places++] = heddle_cpu(i);
    for (int i = 0; i < n_gpus && n_places < 16; i++) places[n_places++] = heddle_gpu(i);
}

enum { MAX_CUTS = 40 };

static struct heddle_cut random_cut(int64_t extent, int64_t values[MAX_CUTS])
{
    struct heddle_cut cut = {.kind = (enum heddle_cut_kind)random_below(&choices, 6),
                             .n = 1 + random_below(&choices, 5),
                             .values = values};
    int64_t end = 0;
    switch (cut.kind) {
    case HEDDLE_CUT_SIZES:
    case HEDDLE_CUT_BOUNDS:
        for (int64_t i = 0; i < cut.n; i++) { /* some are empty */
            int64_t size =
                i + 1 < cut.n ? random_below(&choices, (extent - end) / 2 + 1) : extent - end;
            if (random_below(&choices, 4) == 0 && i + 1 < cut.n) size = 0;
            end += size;
            values[i] = cut.kind == HEDDLE_CUT_SIZES ? size : end;
        }
        break;
    case HEDDLE_CUT_BLOCKS:
        if (extent / cut.n > 12) cut.n = extent / 12;
        break;
    case HEDDLE_CUT_COLORS:
        if (extent > MAX_CUTS) return (struct heddle_cut){HEDDLE_CUT_PARTS, 3, NULL};
        for (int64_t i = 0; i < extent; i++) values[i] = random_below(&choices, cut.n);
        break;
    default: break;
    }
    return cut;
}

/* The part without its overlap. */
struct copied {
    int ndim;
    size_t size;
};

static enum heddle_status copy_part(const struct heddle_part_view *in, void *out, void *user)
{
    const struct copied *c = user;
    const char *from = in->data;
    char *to = out;
    int64_t n = 1, index[HEDDLE_MAX_NDIM];
    for (int d = 0; d < c->ndim; d++) n *= in->shape[d];
    for (int64_t i = 0; i < n; i++, from += c->size) {
        bool inside = true;
        int64_t rest = i;
        for (int d = c->ndim - 1; d >= 0; d--, rest /= in->shape[d + 1]) {
            index[d] = rest % in->shape[d];
            inside = inside && index[d] >= in->before[d] && index[d] < in->shape[d] - in->after[d];
        }
        if (!inside) continue;
        memcpy(to, from, c->size);
        to += c->size;
    }
    return HEDDLE_OK;
}

static bool waits, by_family;

static heddle_array *distribute(heddle_array *a)
{
    if (random_below(&choices, 3) == 0 || heddle_status_of(a) != HEDDLE_OK) return a;
    static _Thread_local int64_t values[HEDDLE_MAX_NDIM][MAX_CUTS];
    heddle_place some[4];
    struct heddle_distribution d = {.n_places = (int)random_below(&choices, 5), .places = some};
    for (int i = 0; i < d.n_places; i++)
        some[i] =
            random_below(&choices, 6) ? places[random_below(&choices, n_places)] : HEDDLE_ANYWHERE;
    for (int k = 0; k < heddle_ndim(a) && k < 3; k++) {
        if (random_below(&choices, 2)) continue;
        d.cut[k] = random_cut(heddle_shape(a)[k], values[k]);
        if (random_below(&choices, 3)) continue;
        d.overlap[k].before = random_below(&choices, 4);
        d.overlap[k].after = random_below(&choices, 4);
    }
    if (d.n_places == 4 && heddle_ndim(a) > 1 && random_below(&choices, 2))
        d.grid[0] = d.grid[1] = 2;
    heddle_array *to = heddle_distribute(a, &d);
    const bool now = random_below(&choices, 4) == 0;
    if (waits || now) (void)(waits ? heddle_wait : heddle_eval)(to); /* errors show later */
    int n_cpus = 0, n_gpus = 0; /* copy_part is a function of CPUs */
    if (random_below(&choices, 4) || heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK ||
        n_cpus == 0)
        return to;
    struct copied *c = malloc(sizeof *c);
    *c = (struct copied){heddle_ndim(a), heddle_dtype_size(heddle_dtype_of(a))};
    return heddle_map_parts(to, heddle_dtype_of(a), copy_part, .user = c, .deleter = free);
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

/* What a program asks for, as the first way gave it. */
struct results {
    bool known;
    uint64_t hashes[N_ASKED];
};

/* Runs one program. Returns failures. */
static int run(const char *way, uint64_t seed, struct results *first)
{
    struct random r = {seed};
    choices.state = seed * 2654435761u + 1;
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

/* Every n_threads-th program. */
struct share {
    size_t way;
    int first, n_threads, programs, thinned, failures;
    uint64_t seed;
    struct results *results; /* of all programs */
};

static void *run_share(void *context)
{
    struct share *s = context;
    for (int i = s->first; i < s->programs && s->failures < 5; i += s->n_threads)
        if ((i + (int)s->way) % s->thinned == 0)
            s->failures += run(ways[s->way].name, s->seed + (uint64_t)i, &s->results[i]);
    return NULL;
}

/* Returns failures. */
static int run_way(const struct share *all)
{
    struct share shares[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    int failures = 0;
    for (int t = 0; t < all->n_threads; t++) {
        shares[t] = *all;
        shares[t].first = t;
        if (t > 0 && pthread_create(&threads[t], NULL, run_share, &shares[t]) != 0) exit(1);
    }
    run_share(&shares[0]);
    for (int t = 0; t < all->n_threads; t++) {
        if (t > 0) pthread_join(threads[t], NULL);
        failures += shares[t].failures;
    }
    return failures;
}

int main(int argc, char **argv)
{
    struct share all = {.programs = argc > 1 ? atoi(argv[1]) : 400,
                        .seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1,
                        .n_threads = argc > 4 ? atoi(argv[4]) : 1,
                        .thinned = argc > 5 ? atoi(argv[5]) : 1};
    by_family = argc > 3 && strcmp(argv[3], "families") == 0;
    if (all.n_threads < 1 || all.n_threads > MAX_THREADS || all.thinned < 1) return 1;
    all.results = calloc((size_t)all.programs, sizeof *all.results);
    int failures = 0;
    for (; all.way < sizeof ways / sizeof ways[0] && failures < 5; all.way++) {
        const char *name = ways[all.way].name;
        if (heddle_shutdown() != HEDDLE_OK ||
            machine_configure(&ways[all.way].config) != HEDDLE_OK) {
            printf("FAILED: %s: %s\n", name, heddle_last_error());
            failures++;
            break;
        }
        if (ways[all.way].values == ON_GPUS && !has_gpu()) continue;
        random_wrap = ways[all.way].values >= DISTRIBUTED ? distribute : NULL;
        waits = ways[all.way].values == WAITED_FOR;
        if (random_wrap) find_places();
        failures += run_way(&all);
        struct heddle_statistics s;
        heddle_statistics_get(&s);
        printf(
            "%s: %d programs; %lld inline, %lld CPU tasks, %lld GPU tasks, %lld launched directly, "
            "%lld kernels (%lld interpreted)\n",
            name, all.programs / all.thinned, (long long)s.inline_programs, (long long)s.cpu_tasks,
            (long long)s.gpu_tasks, (long long)s.gpu_direct, (long long)s.gpu_kernels,
            (long long)s.gpu_interpreted);
    }
    heddle_shutdown();
    free(all.results);
    printf("%s\n", failures ? "FAILED" : "passed");
    return failures != 0;
}
