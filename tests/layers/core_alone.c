/* Proves that the core, from src/base to src/plan with the families' cuts and the API, needs nothing of
 * the layers above: it is linked whole, and makes an expression. */
#include <heddle.h>

int main(void)
{
    heddle_scope scope = heddle_scope_open();
    const double v[] = {1, 2, 2, 4};
    heddle_array *a = heddle_asarray(v, HEDDLE_FLOAT64, HEDDLE_SHAPE(4));
    heddle_array *n = heddle_sqrt(heddle_sum(heddle_square(a)));
    const bool right = heddle_status_of(n) == HEDDLE_OK && heddle_ndim(n) == 0;
    heddle_scope_close(scope);
    return !right;
}
