/* Arrays beyond 2^31 and 2^32 elements, each family: on a GPU of 100 GB all lines, on less those that fit. docs/decisions/0032. */
#include "large.h"

#include <stdlib.h>
#include <time.h>

enum { WINDOW = 13 };

static uint64_t random_state = 88172645463325252u;
static int64_t below(int64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int64_t)(random_state % (uint64_t)n);
}

/* The elements from `at` on, at most WINDOW of them. */
static void look(const struct large_case *c, heddle_array *flat, int64_t at)
{
    const int64_t end = at + WINDOW < c->size ? at + WINDOW : c->size;
    if (at < 0) at = 0;
    if (at >= end) return;
    double values[WINDOW];
    heddle_array *some = heddle_getitem(flat, HEDDLE_INDEX(HEDDLE_SLICE(at, end)));
    const enum heddle_status status =
        heddle_read_as(some, HEDDLE_FLOAT64, values, (end - at) * (int64_t)sizeof *values);
    CHECK(status == HEDDLE_OK, "%s: %s", c->text, heddle_error(some));
    if (status != HEDDLE_OK) return;
    for (int64_t i = at; i < end; i++) {
        const double is = values[i - at], expected = c->value(i);
        CHECK(fabs(is - expected) <= c->relative * fabs(expected) + c->absolute,
              "%s: element %lld is %.17g, not %.17g", c->text, (long long)i, is, expected);
    }
}

static void check_case(const struct large_case *c, const struct heddle_binding *inputs,
                       int n_inputs)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *result = heddle_expr(c->text, n_inputs, inputs);
    const enum heddle_status status = heddle_wait(result);
    CHECK(status == HEDDLE_OK, "%s: %s", c->text, heddle_error(result));
    if (status == HEDDLE_OK) {
        CHECK(heddle_size(result) == c->size, "%s: %lld elements, not %lld", c->text,
              (long long)heddle_size(result), (long long)c->size);
        heddle_array *flat = heddle_reshape(result, HEDDLE_SHAPE(-1));
        for (int e = 14; e <= 33; e++) look(c, flat, (INT64_C(1) << e) - WINDOW / 2);
        look(c, flat, (INT64_C(3) << 30) - WINDOW / 2);
        look(c, flat, 0);
        look(c, flat, c->size - WINDOW);
        for (int k = 0; k < 40; k++) look(c, flat, below(c->size));
    }
    heddle_scope_close(scope);
}

/* Of the device with the most memory that is used. */
static double gigabytes(void)
{
    struct heddle_device devices[64];
    int n = 0;
    double most = 0;
    CHECK_EQ(heddle_devices(64, devices, &n), HEDDLE_OK);
    for (int k = 0; k < n && k < 64; k++)
        if (devices[k].used && (double)devices[k].memory_bytes > most)
            most = (double)devices[k].memory_bytes;
    return most / 1e9;
}

/* usage: large_values [GB [PIECE [AFTER]]]: lines that have PIECE, behind the first that has AFTER */
int main(int argc, char **argv)
{
    const int no = check_started();
    if (no) return no;
    const double room = argc > 1 ? atof(argv[1]) : gigabytes();
    if (room < 5) {
        fprintf(stderr, "skipped: %.1f GB\n", room);
        heddle_shutdown();
        return 77;
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *n = heddle_scalar_int(N), *rows = heddle_scalar_int(ROWS),
                 *cols = heddle_scalar_int(COLS);
    heddle_array *x = heddle_expr("astype(arange(n) % 251, uint8)", HEDDLE_BIND("n", n));
    heddle_array *m = heddle_reshape(x, HEDDLE_SHAPE(ROWS, COLS));
    CHECK_EQ(heddle_wait(x), HEDDLE_OK);
    const struct heddle_binding inputs[] = {
        {"x", x}, {"m", m}, {"n", n}, {"rows", rows}, {"cols", cols}};
    const struct large_case *const tables[] = {large_bytes, large_shapes, large_numbers};
    int skipped = 0;
    bool begun = argc <= 3;
    for (int t = 0; t < 3; t++)
        for (const struct large_case *c = tables[t]; c->text; c++) {
            if (!begun) {
                begun = strstr(c->text, argv[3]);
                continue;
            }
            if (argc > 2 && !strstr(c->text, argv[2])) continue;
            if (c->gigabytes > room) {
                skipped++;
                continue;
            }
            struct timespec begin, end;
            clock_gettime(CLOCK_MONOTONIC, &begin);
            check_case(c, inputs, sizeof inputs / sizeof *inputs);
            clock_gettime(CLOCK_MONOTONIC, &end);
            if (argc > 1) {
                printf("%6.2f s  %s\n",
                       (double)(end.tv_sec - begin.tv_sec) +
                           (double)(end.tv_nsec - begin.tv_nsec) * 1e-9,
                       c->text);
                fflush(stdout);
            }
        }
    heddle_scope_close(scope);
    printf("%d lines skipped: more than %.0f GB\n", skipped, room);
    check_nothing_left();
    return check_done();
}
