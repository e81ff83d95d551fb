/* Cases of the kernel families: each gives a random operation of one family on values of a random program,
 * beside its oracle. The property tests draw them among all operations, and each family's by itself;
 * through every way to run a plan, on CPUs and GPUs. */
#ifndef HEDDLE_TESTS_FAMILIES_CASES_H
#define HEDDLE_TESTS_FAMILIES_CASES_H

#include "property/oracle_values.h"

/* Sets *out and its array; false: it does not apply to these operands. */
typedef bool family_case(struct random *r, const struct value *a, const struct value *b,
                         struct value *out);

/* One for each row of families.def: one that has none does not link. */
#define HEDDLE_FAMILY(ID, name) family_case name##_case;
#include "families.def"
#undef HEDDLE_FAMILY

extern const struct family_cases {
    const char *name;
    family_case *make;
} families_cases[];
extern const int n_families_cases;

#endif
