/* Highway's sort (cpu_highway.cpp) for the instruction set ISA that the includer is compiled for. */
#ifndef HEDDLE_FAMILIES_SORT_CPU_HIGHWAY_H
#define HEDDLE_FAMILIES_SORT_CPU_HIGHWAY_H

#include <stdbool.h>
#include <stdint.h>

#define NAME_(name, isa) heddle__##name##_##isa
#define NAME(name, isa) NAME_(name, isa)

/* Highway's sort of keys where they are if it was there when Heddle was built; no result depends on it. */
#if HEDDLE_HAVE_HIGHWAY
void NAME(highway_32, ISA)(uint32_t *keys, int64_t n);
void NAME(highway_64, ISA)(uint64_t *keys, int64_t n);
#define BY_VECTORS true
#define SORT_BY_HIGHWAY(bits, a, n) (NAME(highway_##bits, ISA)(a, n), true)
#else
#define BY_VECTORS false
#define SORT_BY_HIGHWAY(bits, a, n) false
#endif

#endif
