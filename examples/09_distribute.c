/* What you learn: to say where the parts of an array live; everything else stays as it is. */
#include "common.h"

#include <string.h>

enum { N = 512, MAX_PLACES = 64 };

int main(void)
{
    /* All places there are: CPU teams, then GPUs. */
    heddle_place places[MAX_PLACES];
    int n_cpus = 0, n_gpus = 0, n_places = 0;
    HEDDLE_MUST(heddle_count_places(&n_cpus, &n_gpus));
    for (int i = 0; i < n_cpus && n_places < MAX_PLACES; i++) places[n_places++] = heddle_cpu(i);
    for (int i = 0; i < n_gpus && n_places < MAX_PLACES; i++) places[n_places++] = heddle_gpu(i);
    expect_true("there is a place", n_places > 0);

    /* Blocks of rows, one a place. */
    heddle_scope scope = heddle_scope_open();
    heddle_array *a =
        heddle_reshape(heddle_arange(heddle_scalar((double)N * N), NULL, NULL), HEDDLE_SHAPE(N, N));
    struct heddle_distribution rows = {.n_places = n_places, .places = places};
    rows.cut[0].kind = HEDDLE_CUT_PARTS;
    heddle_array *u = heddle_distribute(a, &rows);

    /* A stencil: each place computes its rows; only rows at the borders travel. */
    heddle_array *up = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2)));
    heddle_array *down = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2)));
    heddle_array *v = heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)),
                                      heddle_multiply(heddle_scalar(0.5), heddle_add(up, down)));
    EXPECT("v[N + 3]", value_at(heddle_reshape(v, HEDDLE_SHAPE(N * N)), N + 3), N + 3);

    /* Where the parts are. */
    int64_t n_parts = 0;
    struct heddle_part_info part;
    HEDDLE_MUST(heddle_count_parts(v, &n_parts));
    HEDDLE_MUST(heddle_part(v, n_parts - 1, &part));
    char name[HEDDLE_PLACE_NAME_MAX];
    printf("%lld parts; the last has rows %lld to %lld at %s\n", (long long)n_parts,
           (long long)part.lo[0], (long long)part.hi[0] - 1, heddle_place_name(part.place, name));
    EXPECT("parts", (double)n_parts, n_places);

    /* Blocks of columns instead: each place gets what it lacks, and no more. */
    struct heddle_distribution columns = {.n_places = n_places, .places = places};
    columns.cut[1].kind = HEDDLE_CUT_PARTS;
    heddle_array *w = heddle_distribute(v, &columns);
    HEDDLE_MUST(heddle_wait(w));

    char *text = NULL;
    struct heddle_distribution halves = {.cut[0] = {HEDDLE_CUT_PARTS, 2, NULL}};
    HEDDLE_MUST(heddle_parts_text(heddle_distribute(heddle_ones(HEDDLE_SHAPE(4)), &halves), &text));
    printf("%s\n", text);
    expect_true("two parts", strstr(text, "; array([1., 1.])@<") != NULL);
    heddle_free(text);
    HEDDLE_MUST(heddle_usage_text(&text));
    printf("%s", text);
    heddle_free(text);
    heddle_scope_close(scope);
    return examples_failed();
}
