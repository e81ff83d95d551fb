/* All tables of functions together. The first row of a name counts: special functions go before the rows of
 * ops.def. Entry point: heddle__expr_function_at. */
#include "expr/functions/functions.h"

static const struct function_table *const tables[] = {
    &heddle__expr_special,     &heddle__expr_selecting,    &heddle__expr_series,
    &heddle__expr_elementwise, &heddle__expr_reductions,   &heddle__expr_statistics,
    &heddle__expr_creation,    &heddle__expr_shapes,       &heddle__expr_axes,
    &heddle__expr_assembly,    &heddle__expr_diagonals,    &heddle__expr_parts,
    &heddle__expr_products,    &heddle__expr_known,        &heddle__expr_types,
    &heddle__expr_sorting,     &heddle__expr_order,        &heddle__expr_sets,
    &heddle__expr_changes,     &heddle__expr_methods,      &heddle__expr_applying,
    &heddle__expr_indices,     &heddle__expr_windows,      &heddle__expr_edits,
    &heddle__expr_differences, &heddle__expr_contractions, &heddle__expr_factors,
    &heddle__expr_spectral,    &heddle__expr_generators,   &heddle__expr_fourier,
    &heddle__expr_kernels,
};

const struct function *heddle__expr_function_at(size_t i)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (i < tables[t]->n) return &tables[t]->rows[i];
        i -= tables[t]->n;
    }
    return NULL;
}
