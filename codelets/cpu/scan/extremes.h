/* SCAN_BODY for all dtypes of an extreme (types.h). The includer defines SCAN_NAMED(name, dtype), the functions' names, and
 * SCAN_IS_BEST(x, y), whether the best of both is x; they are undefined here. */
#define SCAN_EXTREME(x, y) (SCAN_IS_BEST(x, y) ? (x) : (y))

#define SCAN_T int32_t
#define SCAN(name) SCAN_NAMED(name, i32)
#define SCAN_OP SCAN_EXTREME
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T int64_t
#define SCAN(name) SCAN_NAMED(name, i64)
#define SCAN_OP SCAN_EXTREME
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T uint32_t
#define SCAN(name) SCAN_NAMED(name, u32)
#define SCAN_OP SCAN_EXTREME
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T uint64_t
#define SCAN(name) SCAN_NAMED(name, u64)
#define SCAN_OP SCAN_EXTREME
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T float
#define SCAN(name) SCAN_NAMED(name, f32)
#define SCAN_OP SCAN_EXTREME
#define SCAN_IDENTITY 0
#include SCAN_BODY

#define SCAN_T double
#define SCAN(name) SCAN_NAMED(name, f64)
#define SCAN_OP SCAN_EXTREME
#define SCAN_IDENTITY 0
#include SCAN_BODY

#undef SCAN_EXTREME
#undef SCAN_IS_BEST
#undef SCAN_NAMED
