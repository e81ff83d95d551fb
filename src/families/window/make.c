/* Sums over windows: an operation over a row and taps of its dtype. Entry point: heddle__windows. */
#include "families/window/window.h"
#include "graph/make.h"

heddle_array *heddle__windows(heddle_array *x, heddle_array *taps, bool turned, int64_t first,
                              int64_t n)
{
    heddle_array *const both[2] = {x, taps};
    const enum heddle_dtype dtype = heddle__promote(2, both), in = heddle__computed_in(dtype);
    const struct heddle_window_params params = {.first = first, .turned = turned};
    heddle_array *operands[2] = {heddle__make_cast(x, in), heddle__make_cast(taps, in)};
    heddle_array *r =
        operands[0] && operands[1]
            ? heddle__make_operation(&heddle__window_family, in, 1, &n, 2, operands, &params, NULL)
            : NULL;
    for (int i = 0; i < 2; i++) heddle__release(operands[i]);
    return heddle__hand_out(heddle__recast(r, dtype));
}
