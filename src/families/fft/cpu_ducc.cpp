/* Lines by DUCC's one-dimensional FFT (M. Reinecke), for one float type and instruction set. Compiled with
 *   REAL   float or double
 *   ISA    its name
 *   ducc0  a name for DUCC's namespace that no other file has, so that the linker does not take the functions of one
 *          instruction set for another's
 * Nothing is thrown out of here. Many short lines are transformed side by side, one in each lane of vectors; a long line
 * is by itself, as DUCC has vectors inside of it. Which of the two it is, so which bits come out, depends on the length
 * alone, not on how many lines there are. */
#include "families/fft/cpu_lines.h"

#include "families/fft/kernel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <new>

/* DUCC throws texts with names of files; here it is enough that it throws. Its threads are not used. */
#define DUCC0_ERROR_HANDLING_H
#define DUCC0_NO_LOWLEVEL_THREADING
#define MR_fail(...) throw std::exception()
#define MR_assert(condition, ...)                                                                  \
    do {                                                                                           \
        if (!(condition)) MR_fail();                                                               \
    } while (0)
#include <ducc0/fft/fft1d_impl.h>

namespace
{

thread_local const heddle_fft_crew *own_crew; /* of the line that this thread transforms */

/* ---- Loops inside of a line ------------------------------------------------------------------------ */

/* Pieces of a loop, which whoever is free takes. */
class pieces : public ducc0::detail_threading::Scheduler
{
  public:
    std::atomic<size_t> taken{0};
    size_t n_items = 0, grain = 1, n_threads = 1;
    const std::function<void(Scheduler &)> *body = nullptr;
    std::atomic<bool> failed{false};
    size_t num_threads() const override { return n_threads; }
    size_t thread_num() const override { return 0; }
    ducc0::detail_threading::Range getNext() override
    {
        const size_t at = taken.fetch_add(grain, std::memory_order_relaxed);
        const size_t end = at + grain < n_items ? at + grain : n_items;
        return at < n_items ? ducc0::detail_threading::Range(at, end)
                            : ducc0::detail_threading::Range();
    }
};

void take_pieces(void *argument, int)
{
    pieces *p = static_cast<pieces *>(argument);
    try {
        (*p->body)(*p);
    } catch (...) {
        p->failed = true;
    }
}

} // namespace

/* DUCC's one loop over threads. */
void ducc0::detail_threading::execStatic(size_t n_items, size_t n_threads, size_t,
                                         std::function<void(Scheduler &)> body)
{
    enum { PIECES_OF_THREAD = 8 };
    pieces p;
    p.n_items = n_items;
    p.grain = n_items;
    p.body = &body;
    if (n_threads > 1 && own_crew) {
        p.n_threads = n_threads;
        p.grain = n_items / (n_threads * PIECES_OF_THREAD) + 1;
        own_crew->run(own_crew->team, static_cast<int>(n_threads), take_pieces, &p);
    } else {
        take_pieces(&p, 0);
    }
    if (p.failed) throw std::bad_alloc();
}

namespace
{

using ducc0::aligned_array;
using ducc0::Cmplx;
using ducc0::detail_fft::pocketfft_c;
using ducc0::detail_fft::pocketfft_r;
typedef ducc0::detail_fft::fft1d_simd<REAL> vector;

enum {
    LANES = vector::size(),
    SIDE_BY_SIDE = 16, /* lines of a bundle, if neighbours in memory are of different lines */
    CACHE = 1 << 23,   /* what lines side by side may take */
    PADDING = 24       /* elements between lines of a bundle */
};

bool is_side_by_side(const heddle_fft_lines *l)
{
    return !l->alone && l->n <= CACHE / static_cast<int64_t>(4 * LANES * sizeof(REAL));
}

int by_itself(const heddle_fft_lines *l)
{
    return !is_side_by_side(l);
}

int bundle(const heddle_fft_lines *l)
{
    const bool strided = l->in_stride != 1 || l->out_stride != 1;
    if (is_side_by_side(l)) return strided && SIDE_BY_SIDE > LANES ? SIDE_BY_SIDE : LANES;
    return strided ? 64 / static_cast<int>(2 * sizeof(REAL)) : 1;
}

/* ---- Elements of lines: a scalar, or one for each lane ----------------------------------------------- */

inline void set(REAL &x, int, REAL value)
{
    x = value;
}
inline void set(vector &x, int lane, REAL value)
{
    x[static_cast<size_t>(lane)] = value;
}
inline REAL get(const REAL &x, int)
{
    return x;
}
inline REAL get(const vector &x, int lane)
{
    return x[static_cast<size_t>(lane)];
}

template <class X>
constexpr int lanes_of = sizeof(X) / sizeof(REAL);

/* Where the lines of a bundle begin. */
struct places {
    int64_t in[SIDE_BY_SIDE], out[SIDE_BY_SIDE];
    bool neighbours; /* each begins an element after the one before */
};

void find(const heddle_fft_lines *l, int64_t first, int n, int lanes, places *p)
{
    int64_t index[HEDDLE_FFT_DIMS], in = 0, out = 0;
    for (int d = 0; d < l->ndim; d++) {
        index[d] = first % l->extent[d];
        first /= l->extent[d];
        in += index[d] * l->in_step[d];
        out += index[d] * l->out_step[d];
    }
    p->neighbours = true;
    for (int i = 0;; i++) {
        p->in[i] = in;
        p->out[i] = out;
        if (i > 0 && in != p->in[i - 1] + 1) p->neighbours = false;
        if (i + 1 == lanes) return;
        if (i + 1 >= n) continue; /* idle lanes do a line again */
        for (int d = 0; d < l->ndim; d++) {
            in += l->in_step[d];
            out += l->out_step[d];
            if (++index[d] < l->extent[d]) break;
            in -= l->extent[d] * l->in_step[d];
            out -= l->extent[d] * l->out_step[d];
            index[d] = 0;
        }
    }
}

/* ---- Complex lines ----------------------------------------------------------------------------------- */

template <class X>
inline void load(const heddle_fft_lines *l, const places &p, int first, int64_t at, Cmplx<X> &to)
{
    const Cmplx<REAL> *from = static_cast<const Cmplx<REAL> *>(l->in) + at * l->in_stride;
    if (p.neighbours) {
        from += p.in[first];
        for (int i = 0; i < lanes_of<X>; i++) set(to.r, i, from[i].r);
        for (int i = 0; i < lanes_of<X>; i++) set(to.i, i, from[i].i);
    } else {
        for (int i = 0; i < lanes_of<X>; i++) {
            set(to.r, i, from[p.in[first + i]].r);
            set(to.i, i, from[p.in[first + i]].i);
        }
    }
}

template <class X>
inline void store(const heddle_fft_lines *l, const places &p, int first, int n, int64_t at,
                  const X &r, const X &i)
{
    Cmplx<REAL> *to = static_cast<Cmplx<REAL> *>(l->out) + at * l->out_stride;
    for (int k = 0; k < lanes_of<X> && first + k < n; k++) {
        Cmplx<REAL> &x = to[p.out[first + k]];
        x.r = get(r, k);
        x.i = get(i, k);
    }
}

/* ---- Bundles ------------------------------------------------------------------------------------------ */

/* What a thread has: the lines of a bundle, one after the other, and what the plan needs. */
struct sizes {
    size_t n_lines, line, buffer; /* in numbers; from a line to the next */
    size_t all() const { return n_lines * line + buffer; }
};

template <class X>
struct room {
    aligned_array<X> own; /* if no memory is lent */
    X *lines, *buffer;
    size_t line;
    room(const sizes &s, void *lent) : own(lent ? 0 : s.all()), line(s.line)
    {
        lines = lent ? static_cast<X *>(lent) : own.data();
        buffer = lines + s.n_lines * s.line;
    }
};

template <class X>
void complex_bundle(const heddle_fft_lines *l, const pocketfft_c<REAL> &plan, const places &p,
                    int n, room<Cmplx<X>> &room, size_t n_threads)
{
    const REAL factor = static_cast<REAL>(l->factor);
    const int step = lanes_of<X>;
    for (int64_t i = 0; i < l->n; i++)
        for (int k = 0; k * step < n; k++)
            load(l, p, k * step, i,
                 room.lines[static_cast<size_t>(k) * room.line + static_cast<size_t>(i)]);
    for (int k = 0; k * step < n; k++)
        plan.exec_copyback(&room.lines[static_cast<size_t>(k) * room.line], room.buffer, factor,
                           !l->inverse, n_threads);
    for (int64_t i = 0; i < l->n; i++)
        for (int k = 0; k * step < n; k++) {
            const Cmplx<X> &x =
                room.lines[static_cast<size_t>(k) * room.line + static_cast<size_t>(i)];
            store(l, p, k * step, n, i, x.r, x.i);
        }
}

/* A long line whose result is in order needs no other place. */
void complex_line(const heddle_fft_lines *l, const pocketfft_c<REAL> &plan, const places &p,
                  Cmplx<REAL> *buffer, size_t n_threads)
{
    const Cmplx<REAL> *in = static_cast<const Cmplx<REAL> *>(l->in) + p.in[0];
    Cmplx<REAL> *out = static_cast<Cmplx<REAL> *>(l->out) + p.out[0];
    if (in != out)
        for (int64_t i = 0; i < l->n; i++) out[i] = in[i * l->in_stride];
    const Cmplx<REAL> *result =
        plan.exec(out, buffer, static_cast<REAL>(l->factor), !l->inverse, n_threads);
    if (result != out) std::copy_n(result, l->n, out);
}

/* DUCC has the complex result as r0 r1 i1 r2 i2 ..., and takes it so. */
template <class X>
void forward_bundle(const heddle_fft_lines *l, const pocketfft_r<REAL> &plan, const places &p,
                    int n, room<X> &room, size_t n_threads)
{
    const REAL *in = static_cast<const REAL *>(l->in);
    const int step = lanes_of<X>;
    const X zero(0);
    for (int64_t i = 0; i < l->n; i++)
        for (int k = 0; k * step < n; k++) {
            X &x = room.lines[static_cast<size_t>(k) * room.line + static_cast<size_t>(i)];
            for (int j = 0; j < step; j++) set(x, j, in[p.in[k * step + j] + i * l->in_stride]);
        }
    for (int k = 0; k * step < n; k++)
        plan.exec_copyback(&room.lines[static_cast<size_t>(k) * room.line], room.buffer,
                           static_cast<REAL>(l->factor), true, n_threads);
    for (int64_t i = 0; i <= l->n / 2; i++)
        for (int k = 0; k * step < n; k++) {
            const X *x = &room.lines[static_cast<size_t>(k) * room.line];
            const bool is_real = i == 0 || 2 * i == l->n;
            store(l, p, k * step, n, i, i == 0 ? x[0] : x[2 * i - 1], is_real ? zero : x[2 * i]);
        }
}

template <class X>
void backward_bundle(const heddle_fft_lines *l, const pocketfft_r<REAL> &plan, const places &p,
                     int n, room<X> &room, size_t n_threads)
{
    REAL *out = static_cast<REAL *>(l->out);
    const int step = lanes_of<X>;
    for (int64_t i = 0; i <= l->n / 2; i++)
        for (int k = 0; k * step < n; k++) {
            X *x = &room.lines[static_cast<size_t>(k) * room.line];
            Cmplx<X> from;
            load(l, p, k * step, i, from);
            x[i == 0 ? 0 : 2 * i - 1] = from.r;
            if (i > 0 && 2 * i < l->n) x[2 * i] = from.i;
        }
    for (int k = 0; k * step < n; k++)
        plan.exec_copyback(&room.lines[static_cast<size_t>(k) * room.line], room.buffer,
                           static_cast<REAL>(l->factor), false, n_threads);
    for (int64_t i = 0; i < l->n; i++)
        for (int k = 0; k * step < n; k++) {
            const X &x = room.lines[static_cast<size_t>(k) * room.line + static_cast<size_t>(i)];
            for (int j = 0; j < step && k * step + j < n; j++)
                out[p.out[k * step + j] + i * l->out_stride] = get(x, j);
        }
}

/* ---- Entry points -------------------------------------------------------------------------------------- */

/* Whether a line is transformed in its place in the result. */
bool in_result(const heddle_fft_lines *l)
{
    return l->kind == HEDDLE_FFT_C2C && !is_side_by_side(l) && l->out_stride == 1;
}

size_t lanes_for(const heddle_fft_lines *l)
{
    return is_side_by_side(l) ? static_cast<size_t>(LANES) : 1;
}

sizes sizes_of(const heddle_fft_lines *l, const void *plan)
{
    const size_t lanes = lanes_for(l);
    const size_t n_lines = (static_cast<size_t>(bundle(l)) + lanes - 1) / lanes;
    const size_t buffer = l->kind == HEDDLE_FFT_C2C
                              ? static_cast<const pocketfft_c<REAL> *>(plan)->bufsize()
                              : static_cast<const pocketfft_r<REAL> *>(plan)->bufsize();
    return {in_result(l) ? 0 : n_lines, static_cast<size_t>(l->n) + PADDING, buffer};
}

size_t room_bytes(const heddle_fft_lines *l, const void *plan)
{
    const size_t number = (l->kind == HEDDLE_FFT_C2C ? 2 : 1) * lanes_for(l) * sizeof(REAL);
    return (sizes_of(l, plan).all() * number + 63) / 64 * 64;
}

template <class X>
void all(const heddle_fft_lines *l, const void *plan, size_t n_threads, heddle_fft_take *take,
         void *taker, void *lent)
{
    const size_t size = static_cast<size_t>(bundle(l));
    const bool is_in_result = in_result(l), is_complex = l->kind == HEDDLE_FFT_C2C;
    const auto *c = static_cast<const pocketfft_c<REAL> *>(plan);
    const auto *r = static_cast<const pocketfft_r<REAL> *>(plan);
    const sizes needed = sizes_of(l, plan);
    room<Cmplx<X>> complex(is_complex ? needed : sizes{0, 0, 0}, lent);
    room<X> real(is_complex ? sizes{0, 0, 0} : needed, lent);
    const int step = is_in_result ? 1 : static_cast<int>(size);
    int64_t from, to;
    places p;
    while (take(taker, &from, &to))
        for (int64_t b = from * static_cast<int64_t>(size), end = to * static_cast<int64_t>(size);
             b < end && b < l->lines; b += step) {
            const int count = l->lines - b < step ? static_cast<int>(l->lines - b) : step;
            find(l, b, count, (count + lanes_of<X> - 1) / lanes_of<X> * lanes_of<X>, &p);
            if (is_in_result) {
                if constexpr (lanes_of<X> == 1) complex_line(l, *c, p, complex.buffer, n_threads);
            } else if (is_complex) {
                complex_bundle<X>(l, *c, p, count, complex, n_threads);
            } else if (l->kind == HEDDLE_FFT_R2C) {
                forward_bundle<X>(l, *r, p, count, real, n_threads);
            } else {
                backward_bundle<X>(l, *r, p, count, real, n_threads);
            }
        }
}

int work(const heddle_fft_lines *l, const void *plan, const heddle_fft_crew *crew,
         heddle_fft_take *take, void *taker, void *lent)
{
    own_crew = crew;
    int done = 1;
    try {
        if (is_side_by_side(l))
            all<vector>(l, plan, 1, take, taker, lent);
        else
            all<REAL>(l, plan, crew ? static_cast<size_t>(crew->n_threads) : 1, take, taker, lent);
    } catch (...) {
        done = 0;
    }
    own_crew = nullptr;
    return done;
}

void *make(int is_real, int64_t n, int is_by_itself)
{
    try {
        const size_t length = static_cast<size_t>(n);
        if (is_real) return new pocketfft_r<REAL>(length, is_by_itself != 0);
        return new pocketfft_c<REAL>(length, is_by_itself != 0);
    } catch (...) {
        return nullptr;
    }
}

void destroy(int is_real, void *plan)
{
    if (is_real)
        delete static_cast<pocketfft_r<REAL> *>(plan);
    else
        delete static_cast<pocketfft_c<REAL> *>(plan);
}

} // namespace

#define NAME_(type, isa) heddle__fft_##type##_##isa
#define NAME(type, isa) NAME_(type, isa)
const heddle_fft_engine NAME(REAL, ISA) = {make, destroy, bundle, by_itself, room_bytes, work};
