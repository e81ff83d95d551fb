/* The widest vectors of the instruction set that a file of this folder is compiled for. */
#ifndef HEDDLE_CODELETS_CPU_PRODUCTS_WIDEST_H
#define HEDDLE_CODELETS_CPU_PRODUCTS_WIDEST_H

#if defined(__AVX512F__)
#define WIDEST 64 /* bytes of a vector */
#elif defined(__AVX2__)
#define WIDEST 32
#else
#define WIDEST 16
#endif

#endif
