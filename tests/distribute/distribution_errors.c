/* Proves that a distribution that cannot be is an error that says why, before anything is computed. */
#include "check.h"

#include <heddle.h>

static heddle_array *a;

static void bad(const struct heddle_distribution *d, enum heddle_status code, const char *says)
{
    heddle_array *r = heddle_distribute(a, d);
    CHECK_EQ(heddle_status_of(r), code);
    CHECK(strstr(heddle_error(r), says) != NULL, "\"%s\" does not say \"%s\"", heddle_error(r),
          says);
}

#define BAD(code, says, ...) bad(&(const struct heddle_distribution){__VA_ARGS__}, code, says)

int main(void)
{
    const struct heddle_config config = {.devices = "cpu", .cpu_workers = 2};
    CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    a = heddle_zeros(HEDDLE_SHAPE(10, 6));
    const int64_t five[] = {5, 4}, long_[] = {5, 6}, negative[] = {-1, 11}, falling[] = {5, 3, 10},
                  colors[] = {0, 1, 2, 3, 0, 1};
    BAD(HEDDLE_EARG, "9 of its 10", .cut[0] = {HEDDLE_CUT_SIZES, 2, five});
    BAD(HEDDLE_EARG, "beyond its extent 10", .cut[0] = {HEDDLE_CUT_SIZES, 2, long_});
    BAD(HEDDLE_EARG, "size -1", .cut[0] = {HEDDLE_CUT_SIZES, 2, negative});
    BAD(HEDDLE_EARG, "size -2", .cut[0] = {HEDDLE_CUT_BOUNDS, 3, falling});
    BAD(HEDDLE_EARG, "sizes at NULL", .cut[0] = {HEDDLE_CUT_SIZES, 2, NULL});
    BAD(HEDDLE_EARG, "blocks of 0", .cut[1] = {HEDDLE_CUT_BLOCKS, 0, NULL});
    BAD(HEDDLE_EARG, "blocks of -3", .cut[1] = {HEDDLE_CUT_BLOCKS, -3, NULL});
    BAD(HEDDLE_EARG, "one part a place", .cut[1] = {HEDDLE_CUT_PARTS, 0, NULL});
    BAD(HEDDLE_EARG, "color 3", .cut[1] = {HEDDLE_CUT_COLORS, 3, colors});
    BAD(HEDDLE_EARG, "axis 2", .cut[2] = {HEDDLE_CUT_PARTS, 2, NULL});
    BAD(HEDDLE_EARG, "no kind", .cut[0] = {(enum heddle_cut_kind)17, 2, NULL});
    BAD(HEDDLE_EARG, "at most 65536", .cut[0] = {HEDDLE_CUT_PARTS, 100000, NULL});
    BAD(HEDDLE_EARG, "2 places at NULL", .n_places = 2);
    BAD(HEDDLE_ENODEVICE, "no cpu:7", HEDDLE_PLACES(heddle_cpu(7)));
    BAD(HEDDLE_ENODEVICE, "no gpu:0", HEDDLE_PLACES(heddle_cpu(0), heddle_gpu(0)));
    BAD(HEDDLE_EARG, "which is none", HEDDLE_PLACES(heddle_cpu(-1)));
    CHECK_EQ(heddle_status_of(heddle_distribute(NULL, NULL)), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_to(a, heddle_gpu(3))), HEDDLE_ENODEVICE);
    CHECK_EQ(heddle_status_of(heddle_distribute_like(a, heddle_zeros(HEDDLE_SHAPE(3)))),
             HEDDLE_ESHAPE);
    CHECK_EQ(heddle_status_of(heddle_distribute(a, NULL)), HEDDLE_OK);

    heddle_array *error = heddle_matmul(a, a);
    CHECK_EQ(heddle_status_of(heddle_distribute(error, NULL)), HEDDLE_ESHAPE);
    int64_t n;
    CHECK_EQ(heddle_count_parts(error, &n), HEDDLE_ESHAPE);
    CHECK_EQ(heddle_count_parts(NULL, &n), HEDDLE_EARG);
    CHECK_EQ(heddle_boundaries(a, 2, 0, NULL, &n), HEDDLE_EAXIS);
    struct heddle_part_view view;
    CHECK_EQ(heddle_part_acquire(a, 1, HEDDLE_ANYWHERE, &view), HEDDLE_EINDEX);
    heddle_part_release(&view);
    heddle_part_release(NULL);
    heddle_scope_close(scope);
    return check_done();
}
