/* Results beside those recorded from NumPy: sums that depend on each element and its place. */
#include "npbench.h"

#include <math.h>
#include <string.h>

struct npb_sums npb_sums_of(heddle_array *output)
{
    heddle_array *parts[2] = {output, NULL};
    int n_parts = 1;
    heddle_scope scope = heddle_scope_open();
    if (heddle_dtype_kind(heddle_dtype_of(output)) == 'C') {
        parts[0] = heddle_real(output);
        parts[n_parts++] = heddle_imag(output);
    }
    const int64_t n = heddle_size(output);
    double *values = malloc((size_t)n * sizeof *values + 1);
    if (!values) {
        fprintf(stderr, "no memory to compare\n");
        exit(1);
    }
    struct npb_sums sums = {.count = (double)(n * n_parts)};
    for (int p = 0; p < n_parts; p++) {
        HEDDLE_MUST(heddle_read_as(parts[p], HEDDLE_FLOAT64, values, 8 * n));
        for (int64_t i = 0; i < n; i++) {
            const double place = (double)(i * n_parts + p) * 0.6180339887498949;
            sums.absolute += fabs(values[i]);
            sums.weighted += values[i] * (place - floor(place) - 0.5);
        }
    }
    free(values);
    heddle_scope_close(scope);
    return sums;
}

/* Of the absolute sum: what rounding in another order may change. */
static double tolerance(heddle_array *output)
{
    return heddle_dtype_of(output) == HEDDLE_FLOAT32 ? 1e-5 : 1e-9;
}

/* False if the file has no such line. */
static bool expected(FILE *file, const char *program, const char *size, int output,
                     struct npb_sums *sums)
{
    char line[256], name[32], its_size[16];
    int number;
    rewind(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%31s %15s %d %lf %lf %lf", name, its_size, &number, &sums->count,
                   &sums->absolute, &sums->weighted) == 6 &&
            !strcmp(name, program) && !strcmp(its_size, size) && number == output)
            return true;
    return false;
}

int npb_compare(const char *path, const struct npb_program *program, const char *size,
                heddle_array *const *outputs)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < npb_count(program->outputs, NPB_OUTPUTS); i++) {
        struct npb_sums theirs;
        const struct npb_sums ours = npb_sums_of(outputs[i]);
        if (!expected(file, program->name, size, i, &theirs)) {
            printf("%s %s: nothing recorded of %s\n", program->name, size, program->outputs[i]);
            wrong++;
            continue;
        }
        const double allowed = tolerance(outputs[i]) * theirs.absolute;
        if (ours.count == theirs.count && fabs(ours.absolute - theirs.absolute) <= allowed &&
            fabs(ours.weighted - theirs.weighted) <= allowed)
            continue;
        printf(
            "%s %s: %s differs: %.0f elements, sums %.17g and %.17g, not %.0f, %.17g and %.17g\n",
            program->name, size, program->outputs[i], ours.count, ours.absolute, ours.weighted,
            theirs.count, theirs.absolute, theirs.weighted);
        wrong++;
    }
    fclose(file);
    return wrong;
}
