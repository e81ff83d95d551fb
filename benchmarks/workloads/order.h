/* Sorting and what is built on it, masks and bins, on one vector of n float64. */
#ifndef ORDER_H
#define ORDER_H

#include <stdint.h>

void run_sort(const char *name, int64_t n);
void run_argsort(const char *name, int64_t n);
void run_unique(const char *name, int64_t n);    /* of a million whole numbers */
void run_histogram(const char *name, int64_t n); /* 100 bins of the range of the data, which is found */
void run_mask(const char *name, int64_t n);      /* half of the elements: a[a > 0] */

#endif
