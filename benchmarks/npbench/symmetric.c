/* Products of symmetric and triangular matrices. NPBench adds row by row; here a triangle is a mask. */
#include "npbench.h"

const struct npb_program npb_symmetric[] = {
    {.name = "symm",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {40, 50}, {120, 150}, {350, 550}, {1000, 1200}},
     .make = "i = arange(float(M))[:, None]; j = arange(float(N)); k = arange(float(M))\n"
             "C = (i + j) % 100 / M\n"
             "B = (N + i - j) % 100 / M\n"
             "A = where(k <= i, (i + k) % 100 / M, -999)",
     .inputs = {"A", "B", "C"},
     .text = "S = tril(A) + tril(A, -1).T\n"
             "C = 1.5 * S @ B + 1.2 * C",
     .outputs = {"C"}},
    {.name = "syrk",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {50, 70}, {150, 200}, {500, 600}, {1000, 1200}},
     .make = "i = arange(float(N))[:, None]; j = arange(float(N)); k = arange(float(M))\n"
             "C = (i * j + 2) % N / M\n"
             "A = (i * k + 1) % N / N",
     .inputs = {"A", "C"},
     .text = "C = where(tri(N, dtype=bool), 1.5 * A @ A.T + 1.2 * C, C)",
     .outputs = {"C"}},
    {.name = "syr2k",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {35, 50}, {110, 140}, {350, 400}, {1000, 1200}},
     .make = "i = arange(float(N))[:, None]; j = arange(float(N)); k = arange(float(M))\n"
             "C = (i * j + 3) % N / M\n"
             "A = (i * k + 1) % N / N\n"
             "B = (i * k + 2) % M / M",
     .inputs = {"A", "B", "C"},
     .text = "P = A @ B.T\n"
             "C = where(tri(N, dtype=bool), 1.5 * (P + P.T) + 1.2 * C, C)",
     .outputs = {"C"}},
    {.name = "trmm",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {65, 80}, {200, 250}, {600, 700}, {1000, 1200}},
     .make = "i = arange(float(M))[:, None]; j = arange(float(N)); k = arange(float(M))\n"
             "A = where(k == i, 1, i * k % M / M)\n"
             "B = (N + i - j) % N / N",
     .inputs = {"A", "B"},
     .text = "B = 1.5 * (B + tril(A, -1).T @ B)",
     .outputs = {"B"}},
    {.name = NULL},
};
