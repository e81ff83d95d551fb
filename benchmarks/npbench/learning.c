/* Layers of neural networks, float32. */
#include "npbench.h"

#define SOFTMAX                                                                                    \
    "e = exp(x - max(x, axis=-1, keepdims=True))\n"                                                \
    "y = e / sum(e, axis=-1, keepdims=True)"

/* Each window of the image times each filter: one product of matrices. */
#define CONVOLUTION                                                                                \
    "windows = sliding_window_view(image, (K, K), axis=(1, 2))\n"                                  \
    "y = einsum('nhwcij,ijco->nhwo', windows, weights) + bias"

const struct npb_program npb_learning[] = {
    {.name = "softmax",
     .parameters = {"N", "H", "SM"},
     .sizes = {{3, 2, 19}, {16, 16, 128}, {32, 8, 256}, {64, 16, 448}, {64, 16, 512}},
     .draws = {{"x", "N, H, SM, SM", HEDDLE_FLOAT32}},
     .inputs = {"x"},
     .text = SOFTMAX,
     .outputs = {"y"}},
    {.name = "mlp", /* NPBench draws `input` without a seed: `run` seeds it */
     .parameters = {"C_in", "N", "S0", "S1", "S2"},
     .sizes = {{3, 8, 31, 29, 23},
               {3, 8, 30000, 2000, 2000},
               {3, 8, 30000, 10000, 10000},
               {3, 8, 30000, 30000, 30000},
               {3, 8, 30000, 10000, 1000}},
     .draws = {{"w1", "C_in, S0", HEDDLE_FLOAT32},
               {"b1", "S0", HEDDLE_FLOAT32},
               {"w2", "S0, S1", HEDDLE_FLOAT32},
               {"b2", "S1", HEDDLE_FLOAT32},
               {"w3", "S1, S2", HEDDLE_FLOAT32},
               {"b3", "S2", HEDDLE_FLOAT32},
               {"drawn", "N, C_in", HEDDLE_FLOAT64, .restart = true}},
     .make = "input = astype(drawn, float32)",
     .inputs = {"input", "w1", "b1", "w2", "b2", "w3", "b3"},
     .text = "x = maximum(input @ w1 + b1, 0)\n"
             "x = maximum(x @ w2 + b2, 0)\n"
             "x = x @ w3 + b3\n" SOFTMAX,
     .outputs = {"y"}},
    {.name = "conv2d_bias",
     .parameters = {"N", "C_in", "C_out", "K", "H", "W"},
     .sizes = {{2, 3, 5, 2, 7, 9},
               {8, 3, 16, 2, 32, 32},
               {8, 3, 8, 5, 64, 64},
               {8, 3, 8, 10, 128, 128},
               {8, 3, 16, 20, 256, 256}},
     .draws = {{"image", "N, H, W, C_in", HEDDLE_FLOAT32},
               {"weights", "K, K, C_in, C_out", HEDDLE_FLOAT32},
               {"bias", "C_out", HEDDLE_FLOAT32}},
     .inputs = {"image", "weights", "bias"},
     .text = CONVOLUTION,
     .outputs = {"y"}},
    {.name = NULL},
};
