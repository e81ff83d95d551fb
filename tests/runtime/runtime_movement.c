/* Proves that movement that nobody asked for is found, reported or refused before anything starts,
 * and that what was asked for is not; places are two CPU teams. */
#include "check.h"

#include <heddle.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 1 << 18 };
static const int64_t shape[] = {N}, square[] = {512, 512};
static heddle_place cpu0, cpu1;

static heddle_array *numbers(void)
{
    static double data[N];
    for (int i = 0; i < N; i++) data[i] = i;
    return heddle_asarray(data, HEDDLE_FLOAT64, 1, shape);
}

static heddle_array *at(heddle_array *a, heddle_place place)
{
    heddle_array *placed = heddle_to(a, place);
    CHECK_EQ(heddle_wait(placed), HEDDLE_OK);
    return placed;
}

/* Halves along an axis, one a team. */
static heddle_array *halves(heddle_array *a, int axis)
{
    struct heddle_distribution d = {HEDDLE_PLACES(cpu0, cpu1)};
    d.cut[axis] = (struct heddle_cut){HEDDLE_CUT_PARTS, 2, NULL};
    return heddle_distribute(a, &d);
}

static void configure(enum heddle_movement movement)
{
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu",
                                                      .cpu_workers = 2,
                                                      .cpu_threads = 2,
                                                      .inline_bytes = -1,
                                                      .movement = movement}),
             HEDDLE_OK);
}

static void refused(heddle_array *a, const char *what)
{
    CHECK_EQ(heddle_eval(a), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "movement is forbidden");
    CHECK_STR(heddle_error(a), heddle_last_error()); /* though it is no error */
    CHECK_HAS(heddle_last_error(), what);
    CHECK(!heddle_is_evaluated(a) && heddle_status_of(a) == HEDDLE_OK);
}

static void allowed(heddle_array *a, int64_t i, double expected)
{
    double *out = malloc((size_t)heddle_nbytes(a) + 1);
    CHECK(heddle_read(a, out, heddle_nbytes(a)) == HEDDLE_OK, "%s", heddle_last_error());
    if (out && heddle_is_evaluated(a)) CHECK_NUM(out[i], expected);
    free(out);
}

static heddle_array *neighbours(heddle_array *a)
{
    return heddle_add(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_FROM(1))),
                      heddle_getitem(a, HEDDLE_INDEX(HEDDLE_TO(-1))));
}

static void test_forbidden(void)
{
    configure(HEDDLE_MOVE_FORBIDDEN);
    heddle_scope scope = heddle_scope_open();
    heddle_array *here = at(numbers(), cpu0), *there = at(heddle_negative(numbers()), cpu1);
    refused(heddle_add(here, there), "2.1 MB from cpu:");
    allowed(heddle_add(here, heddle_to(there, cpu0)), 7, 0);
    allowed(heddle_to(heddle_add(here, there), cpu1), 7, 0); /* the result is to be there */
    allowed(heddle_add(heddle_exp(here), numbers()), 0, 1);

    heddle_array *cut = halves(numbers(), 0);
    CHECK_EQ(heddle_wait(cut), HEDDLE_OK);
    allowed(heddle_add(cut, cut), 7, 14);
    allowed(heddle_sum(cut), 0, (double)N * (N - 1) / 2); /* sums of parts travel freely */
    refused(neighbours(cut), "8 B from cpu:");            /* a halo */
    allowed(neighbours(heddle_to(cut, cpu1)), 7, 15);
    refused(heddle_add(cut, here), "1.05 MB from cpu:");
    heddle_array *rows = halves(heddle_reshape(numbers(), 2, square), 0);
    allowed(halves(rows, 1), 7, 7); /* each asks the other's quarter */

    heddle_array *pair[] = {heddle_add(here, here), heddle_add(here, there)};
    CHECK_EQ(heddle_eval_all(2, pair), HEDDLE_EARG); /* all of it or nothing */
    CHECK(!heddle_is_evaluated(pair[0]));
    allowed(pair[0], 7, 14);
    heddle_scope_close(scope);
}

/* An evaluation's standard error. */
static char *said_by(heddle_array *a)
{
    static char text[1024];
    CHECK_EQ(heddle_start(), HEDDLE_OK); /* what StarPU says of its installation is not ours */
    FILE *file = tmpfile();
    const int old = dup(STDERR_FILENO);
    if (!file || old < 0) return text;
    dup2(fileno(file), STDERR_FILENO);
    const enum heddle_status status = heddle_wait(a);
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
    CHECK_EQ(status, HEDDLE_OK);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static int64_t implicit_bytes(void)
{
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    return s.implicit_bytes;
}

static void test_reported(void)
{
    configure(HEDDLE_MOVE_REPORTED);
    heddle_statistics_reset();
    heddle_scope scope = heddle_scope_open();
    heddle_array *here = at(numbers(), cpu0), *there = at(heddle_negative(numbers()), cpu1);
    CHECK_STR(said_by(heddle_add(here, here)), "");
    CHECK_EQ(implicit_bytes(), 0);
    CHECK_HAS(said_by(heddle_add(here, there)), "heddle: implicit movement: 2.1 MB from cpu:");
    CHECK_EQ(implicit_bytes(), N * 8);
    heddle_array *cut = halves(numbers(), 0);
    const char *said = said_by(heddle_subtract(neighbours(cut), neighbours(cut)));
    CHECK_HAS(said, "8 B from cpu:");
    CHECK_EQ(implicit_bytes(), N * 8 + 8); /* a part that moves serves all its readers */
    configure(HEDDLE_MOVE_FREELY);
    heddle_statistics_reset();
    CHECK_STR(said_by(heddle_add(here, there)), "");
    CHECK_EQ(implicit_bytes(), 0);
    heddle_scope_close(scope);
}

int main(void)
{
    int n_cpus = 0, n_gpus = 0;
    cpu0 = heddle_cpu(0);
    cpu1 = heddle_cpu(1);
    configure(HEDDLE_MOVE_FREELY);
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    if (n_cpus < 2) return 77;
    test_forbidden();
    test_reported();
    return check_done();
}
