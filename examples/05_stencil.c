/* What you learn: slices are views that cost nothing, and an update returns a new array. A heated
 * plate: each step, every inner point becomes the mean of its four neighbours. */
#include "common.h"

enum { N = 64, STEPS = 50 };

/* One step. The four slices, their sum and the update are one pass over memory. */
static heddle_array *relax(heddle_array *u)
{
    heddle_array *up = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2), HEDDLE_SLICE(1, -1)));
    heddle_array *down = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2), HEDDLE_SLICE(1, -1)));
    heddle_array *left = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_TO(-2)));
    heddle_array *right = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_FROM(2)));
    heddle_array *sum = heddle_add(heddle_add(down, up), heddle_add(right, left));
    return heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)),
                           heddle_multiply(heddle_scalar(0.25), sum));
}

/* The same by plain loops. */
static void relax_plain(double u[N][N])
{
    static double old[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) old[i][j] = u[i][j];
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            u[i][j] = 0.25 * ((old[i + 1][j] + old[i - 1][j]) + (old[i][j + 1] + old[i][j - 1]));
}

int main(void)
{
    /* A cold plate with a hot upper edge: u[0, :] = 100. */
    heddle_scope scope = heddle_scope_open();
    heddle_array *cold = heddle_zeros(HEDDLE_SHAPE(N, N));
    heddle_array *u =
        heddle_keep(heddle_set_item(cold, HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar(100.0)));
    heddle_scope_close(scope);

    for (int step = 0; step < STEPS; step++) {
        scope = heddle_scope_open();
        heddle_array *next = heddle_keep(relax(u));
        heddle_scope_close(scope);
        heddle_release(u); /* nobody else holds it: its memory serves a later step */
        u = next;
        HEDDLE_MUST(heddle_eval(u)); /* starts the step and returns */
    }

    static double got[N][N], expected[N][N];
    HEDDLE_MUST(heddle_read(u, got, sizeof got));
    heddle_release(u);
    for (int j = 0; j < N; j++) expected[0][j] = 100;
    for (int step = 0; step < STEPS; step++) relax_plain(expected);

    double worst = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) worst = fmax(worst, fabs(got[i][j] - expected[i][j]));
    EXPECT("below the middle of the edge", got[1][N / 2], expected[1][N / 2]);
    EXPECT("largest difference", worst, 0);
    return examples_failed();
}
