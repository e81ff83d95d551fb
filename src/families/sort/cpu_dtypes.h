/* Includes the file FOR_DTYPE once for each dtype that is sorted, with what cpu_key.h says. Then SORT_BY_DTYPE(name)
 * initialises an array of N_DTYPES pointers to the constants `name` of each. */

#define TYPE uint8_t
#define WORD_TYPE uint8_t
#define KEY_TYPE uint32_t
#define IS_FLOAT 0
#define OFFSET 0
#define KEYS(name) name##_u8
#include "families/sort/cpu_key.h"

#define TYPE int8_t
#define WORD_TYPE uint8_t
#define KEY_TYPE uint32_t
#define IS_FLOAT 0
#define OFFSET 0x80000000u
#define KEYS(name) name##_i8
#include "families/sort/cpu_key.h"

#define TYPE uint16_t
#define WORD_TYPE uint16_t
#define KEY_TYPE uint32_t
#define IS_FLOAT 0
#define OFFSET 0
#define KEYS(name) name##_u16
#include "families/sort/cpu_key.h"

#define TYPE int16_t
#define WORD_TYPE uint16_t
#define KEY_TYPE uint32_t
#define IS_FLOAT 0
#define OFFSET 0x80000000u
#define KEYS(name) name##_i16
#include "families/sort/cpu_key.h"

#define TYPE uint32_t
#define WORD_TYPE uint32_t
#define KEY_TYPE uint32_t
#define IS_FLOAT 0
#define OFFSET 0
#define KEYS(name) name##_u32
#include "families/sort/cpu_key.h"

#define TYPE int32_t
#define WORD_TYPE uint32_t
#define KEY_TYPE uint32_t
#define IS_FLOAT 0
#define OFFSET 0x80000000u
#define KEYS(name) name##_i32
#include "families/sort/cpu_key.h"

#define TYPE uint64_t
#define WORD_TYPE uint64_t
#define KEY_TYPE uint64_t
#define IS_FLOAT 0
#define OFFSET 0
#define KEYS(name) name##_u64
#include "families/sort/cpu_key.h"

#define TYPE int64_t
#define WORD_TYPE uint64_t
#define KEY_TYPE uint64_t
#define IS_FLOAT 0
#define OFFSET 0x8000000000000000u
#define KEYS(name) name##_i64
#include "families/sort/cpu_key.h"

#define TYPE float
#define WORD_TYPE uint32_t
#define KEY_TYPE uint32_t
#define IS_FLOAT 1
#define KEYS(name) name##_f32
#include "families/sort/cpu_key.h"

#define TYPE double
#define WORD_TYPE uint64_t
#define KEY_TYPE uint64_t
#define IS_FLOAT 1
#define KEYS(name) name##_f64
#include "families/sort/cpu_key.h"

#undef FOR_DTYPE

#define SORT_BY_DTYPE(name)                                                                        \
    {                                                                                              \
        [HEDDLE_BOOL] = &name##_u8, [HEDDLE_UINT8] = &name##_u8, [HEDDLE_INT8] = &name##_i8,       \
        [HEDDLE_UINT16] = &name##_u16, [HEDDLE_INT16] = &name##_i16,                               \
        [HEDDLE_UINT32] = &name##_u32, [HEDDLE_INT32] = &name##_i32,                               \
        [HEDDLE_UINT64] = &name##_u64, [HEDDLE_INT64] = &name##_i64,                               \
        [HEDDLE_FLOAT32] = &name##_f32, [HEDDLE_FLOAT64] = &name##_f64,                            \
    }
