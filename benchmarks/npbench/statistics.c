/* Covariance and correlation of columns. */
#include "npbench.h"

const struct npb_program npb_statistics[] = {
    {.name = "covariance",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {500, 600}, {1400, 1800}, {3200, 4000}, {1200, 1400}},
     .make = "i = arange(float(N))[:, None]; j = arange(float(M))\n"
             "data = i * j / M",
     .inputs = {"data"},
     .text = "data -= mean(data, axis=0)\n"
             "covariance = data.T @ data / (N - 1.0)",
     .outputs = {"covariance"}},
    {.name = "correlation",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {500, 600}, {1400, 1800}, {3200, 4000}, {1200, 1400}},
     .make = "i = arange(float(N))[:, None]; j = arange(float(M))\n"
             "data = i * j / M + i",
     .inputs = {"data"},
     .text = "deviation = std(data, axis=0)\n"
             "deviation[deviation <= 0.1] = 1.0\n"
             "data -= mean(data, axis=0)\n"
             "data /= sqrt(float(N)) * deviation\n"
             "correlation = data.T @ data\n"
             "fill_diagonal(correlation, 1.0)",
     .outputs = {"correlation"}},
    {.name = NULL},
};
