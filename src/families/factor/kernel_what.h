/* What is asked of small systems (kernel_systems.h). */
#ifndef HEDDLE_FAMILIES_FACTOR_KERNEL_WHAT_H
#define HEDDLE_FAMILIES_FACTOR_KERNEL_WHAT_H

enum heddle_systems_what {
    HEDDLE_SYSTEMS_SOLVE,  /* (n, n), (n, columns) -> (n, columns) */
    HEDDLE_SYSTEMS_INVERT, /* (n, n) -> (n, n) */
    HEDDLE_SYSTEMS_PIVOTS, /* (n, n) -> (n): the first one negative if the order of rows is odd, so that their product is the
                              determinant */
    HEDDLE_SYSTEMS_DETERMINANT, /* (n, n) -> (): that product, from the first on */
    HEDDLE_N_SYSTEMS
};

#endif
