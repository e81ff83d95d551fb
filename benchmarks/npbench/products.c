/* Products of matrices and vectors. */
#include "npbench.h"

#define ROWS "i = arange(float(M))[:, None]; j = arange(float(N))\n"
#define SQUARE "i = arange(float(N))[:, None]; j = arange(float(N)); k = j\n"

const struct npb_program npb_products[] = {
    {.name = "atax",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {4000, 5000}, {10000, 12500}, {20000, 25000}, {18000, 22000}},
     .make = ROWS "A = (i + j) % N / (5 * M)\nx = 1 + j / N",
     .inputs = {"A", "x"},
     .text = "y = (A @ x) @ A",
     .outputs = {"y"}},
    {.name = "bicg",
     .parameters = {"M", "N"},
     .sizes = {{13, 17}, {4000, 5000}, {10000, 12500}, {20000, 25000}, {18000, 22000}},
     .make = "i = arange(float(N)); j = arange(float(M))\n"
             "A = i[:, None] * (j + 1) % N / N\n"
             "p = j % M / M\n"
             "r = i % N / N",
     .inputs = {"A", "p", "r"},
     .text = "s = r @ A\nq = A @ p",
     .outputs = {"s", "q"}},
    {.name = "mvt",
     .parameters = {"N"},
     .sizes = {{19}, {5500}, {11000}, {22000}, {16000}},
     .make = SQUARE "A = i * j % N / N\n"
                    "x1 = k % N / N\nx2 = (k + 1) % N / N\n"
                    "y_1 = (k + 3) % N / N\ny_2 = (k + 4) % N / N",
     .inputs = {"A", "x1", "x2", "y_1", "y_2"},
     .text = "x1 += A @ y_1\nx2 += y_2 @ A",
     .outputs = {"x1", "x2"}},
    {.name = "gesummv",
     .parameters = {"N"},
     .sizes = {{19}, {2000}, {4000}, {14000}, {11200}},
     .make = SQUARE "A = (i * j + 1) % N / N\nB = (i * j + 2) % N / N\nx = k % N / N",
     .inputs = {"A", "B", "x"},
     .text = "y = 1.5 * A @ x + 1.2 * B @ x",
     .outputs = {"y"}},
    {.name = "gemver",
     .parameters = {"N"},
     .sizes = {{19}, {1000}, {3000}, {10000}, {8000}},
     .make = SQUARE "A = i * j % N / N\n"
                    "u1 = k\nu2 = (k + 1) / N / 2\nv1 = (k + 1) / N / 4\nv2 = (k + 1) / N / 6\n"
                    "w = zeros(N)\nx = zeros(N)\n"
                    "y = (k + 1) / N / 8\nz = (k + 1) / N / 9",
     .inputs = {"A", "u1", "v1", "u2", "v2", "w", "x", "y", "z"},
     .text = "A += outer(u1, v1) + outer(u2, v2)\n"
             "x += 1.2 * y @ A + z\n"
             "w += 1.5 * A @ x",
     .outputs = {"A", "w", "x"}},
    {.name = "gemm",
     .parameters = {"NI", "NJ", "NK"},
     .sizes = {{11, 13, 17},
               {1000, 1100, 1200},
               {2500, 2750, 3000},
               {7000, 7500, 8000},
               {2000, 2300, 2600}},
     .make = "i = arange(float(NI))[:, None]; j = arange(float(NJ)); k = arange(float(NK))\n"
             "A = i * (k + 1) % NK / NK\n"
             "B = k[:, None] * (j + 2) % NJ / NJ\n"
             "C = (i * j + 1) % NI / NI",
     .inputs = {"A", "B", "C"},
     .text = "C = 1.5 * A @ B + 1.2 * C",
     .outputs = {"C"}},
    {.name = "k2mm",
     .parameters = {"NI", "NJ", "NK", "NL"},
     .sizes = {{11, 13, 17, 19},
               {800, 850, 900, 950},
               {2000, 2250, 2500, 2750},
               {6000, 6500, 7000, 7500},
               {3200, 3600, 4400, 4800}},
     .make = "i = arange(float(NI))[:, None]; j = arange(float(NJ))\n"
             "k = arange(float(NK)); l = arange(float(NL))\n"
             "A = (i * k + 1) % NI / NI\n"
             "B = k[:, None] * (j + 1) % NJ / NJ\n"
             "C = (j[:, None] * (l + 3) + 1) % NL / NL\n"
             "D = i * (l + 2) % NK / NK",
     .inputs = {"A", "B", "C", "D"},
     .text = "D = 1.5 * A @ B @ C + 1.2 * D",
     .outputs = {"D"}},
    {.name = "k3mm",
     .parameters = {"NI", "NJ", "NK", "NL", "NM"},
     .sizes = {{11, 13, 17, 19, 23},
               {800, 850, 900, 950, 1000},
               {2000, 2200, 2400, 2600, 2800},
               {5500, 6000, 6500, 7000, 7500},
               {3200, 3600, 4000, 4400, 4800}},
     .make = "i = arange(float(NI))[:, None]; j = arange(float(NJ)); k = arange(float(NK))\n"
             "l = arange(float(NL)); m = arange(float(NM))\n"
             "A = (i * k + 1) % NI / (5 * NI)\n"
             "B = (k[:, None] * (j + 1) + 2) % NJ / (5 * NJ)\n"
             "C = j[:, None] * (m + 3) % NL / (5 * NL)\n"
             "D = (m[:, None] * (l + 2) + 2) % NK / (5 * NK)",
     .inputs = {"A", "B", "C", "D"},
     .text = "E = A @ B @ C @ D",
     .outputs = {"E"}},
    {.name = "doitgen",
     .parameters = {"NR", "NQ", "NP"},
     .sizes = {{5, 7, 11}, {60, 60, 128}, {110, 125, 256}, {220, 250, 512}, {220, 250, 270}},
     .make = "i = arange(float(NR))[:, None, None]; j = arange(float(NQ))[:, None]\n"
             "k = arange(float(NP))\n"
             "A = (i * j + k) % NP / NP\n"
             "C4 = k[:, None] * k % NP / NP",
     .inputs = {"A", "C4"},
     .text = "A = A @ C4",
     .outputs = {"A"}},
    {.name = NULL},
};
