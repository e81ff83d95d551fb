/* What tests of sorting and searching share: elements, and the oracle, which of two is first. */
#ifndef HEDDLE_TESTS_FAMILIES_ORDER_H
#define HEDDLE_TESTS_FAMILIES_ORDER_H

#include <heddle/dtype.h>
#include <stdbool.h>
#include <string.h>

/* Writes the number, or what an integer of that size has of the word. */
static inline void put_element(enum heddle_dtype dtype, void *to, uint64_t word, double number)
{
    const float narrow = (float)number;
    if (dtype == HEDDLE_FLOAT64)
        memcpy(to, &number, sizeof number);
    else if (dtype == HEDDLE_FLOAT32)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &word, heddle_dtype_size(dtype));
}

/* -1, 0 or 1 by value; a NaN is after all others, descending too. Complex numbers have no order. */
static inline int order_of(enum heddle_dtype dtype, bool descending, const void *x, const void *y)
{
    switch (dtype) {
#define ORDER(ID, type)                                                                            \
    case HEDDLE_##ID: {                                                                            \
        const type a = *(const type *)x, b = *(const type *)y;                                     \
        if (a != a || b != b) return (a != a) - (b != b);                                          \
        return descending ? (a < b) - (a > b) : (a > b) - (a < b);                                 \
    }
        ORDER(BOOL, uint8_t)
        ORDER(INT8, int8_t)
        ORDER(INT16, int16_t)
        ORDER(INT32, int32_t)
        ORDER(INT64, int64_t)
        ORDER(UINT8, uint8_t)
        ORDER(UINT16, uint16_t)
        ORDER(UINT32, uint32_t)
        ORDER(UINT64, uint64_t)
        ORDER(FLOAT32, float)
        ORDER(FLOAT64, double)
#undef ORDER
    default: return 0;
    }
}

#endif
