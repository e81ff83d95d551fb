/* What you learn: a whole program. Arrays are made, an expression is built, nothing is computed
 * until its value is read. */
#include <heddle.h>
#include <stdio.h>

int main(void)
{
    const double v[] = {1, 2, 2, 4};
    heddle_scope scope = heddle_scope_open(); /* owns every array made until it closes */
    heddle_array *a = heddle_asarray(v, HEDDLE_FLOAT64, HEDDLE_SHAPE(4));
    heddle_array *n = heddle_sqrt(heddle_sum(heddle_square(heddle_abs(a))));

    double norm = 0;
    if (heddle_read(n, &norm, sizeof norm) != HEDDLE_OK) /* evaluates; the place to check errors */
        fprintf(stderr, "%s\n", heddle_error(n));
    printf("norm %g, expected 5\n", norm);
    heddle_scope_close(scope);
    return norm != 5;
}
