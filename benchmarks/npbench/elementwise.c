/* Elementwise programs. */
#include "npbench.h"

const struct npb_program npb_elementwise[] = {
    {.name = "arc_distance",
     .parameters = {"N"},
     .sizes = {{101}, {100000}, {1000000}, {10000000}, {10000000}},
     .draws = {{"theta_1", "N", HEDDLE_FLOAT64},
               {"phi_1", "N", HEDDLE_FLOAT64},
               {"theta_2", "N", HEDDLE_FLOAT64},
               {"phi_2", "N", HEDDLE_FLOAT64}},
     .inputs = {"theta_1", "phi_1", "theta_2", "phi_2"},
     .text = "h = (sin((theta_2 - theta_1) / 2)**2\n"
             "     + cos(theta_1) * cos(theta_2) * sin((phi_2 - phi_1) / 2)**2)\n"
             "distance = 2 * arctan2(sqrt(h), sqrt(1 - h))",
     .outputs = {"distance"}},
    {.name = "compute",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {2000, 2000}, {5000, 5000}, {16000, 16000}, {12500, 12500}},
     .draws = {{"x", "M, N", HEDDLE_FLOAT64}, {"y", "M, N", HEDDLE_FLOAT64}},
     .make = "array_1 = astype(1000 * x, int64)\n"
             "array_2 = astype(1000 * y, int64)",
     .inputs = {"array_1", "array_2"},
     .text = "z = clip(array_1, 2, 10) * 4 + array_2 * 3 + 9",
     .outputs = {"z"}},
    {.name = "go_fast",
     .parameters = {"N"},
     .sizes = {{19}, {2000}, {6000}, {20000}, {12500}},
     .draws = {{"a", "N, N", HEDDLE_FLOAT64}},
     .inputs = {"a"},
     .text = "b = a + sum(tanh(diagonal(a)))",
     .outputs = {"b"}},
    {.name = NULL},
};
