/* Device code as C++ of the host: what nvcc and NVRTC give it, done by the emulator. Included before
 * a .cu file or a generated source. __shared__ is the includer's: nothing, or static in functions. */
#ifndef HEDDLE_TESTS_CUDA_EMULATED_DEVICE_HPP
#define HEDDLE_TESTS_CUDA_EMULATED_DEVICE_HPP

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cuda_runtime.h>

#undef __device__
#undef __global__
#undef __host__
#undef __forceinline__
#undef __noinline__
#undef __launch_bounds__
#undef __grid_constant__
#define __device__
#define __global__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__

/* Of the thread that runs now. */
extern "C" {
extern uint3 emulated_thread, emulated_block;
extern dim3 emulated_block_dim, emulated_grid_dim;
void emulated_syncthreads(void);
int emulated_syncthreads_or(int predicate);
void emulated_syncwarp(void);
unsigned emulated_shuffle(unsigned value, int lane);
}
#define threadIdx emulated_thread
#define blockIdx emulated_block
#define blockDim emulated_block_dim
#define gridDim emulated_grid_dim
#define __syncthreads emulated_syncthreads
#define __syncthreads_or emulated_syncthreads_or
#define __syncwarp emulated_syncwarp

static inline unsigned __shfl_sync(unsigned, unsigned value, int lane)
{
    return emulated_shuffle(value, lane);
}
static inline int __shfl_sync(unsigned, int value, int lane)
{
    return (int)emulated_shuffle((unsigned)value, lane);
}
static inline float __shfl_sync(unsigned, float value, int lane)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    bits = emulated_shuffle(bits, lane);
    memcpy(&value, &bits, sizeof bits);
    return value;
}
static inline double __shfl_sync(unsigned, double value, int lane)
{
    unsigned bits[2];
    memcpy(bits, &value, sizeof bits);
    for (int i = 0; i < 2; i++) bits[i] = emulated_shuffle(bits[i], lane);
    memcpy(&value, bits, sizeof bits);
    return value;
}
static inline unsigned __shfl_down_sync(unsigned, unsigned value, unsigned by, int width)
{
    const unsigned lane = emulated_thread.x % 32, to = lane % (unsigned)width + by;
    return emulated_shuffle(value, (int)(to < (unsigned)width ? lane + by : lane));
}
static inline unsigned __ballot_sync(unsigned, int predicate)
{
    unsigned r = 0;
    for (int lane = 0; lane < 32; lane++)
        r |= (unsigned)(emulated_shuffle(predicate != 0, lane) << lane);
    return r;
}
static inline unsigned __match_any_sync(unsigned, unsigned value)
{
    unsigned r = 0;
    for (int lane = 0; lane < 32; lane++) r |= (unsigned)(emulated_shuffle(value, lane) == value) << lane;
    return r;
}
static inline unsigned __reduce_max_sync(unsigned, unsigned value)
{
    unsigned r = 0;
    for (int lane = 0; lane < 32; lane++) {
        const unsigned other = emulated_shuffle(value, lane);
        r = other > r ? other : r;
    }
    return r;
}
static inline unsigned __reduce_min_sync(unsigned mask, unsigned value)
{
    return ~__reduce_max_sync(mask, ~value);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline unsigned atomicInc(unsigned *p, unsigned most)
{
    const unsigned old = *p;
    *p = old >= most ? 0 : old + 1;
    return old;
}
static inline unsigned atomicAdd(unsigned *p, unsigned more)
{
    const unsigned old = *p;
    *p = old + more;
    return old;
}
static inline int atomicAdd(int *p, int more)
{
    const int old = *p;
    *p = old + more;
    return old;
}
static inline unsigned long long atomicAdd(unsigned long long *p, unsigned long long more)
{
    const unsigned long long old = *p;
    *p = old + more;
    return old;
}
static inline unsigned atomicMax(unsigned *p, unsigned other)
{
    const unsigned old = *p;
    if (other > old) *p = other;
    return old;
}
static inline unsigned long long atomicMin(unsigned long long *p, unsigned long long other)
{
    const unsigned long long old = *p;
    if (other < old) *p = other;
    return old;
}
static inline void __threadfence(void) {} /* one thread of the host runs all */
static inline void __threadfence_system(void) {}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
template <class To, class From> static inline To emulated_bits(From x)
{
    To r;
    static_assert(sizeof r == sizeof x, "sizes");
    memcpy(&r, &x, sizeof r);
    return r;
}
static inline double __longlong_as_double(long long x) { return emulated_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return emulated_bits<long long>(x); }
static inline float __int_as_float(int x) { return emulated_bits<float>(x); }
static inline int __float_as_int(float x) { return emulated_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return emulated_bits<unsigned>(x); }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
static inline int __double2hiint(double x) { return (int)(emulated_bits<unsigned long long>(x) >> 32); }
static inline int __double2loint(double x) { return (int)emulated_bits<unsigned long long>(x); }
static inline double __hiloint2double(int hi, int lo) { return emulated_bits<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo); }

/* What the hardware's reciprocals and roots may be: denormal numbers are 0, and results are up to an ulp away. */
static inline float emulated_flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static inline float emulated_beside(float x)
{
    const unsigned bits = emulated_bits<unsigned>(x), mixed = bits * 2654435761u >> 30;
    return !(fabsf(x) > 0x1p-125f && fabsf(x) < 0x1p126f) || mixed == 3 ? x : emulated_bits<float>(bits + mixed - 1);
}
static inline float emulated_reciprocal(float x)
{
    x = emulated_flushed(x);
    const double r = 1 / (double)x;
    const float near = emulated_beside((float)r);
    const double ulp = nextafterf(fabsf((float)r), 0x1p127f) - fabsf((float)r);
    const bool all_ones = (emulated_bits<unsigned>(x) & 0x7fffff) == 0x7fffff; /* decision 51 */
    return emulated_flushed(!all_ones && fabs(near - r) <= ulp ? near : (float)r);
}
static inline float emulated_root(float x)
{
    const double r = 1 / sqrt((double)emulated_flushed(x));
    const float near = emulated_beside((float)r);
    return fabs(near - r) <= exp2(-23.2) * r ? near : (float)r;
}
/* Those of float64 have 20 digits, and zeros after them. */
static inline double emulated_high(double x) { return __hiloint2double(__double2hiint(x), 0); }
static inline double emulated_reciprocal(double x) { return fabs(x) < 0x1p-1022 ? copysign(INFINITY, x) : emulated_high(1 / x); }
static inline double emulated_root(double x) { return emulated_high(1 / sqrt(x)); }
#define hd_near_reciprocal emulated_reciprocal
#define hd_near_root emulated_root

#endif
