/* Which rows of ops.def there are for the dtype that loops.c is compiled for, and of what C type their results are. Included by
 * loops.c, after HD_KIND, HD_BYTES and HD_T. */
#ifndef HEDDLE_CODELETS_CPU_ACCEPTS_H
#define HEDDLE_CODELETS_CPU_ACCEPTS_H

/* HD_FOR_<accepts>(...): its argument, or nothing. */
#define HD_YES(...) __VA_ARGS__
#define HD_NO(...)
#define HD_FOR_ALL HD_YES
#if HD_KIND == HD_B
#define HD_FOR_BOOL HD_YES
#define HD_FOR_NUM HD_NO
#else
#define HD_FOR_BOOL HD_NO
#define HD_FOR_NUM HD_YES
#endif
#if HD_KIND == HD_C
#define HD_FOR_CPX HD_YES
#define HD_FOR_ANYR HD_NO
#else
#define HD_FOR_CPX HD_NO
#define HD_FOR_ANYR HD_YES
#endif
#if HD_KIND == HD_F
#define HD_FOR_RFLT HD_YES
#else
#define HD_FOR_RFLT HD_NO
#endif
#if HD_KIND == HD_F || HD_KIND == HD_C
#define HD_FOR_FLT HD_YES
#define HD_FOR_INT HD_NO
#define HD_FOR_INTB HD_NO
#else
#define HD_FOR_FLT HD_NO
#define HD_FOR_INT HD_FOR_NUM
#define HD_FOR_INTB HD_YES
#endif
#if HD_KIND == HD_B || HD_KIND == HD_C
#define HD_FOR_REAL HD_NO
#else
#define HD_FOR_REAL HD_YES
#endif

/* one dtype alone */
#define HD_FOR_I64 HD_NO
#define HD_FOR_U64 HD_NO
#define HD_FOR_F64 HD_NO
#if HD_BYTES == 8 && HD_KIND == HD_I
#undef HD_FOR_I64
#define HD_FOR_I64 HD_YES
#elif HD_BYTES == 8 && HD_KIND == HD_U
#undef HD_FOR_U64
#define HD_FOR_U64 HD_YES
#elif HD_BYTES == 8 && HD_KIND == HD_F
#undef HD_FOR_F64
#define HD_FOR_F64 HD_YES
#endif

#define HD_RESULT_SAME HD_T
#define HD_RESULT_BOOL bool
#define HD_RESULT_U8 uint8_t
#define HD_RESULT_U64 uint64_t
#define HD_RESULT_F32 float
#define HD_RESULT_F64 double
#if HD_KIND == HD_C
#define HD_RESULT_PART HD_REAL
#else
#define HD_RESULT_PART HD_T
#endif

#endif
