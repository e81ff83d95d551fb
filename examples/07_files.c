/* What you learn: .npy files in and out, shared with NumPy. Loading reads the header only; the data
 * are mapped and read as far as they are used. Saving evaluates; the file appears whole or not. */
#include "common.h"

#include <unistd.h>

int main(void)
{
    const char *path = "heddle_07.npy";
    heddle_scope scope = heddle_scope_open();

    /* Write a million squares. */
    heddle_array *i = heddle_arange(heddle_scalar(1000000.0), NULL, NULL);
    HEDDLE_MUST(heddle_save(heddle_square(i), path));

    /* Load them again; nothing but the header is read here. */
    heddle_array *a = heddle_load(path);
    HEDDLE_MUST(heddle_status_of(a));
    EXPECT("elements", heddle_size(a), 1000000);
    expect_true("dtype float64", heddle_dtype_of(a) == HEDDLE_FLOAT64);

    /* Only the pages of these ten elements are touched. */
    heddle_array *few = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(500000, 500010)));
    EXPECT("a[500000:500010].sum()", value_at(heddle_sum(few), 0), 2500045000285.0);

    /* Writing over a file that is still in use is safe: the old one lives on until released. */
    HEDDLE_MUST(heddle_save(heddle_sqrt(a), path));
    EXPECT("old: last element", value_at(a, 999999), 999998000001.0);
    EXPECT("new: last element", value_at(heddle_load(path), 999999), 999999);

    /* From the shell: heddle eval 'a.mean()' a=heddle_07.npy
     * and from Python: numpy.load("heddle_07.npy") */
    heddle_scope_close(scope);
    unlink(path);
    return examples_failed();
}
