/* How the block loops are compiled: a name for each dtype and instruction set, and the promise
 * that turns loops into vector code. Included by loops.c, moves.c and elementary.c. */
#ifndef HEDDLE_CODELETS_CPU_LOOPS_H
#define HEDDLE_CODELETS_CPU_LOOPS_H

#define HD_PASTE(a, b, c) HD_PASTE_(a, b, c)
#define HD_PASTE_(a, b, c) a##b##_##c

/* HD_LANES: of as many iterations as a vector has lanes, which GCC 12 takes apart before it looks for vectors.
 * Iterations are independent: `out` is an operand's own elements or apart from them.
 * HD_UNROLL: of 16 iterations at most, known to the compiler, which hold what they have in registers. */
#if defined(__clang__)
#define HD_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#define HD_LANES HD_VECTOR
#define HD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define HD_VECTOR _Pragma("GCC ivdep")
#define HD_LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#define HD_UNROLL _Pragma("GCC unroll 16")
#endif

#endif
