/* Goes on for MINUTES in one process: random programs every way, from two threads, files, texts, failures, starts
 * and stops. Usage: soak [MINUTES [SEED]]. Fails if a value is wrong, something is left, or memory, descriptors or
 * threads grow after the first third. Prints sixty lines of what there is. */
#include "check_heddle.h"
#include "expr/mutate.h"
#include "property/oracle.h"
#include "property/ways.h"
#include "soak/look.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PROGRAMS = 8, N = 5000, MAX_LOOKS = 1 << 14 };
static struct random r;
static const int64_t shape[] = {N};

static heddle_array *count_to_n(void)
{
    return heddle_arange(heddle_scalar(0.0), heddle_scalar((double)N), heddle_scalar(1.0));
}

/* ---- Random programs ---------------------------------------------------------------------------------- */

struct lot {
    size_t way;
    uint64_t seed;
    int failures;
};

static void *run_lot(void *context)
{
    struct lot *lot = context;
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        struct way_results results = {0};
        lot->failures += way_run(lot->way, lot->seed + i, i % 2, &results);
    }
    return NULL;
}

/* Some on this thread and some on another. */
static void programs(size_t way)
{
    struct lot lots[2] = {{way, random_next(&r), 0}, {way, random_next(&r), 0}};
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, run_lot, &lots[1]), 0);
    run_lot(&lots[0]);
    pthread_join(thread, NULL);
    CHECK_EQ(lots[0].failures + lots[1].failures, 0);
}

/* ---- Files, damaged ones too -------------------------------------------------------------------------- */

static void damage(const char *path)
{
    FILE *f = fopen(path, "r+");
    if (!f) return;
    for (int i = 0; i < 3; i++) {
        fseek(f, (long)random_below(&r, 200), SEEK_SET);
        fputc((int)random_below(&r, 256), f);
    }
    fclose(f);
    if (random_below(&r, 2)) CHECK_EQ(truncate(path, random_below(&r, 300)), 0);
}

static heddle_array *load(bool archive)
{
    return archive ? heddle_load_npz("soak.npz", "arr_0") : heddle_load("soak.npy");
}

static void files(void)
{
    const bool archive = random_below(&r, 2);
    const char *name = archive ? "soak.npz" : "soak.npy";
    double *out = malloc(sizeof(double[N]));
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_multiply(count_to_n(), heddle_scalar(3.0));
    CHECK(heddle_save(a, name) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK(heddle_read(load(archive), out, sizeof(double[N])) == HEDDLE_OK, "%s",
          heddle_last_error());
    CHECK_NUM(out[N - 1], 3.0 * (N - 1));
    damage(name);
    heddle_array *damaged = load(archive); /* an array, or an error */
    if (heddle_status_of(damaged) == HEDDLE_OK)
        (void)heddle_wait(heddle_sum(damaged));
    else
        CHECK(heddle_error(damaged)[0], "no text");
    heddle_scope_close(scope);
    unlink(name);
    free(out);
}

/* ---- Bad texts, bad indices, memory that is not there, functions that fail ---------------------------- */

static void texts(void)
{
    static uint64_t state;
    char text[MUTANT_MAX];
    for (int i = 0; i < 50; i++) {
        heddle_scope scope = heddle_scope_open();
        mutate_expression(&state, text);
        heddle_array *a = heddle_ones(1, shape);
        heddle_array *value = heddle_expr(text, HEDDLE_BIND_ALL({"a", a}, {"b", a}));
        const bool small = heddle_status_of(value) == HEDDLE_OK && heddle_nbytes(value) < 1 << 20;
        if ((small ? heddle_wait(value) : heddle_status_of(value)) != HEDDLE_OK)
            CHECK(heddle_error(value)[0], "%s", text);
        heddle_scope_close(scope);
    }
}

static enum heddle_status fails(const struct heddle_part_view *in, void *out, void *user)
{
    (void)in, (void)out, (void)user;
    return HEDDLE_EARG;
}

static void failures(void)
{
    heddle_scope scope = heddle_scope_open();
    const int64_t huge[] = {(int64_t)1 << 40};
    heddle_array *a = heddle_astype(count_to_n(), HEDDLE_INT64), *ones = heddle_ones(1, shape);
    heddle_array *taken = heddle_take(ones, heddle_add(a, heddle_scalar(1)));
    CHECK(heddle_wait(taken) == HEDDLE_EINDEX, "%s", heddle_status_name(heddle_status_of(taken)));
    CHECK(heddle_wait(heddle_map_parts(ones, HEDDLE_FLOAT64, fails)) != HEDDLE_OK);
    CHECK_EQ(heddle_wait(heddle_exp(heddle_ones(1, huge))), HEDDLE_ENOMEM);
    CHECK_EQ(heddle_status_of(heddle_add(ones, heddle_ones(1, (int64_t[]){N + 1}))), HEDDLE_ESHAPE);
    CHECK(heddle_save(ones, "/dev/full") != HEDDLE_OK);
    CHECK(heddle_save(ones, "nowhere/soak.npy") != HEDDLE_OK);
    CHECK_EQ(heddle_wait(heddle_sum(ones)), HEDDLE_OK);
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    static struct look looks[MAX_LOOKS];
    const double minutes = argc > 1 ? atof(argv[1]) : 0.1;
    const time_t begin = time(NULL), end = begin + (time_t)(60 * minutes);
    double next = 0;
    int n = 0;
    /* the top of other arenas stays as high as it ever was: that is no growth of ours (sanitizers have none) */
    mallopt(M_ARENA_MAX, 1);
    r.state = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)begin;
    fprintf(stderr, "seed %llu\n", (unsigned long long)r.state);
    for (long round = 0;
         (round < (long)n_ways || time(NULL) < end) && !atomic_load(&check_n_failed); round++) {
        const size_t way = (size_t)round % n_ways;
        if (!way_start(way)) return 1;
        programs(way);
        files();
        texts();
        failures();
        check_nothing_left();
        /* All ways between two looks, so that these see the same. */
        if (way == n_ways - 1 && n < MAX_LOOKS) {
            looks[n] = look_now(difftime(time(NULL), begin));
            if (looks[n++].seconds < next) continue;
            look_print(&looks[n - 1]);
            next += 60 * minutes / 60;
        }
    }
    CHECK(look_is_flat(n, looks), "memory, descriptors or threads grew");
    return check_done();
}
