/* The least that a program outside this repository does: compute something, check the answer. */
#include <heddle.h>
#include <stdio.h>

int main(void)
{
    const float data[4] = {1, -2, 3, -4};
    double sum = 0;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT32, HEDDLE_SHAPE(4));
    heddle_array *s = heddle_sum(heddle_abs(a), .dtype = HEDDLE_FLOAT64);
    const enum heddle_status status = heddle_read(s, &sum, sizeof sum);
    if (status != HEDDLE_OK) fprintf(stderr, "%s\n", heddle_error(s));
    heddle_scope_close(scope);
    return status == HEDDLE_OK && sum == 10 ? 0 : 1;
}
