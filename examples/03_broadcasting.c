/* What you learn: shapes broadcast and dtypes promote as in NumPy; a scalar takes the dtype of the
 * array that it meets. */
#include "common.h"

#include <string.h>

static void expect_dtype(const char *what, heddle_array *a, const char *expected)
{
    const char *name = heddle_dtype_name(heddle_dtype_of(a));
    printf("%-32s %12s   expected %12s\n", what, name, expected);
    n_wrong += strcmp(name, expected) != 0;
}

int main(void)
{
    heddle_scope scope = heddle_scope_open();

    /* (3, 1) with (4): extents of 1, and missing ones, stretch. This is a table of products. */
    heddle_array *rows =
        heddle_reshape(heddle_arange(heddle_scalar(1), heddle_scalar(4), NULL), HEDDLE_SHAPE(3, 1));
    heddle_array *columns = heddle_arange(heddle_scalar(1), heddle_scalar(5), NULL);
    heddle_array *table = heddle_multiply(rows, columns);
    EXPECT("axes", heddle_ndim(table), 2);
    EXPECT("rows", heddle_shape(table)[0], 3);
    EXPECT("columns", heddle_shape(table)[1], 4);
    EXPECT("last element", value_at(table, 11), 12);

    /* Two arrays meet in the dtype that holds both; a scalar gives way to the array. */
    heddle_array *f4 = heddle_ones(HEDDLE_SHAPE(4), .dtype = HEDDLE_FLOAT32);
    heddle_array *u1 = heddle_ones(HEDDLE_SHAPE(4), .dtype = HEDDLE_UINT8);
    heddle_array *i1 = heddle_ones(HEDDLE_SHAPE(4), .dtype = HEDDLE_INT8);
    expect_dtype("uint8 + int8", heddle_add(u1, i1), "int16");
    expect_dtype("float32 + int8", heddle_add(f4, i1), "float32");
    expect_dtype("float32 + int64", heddle_add(f4, columns), "float64");
    expect_dtype("float32 * 2.0", heddle_multiply(f4, heddle_scalar(2.0)), "float32");
    expect_dtype("uint8 + 1", heddle_add(u1, heddle_scalar(1)), "uint8");
    expect_dtype("uint8 / uint8", heddle_divide(u1, u1), "float64");
    expect_dtype("float32 < 0.5", heddle_less(f4, heddle_scalar(0.5)), "bool");
    expect_dtype("float32 * 1j", heddle_multiply(f4, heddle_scalar_complex(0, 1)), "complex64");

    /* Conversion is explicit where it loses something. */
    heddle_array *third = heddle_divide(columns, heddle_scalar(3));
    expect_dtype("int64 / 3", third, "float64");
    EXPECT("4/3 as integer", value_at(heddle_astype(third, HEDDLE_INT32), 3), 1);
    heddle_scope_close(scope);
    return examples_failed();
}
