/* C compilers that are tried, in this order, where HEDDLE_CC names none. */
#ifndef HEDDLE_CODELETS_CPU_COMPILED_COMPILERS_H
#define HEDDLE_CODELETS_CPU_COMPILED_COMPILERS_H

#define HEDDLE_C_COMPILERS "cc", "gcc", "clang"

#endif
