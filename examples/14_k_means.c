/* What you learn: distances by broadcasting, which are never stored, sums by einsum, and an iteration that stops when
 * nothing moves. k-means finds the centres of three clouds of points. */
#include "common.h"

enum { CLOUDS = 3, EACH = 1000, POINTS = CLOUDS * EACH };

static const double centre[CLOUDS][2] = {{0, 0}, {8, 1}, {3, 7}};

/* Point i belongs to cloud i % 3, on a spiral around its centre: a full number of turns, so that they balance. */
static heddle_array *clouds(void)
{
    heddle_array *i = heddle_arange(heddle_scalar(POINTS), NULL, NULL), *three = heddle_scalar(3);
    heddle_array *turn =
        heddle_multiply(heddle_floor_divide(i, three), heddle_scalar(2 * 3.141592653589793 / 20));
    heddle_array *radius =
        heddle_multiply(heddle_remainder(i, heddle_scalar(7)), heddle_scalar(0.25));
    heddle_array *spiral = heddle_multiply(
        heddle_expand_dims(radius, -1),
        heddle_stack(2, (heddle_array *[]){heddle_cos(turn), heddle_sin(turn)}, -1));
    heddle_array *at = heddle_asarray(centre, HEDDLE_FLOAT64, HEDDLE_SHAPE(CLOUDS, 2));
    return heddle_add(heddle_take(at, heddle_remainder(i, three), .axis = 0), spiral);
}

/* The number of the nearest centre, for each point: (points, 1, 2) - (centres, 2) broadcasts. */
static heddle_array *nearest(heddle_array *points, heddle_array *centres)
{
    heddle_array *apart = heddle_subtract(heddle_expand_dims(points, 1), centres);
    return heddle_argmin(heddle_sum(heddle_square(apart), .axis = -1), .axis = 1);
}

/* The means of the points of each cloud. */
static heddle_array *means(heddle_array *points, heddle_array *cloud)
{
    heddle_array *numbers = heddle_arange(heddle_scalar(CLOUDS), NULL, NULL);
    heddle_array *is_in =
        heddle_astype(heddle_equal(heddle_expand_dims(cloud, -1), numbers), HEDDLE_FLOAT64);
    heddle_array *sums = heddle_einsum("nk,nd->kd", HEDDLE_ARRAYS(is_in, points));
    return heddle_divide(sums, heddle_expand_dims(heddle_sum(is_in, .axis = 0), -1));
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *points = clouds();
    HEDDLE_MUST(heddle_eval(points));

    /* Bad centres to begin with. */
    const double start[CLOUDS][2] = {{-1, 0}, {1, 4}, {9, 3}};
    heddle_array *centres =
        heddle_keep(heddle_asarray(start, HEDDLE_FLOAT64, HEDDLE_SHAPE(CLOUDS, 2)));
    double moved = 1;
    int n = 0;
    for (; moved > 0 && n < 50; n++) {
        heddle_scope step = heddle_scope_open();
        heddle_array *next = heddle_keep(means(points, nearest(points, centres)));
        moved = HEDDLE_MUST_ITEM(heddle_max(heddle_abs(heddle_subtract(next, centres))));
        heddle_release(centres);
        centres = next;
        heddle_scope_close(step);
    }
    printf("%d steps\n", n);
    expect_true("it ends", moved == 0 && n > 1);

    /* Each cloud has its points again: sorted by the first coordinate the centres are those of the clouds. */
    heddle_array *order =
        heddle_argsort(heddle_getitem(centres, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(0))));
    heddle_array *sorted = heddle_take(centres, order, .axis = 0);
    const int clouds_in_order[CLOUDS] = {0, 2, 1};
    for (int k = 0; k < CLOUDS; k++)
        for (int d = 0; d < 2; d++)
            expect_true(d ? "  its y is near" : "a centre's x is near",
                        fabs(value_at(sorted, 2 * k + d) - centre[clouds_in_order[k]][d]) < 0.05);
    heddle_array *cloud = nearest(points, centres);
    EXPECT("points of the first cloud",
           value_at(heddle_count_nonzero(
                        heddle_equal(cloud, heddle_getitem(cloud, HEDDLE_INDEX(HEDDLE_AT(0))))),
                    0),
           EACH);
    heddle_release(centres);
    heddle_scope_close(scope);
    return examples_failed();
}
