/* The plans of DUCC, kept for the lengths that were used last. */
#ifndef HEDDLE_FAMILIES_FFT_CPU_PLANS_H
#define HEDDLE_FAMILIES_FFT_CPU_PLANS_H

#include "families/fft/cpu_lines.h"

#include <stdbool.h>

struct heddle_fft_plan;

/* A plan for lines of n numbers, to be given back. NULL: memory is gone. Any thread. */
struct heddle_fft_plan *heddle__fft_plan_take(const struct heddle_fft_engine *engine, bool is_real,
                                              int64_t n, bool by_itself);
const void *heddle__fft_plan_of(const struct heddle_fft_plan *plan);
void heddle__fft_plan_give_back(struct heddle_fft_plan *plan);

#endif
