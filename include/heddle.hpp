/* Heddle for C++17: arrays as values, over the functions of heddle.h, which may be used beside it.
 *
 *     heddle::array a = heddle::asarray(std::vector<double>{1, -2, 3});
 *     heddle::array n = heddle::sqrt(heddle::sum(heddle::square(heddle::abs(a)) * 2.0));
 *     std::cout << n.item<double>() << '\n';       // evaluates; throws heddle::error
 *
 * An array is a reference to an immutable value; copying it copies the reference, its destructor
 * releases it. Functions have the names, shapes, dtypes, errors and costs of their C twins, and
 * numbers become scalars of weak dtype, as heddle_scalar's. Building throws nothing: a bad call gives an
 * array in the error state, as in C (but memory for a std::vector or std::string may run out). What
 * evaluates or reads throws heddle::error, which has the code and the text.
 *
 * No scope is needed; a heddle::scope, or an open heddle_scope, changes nothing of this. */
#ifndef HEDDLE_HPP
#define HEDDLE_HPP

#include <heddle/array.hpp>

#include <ostream>

namespace heddle
{

/* ---- From memory -------------------------------------------------------------------------------- */

/** A copy of the elements at `data`: as many as `s` says. */
template <class T> array asarray(const T *data, const extents &s) noexcept
{
    return array::own(heddle_asarray_with(data, dtype_of<T>, s.ndim(), s.data(), nullptr));
}

/** A copy of a vector, of one axis; .reshape() it. */
template <class T> array asarray(const std::vector<T> &v)
{
    const extents all{static_cast<int64_t>(v.size())};
    if constexpr (std::is_same_v<T, bool>) {
        const std::unique_ptr<bool[]> copy(new bool[v.size()]);
        for (std::size_t i = 0; i < v.size(); i++) copy[i] = v[i];
        return asarray(copy.get(), all);
    } else {
        return asarray(v.data(), all);
    }
}

/** The elements at `data` in place: they stay valid and unchanged until deleter(user) is called. */
template <class T>
array borrow(const T *data, const extents &s, void (*deleter)(void *), void *user = nullptr) noexcept
{
    heddle_asarray_options o = {};
    o.size = sizeof o;
    o.borrow = true;
    o.deleter = deleter;
    o.user = user;
    return array::own(heddle_asarray_with(data, dtype_of<T>, s.ndim(), s.data(), &o));
}

/** The vector itself, without a copy. */
template <class T, class = std::enable_if_t<!std::is_same_v<T, bool>>>
array asarray(std::vector<T> &&v)
{
    auto *owner = new std::vector<T>(std::move(v));
    return borrow(
        owner->data(), {static_cast<int64_t>(owner->size())},
        [](void *user) { delete static_cast<std::vector<T> *>(user); }, owner);
}

#if __cplusplus >= 202002L
template <class T, std::size_t n> array asarray(std::span<T, n> s) noexcept
{
    return asarray(s.data(), {static_cast<int64_t>(s.size())});
}
#endif

/* ---- Creation ------------------------------------------------------------------------------------ */

namespace detail
{
struct create : heddle_create_options {
    explicit create(heddle_dtype of) noexcept : heddle_create_options()
    {
        size = sizeof(heddle_create_options);
        dtype = of;
    }
    const heddle_create_options *get() const noexcept { return this; }
};
} // namespace detail

inline array empty(const extents &s, heddle_dtype dtype = HEDDLE_FLOAT64) noexcept
{
    return array::own(heddle_empty_with(s.ndim(), s.data(), detail::create(dtype).get()));
}
inline array zeros(const extents &s, heddle_dtype dtype = HEDDLE_FLOAT64) noexcept
{
    return array::own(heddle_zeros_with(s.ndim(), s.data(), detail::create(dtype).get()));
}
inline array ones(const extents &s, heddle_dtype dtype = HEDDLE_FLOAT64) noexcept
{
    return array::own(heddle_ones_with(s.ndim(), s.data(), detail::create(dtype).get()));
}
inline array full(const extents &s, const array &value,
                  heddle_dtype dtype = HEDDLE_DTYPE_NONE) noexcept
{
    return array::own(
        heddle_full_with(s.ndim(), s.data(), value.get(), detail::create(dtype).get()));
}
inline array arange(const array &start, const array &stop, const array &step = 1,
                    heddle_dtype dtype = HEDDLE_DTYPE_NONE) noexcept
{
    return array::own(
        heddle_arange_with(start.get(), stop.get(), step.get(), detail::create(dtype).get()));
}
inline array arange(const array &stop) noexcept
{
    return array::own(heddle_arange_with(stop.get(), nullptr, nullptr, nullptr));
}
inline array linspace(const array &start, const array &stop, int64_t num,
                      heddle_dtype dtype = HEDDLE_FLOAT64) noexcept
{
    heddle_linspace_options o = {};
    o.size = sizeof o;
    o.dtype = dtype;
    return array::own(heddle_linspace_with(start.get(), stop.get(), num, &o));
}
inline array eye(int64_t rows, int64_t columns = -1, int64_t k = 0,
                 heddle_dtype dtype = HEDDLE_FLOAT64) noexcept
{
    heddle_eye_options o = {};
    o.size = sizeof o;
    o.dtype = dtype;
    o.k = k;
    return array::own(heddle_eye_with(rows, columns, &o));
}

/* ---- Elementwise: the rows of ops.def, and operators ----------------------------------------------- */

#define HEDDLE_OP_1_(name)                                                                         \
    inline array name(const array &x) noexcept { return array::own(heddle_##name(x.get())); }
#define HEDDLE_OP_2_(name)                                                                         \
    inline array name(const array &a, const array &b) noexcept                                     \
    {                                                                                              \
        return array::own(heddle_##name(a.get(), b.get()));                                        \
    }
#define HEDDLE_OP_3_(name)                                                                         \
    inline array name(const array &a, const array &b, const array &c) noexcept                     \
    {                                                                                              \
        return array::own(heddle_##name(a.get(), b.get(), c.get()));                               \
    }
#define HEDDLE_OP(ID, name, arity, ...) HEDDLE_OP_##arity##_(name)
#include <heddle/ops.def>
#undef HEDDLE_OP
#undef HEDDLE_OP_1_
#undef HEDDLE_OP_2_
#undef HEDDLE_OP_3_

/** Limits: array() is none. */
inline array clip(const array &x, const array &low, const array &high) noexcept
{
    return array::own(heddle_clip(x.get(), low.get(), high.get()));
}

inline array operator-(const array &x) noexcept { return negative(x); }
inline array operator+(const array &x) noexcept { return positive(x); }
inline array operator~(const array &x) noexcept { return bitwise_invert(x); }
inline array operator!(const array &x) noexcept { return logical_not(x); }
#define HEDDLE_OPERATOR_(op, name)                                                                 \
    inline array operator op(const array &a, const array &b) noexcept { return name(a, b); }
HEDDLE_OPERATOR_(+, add)
HEDDLE_OPERATOR_(-, subtract)
HEDDLE_OPERATOR_(*, multiply)
HEDDLE_OPERATOR_(/, divide)
HEDDLE_OPERATOR_(%, remainder) /* Python's: the sign of the divisor */
HEDDLE_OPERATOR_(==, equal)    /* elementwise, as all comparisons */
HEDDLE_OPERATOR_(!=, not_equal)
HEDDLE_OPERATOR_(<, less)
HEDDLE_OPERATOR_(<=, less_equal)
HEDDLE_OPERATOR_(>, greater)
HEDDLE_OPERATOR_(>=, greater_equal)
HEDDLE_OPERATOR_(&, bitwise_and)
HEDDLE_OPERATOR_(|, bitwise_or)
HEDDLE_OPERATOR_(^, bitwise_xor)
HEDDLE_OPERATOR_(<<, bitwise_left_shift)
HEDDLE_OPERATOR_(>>, bitwise_right_shift)
#undef HEDDLE_OPERATOR_

/* ---- Reductions and scans -------------------------------------------------------------------------- */

/** Axes and options of a reduction: nothing (all axes), 0, {0, 2}, axis(0).keepdims(). */
class over
{
  public:
    over() noexcept { options_.size = sizeof options_; }
    over(int axis) noexcept : over()
    {
        options_.axis = axis;
        options_.has_axis = true;
    }
    over(std::initializer_list<int> axes) noexcept : over() /* {} is all of them, as nothing */
    {
        options_.axes.count = static_cast<int>(axes.size());
        int n = 0;
        for (const int axis : axes)
            if (n < HEDDLE_MAX_NDIM) options_.axes.at[n++] = axis;
    }
    over keepdims(bool keep = true) const noexcept
    {
        over o = *this;
        o.options_.keepdims = keep;
        return o;
    }
    over dtype(heddle_dtype dtype) const noexcept
    {
        over o = *this;
        o.options_.dtype = dtype;
        return o;
    }
    const heddle_reduce_options *get() const noexcept { return &options_; }

  private:
    heddle_reduce_options options_ = {};
};

inline over axis(int axis) noexcept { return over(axis); }
inline over axes(std::initializer_list<int> axes) noexcept { return over(axes); }

#define HEDDLE_REDUCTION_(name)                                                                    \
    inline array name(const array &a, const over &o = over()) noexcept                             \
    {                                                                                              \
        return array::own(heddle_##name##_with(a.get(), o.get()));                                 \
    }
#define HEDDLE_REDUCTION(ID, name, ...) HEDDLE_REDUCTION_(name)
#include <heddle/reductions.def>
HEDDLE_REDUCTION_(mean)
HEDDLE_REDUCTION_(count_nonzero)
HEDDLE_REDUCTION_(nansum)
HEDDLE_REDUCTION_(nanprod)
HEDDLE_REDUCTION_(nanmean)
HEDDLE_REDUCTION_(ptp)
#undef HEDDLE_REDUCTION
#undef HEDDLE_REDUCTION_

/** heddle_std is std_, as namespace std has the name. */
#define HEDDLE_VARIANCE_(name, function)                                                           \
    inline array name(const array &a, const over &o = over(), double correction = 0) noexcept      \
    {                                                                                              \
        heddle_var_options v = {};                                                                 \
        v.size = sizeof v;                                                                         \
        v.axis = o.get()->axis;                                                                    \
        v.has_axis = o.get()->has_axis;                                                            \
        v.keepdims = o.get()->keepdims;                                                            \
        v.axes = o.get()->axes;                                                                    \
        v.dtype = o.get()->dtype;                                                                  \
        v.correction = correction;                                                                 \
        return array::own(function(a.get(), &v));                                                  \
    }
HEDDLE_VARIANCE_(var, heddle_var_with)
HEDDLE_VARIANCE_(std_, heddle_std_with)
HEDDLE_VARIANCE_(nanvar, heddle_nanvar_with)
HEDDLE_VARIANCE_(nanstd, heddle_nanstd_with)
#undef HEDDLE_VARIANCE_

/** `at`: the axis; nothing: the only one. */
#define HEDDLE_SCAN_(name)                                                                         \
    inline array name(const array &a, std::optional<int> at = std::nullopt,                        \
                      bool include_initial = false) noexcept                                       \
    {                                                                                              \
        heddle_scan_options o = {};                                                                \
        o.size = sizeof o;                                                                         \
        o.axis = at.value_or(0);                                                                   \
        o.has_axis = at.has_value();                                                               \
        o.include_initial = include_initial;                                                       \
        return array::own(heddle_##name##_with(a.get(), &o));                                      \
    }
HEDDLE_SCAN_(cumulative_sum)
HEDDLE_SCAN_(cumulative_prod)
#undef HEDDLE_SCAN_

/* ---- Shapes, products, indices ----------------------------------------------------------------------- */

inline array permute_dims(const array &a, std::initializer_list<int> axes) noexcept
{
    return array::own(heddle_permute_dims(a.get(), static_cast<int>(axes.size()), axes.begin()));
}
inline array expand_dims(const array &a, int axis) noexcept
{
    return array::own(heddle_expand_dims(a.get(), axis));
}
inline array squeeze(const array &a, std::initializer_list<int> axes) noexcept
{
    return array::own(heddle_squeeze(a.get(), static_cast<int>(axes.size()), axes.begin()));
}
/** `o`: axes alone. */
inline array flip(const array &a, const over &o = over()) noexcept
{
    heddle_flip_options f = {};
    f.size = sizeof f;
    f.axis = o.get()->axis;
    f.has_axis = o.get()->has_axis;
    f.axes = o.get()->axes;
    return array::own(heddle_flip_with(a.get(), &f));
}
inline array broadcast_to(const array &a, const extents &s) noexcept
{
    return array::own(heddle_broadcast_to(a.get(), s.ndim(), s.data()));
}
inline array concat(const std::vector<array> &arrays, int axis = 0)
{
    std::vector<heddle_array *> list;
    for (const array &a : arrays) list.push_back(a.get());
    return array::own(heddle_concat(static_cast<int>(list.size()), list.data(), axis));
}
inline array stack(const std::vector<array> &arrays, int axis = 0)
{
    std::vector<heddle_array *> list;
    for (const array &a : arrays) list.push_back(a.get());
    return array::own(heddle_stack(static_cast<int>(list.size()), list.data(), axis));
}
#define HEDDLE_PRODUCT_(name)                                                                      \
    inline array name(const array &a, const array &b) noexcept                                     \
    {                                                                                              \
        return array::own(heddle_##name(a.get(), b.get()));                                        \
    }
HEDDLE_PRODUCT_(matmul)
HEDDLE_PRODUCT_(dot)
HEDDLE_PRODUCT_(inner)
HEDDLE_PRODUCT_(outer)
HEDDLE_PRODUCT_(kron)
#undef HEDDLE_PRODUCT_
inline array tile(const array &a, const extents &reps) noexcept
{
    return array::own(heddle_tile(a.get(), reps.ndim(), reps.data()));
}
inline array tril(const array &a, int64_t k = 0) noexcept
{
    return array::own(heddle_tril(a.get(), k));
}
inline array triu(const array &a, int64_t k = 0) noexcept
{
    return array::own(heddle_triu(a.get(), k));
}
/** `at`: the axis; nothing: the elements in C order. */
inline array roll(const array &a, int64_t shift, std::optional<int> at = std::nullopt) noexcept
{
    heddle_along_options o = {};
    o.size = sizeof o;
    o.axis = at.value_or(0);
    o.has_axis = at.has_value();
    return array::own(heddle_roll_with(a.get(), shift, &o));
}
/** a[0], a[1], ... along the axis. */
inline std::vector<array> unstack(const array &a, int at = 0)
{
    const std::vector<int64_t> shape = a.shape();
    const int axis = at < 0 ? at + a.ndim() : at;
    std::vector<array> parts;
    if (axis < 0 || axis >= a.ndim()) return parts;
    std::vector<heddle_array *> out(static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]));
    heddle_along_options o = {};
    o.size = sizeof o;
    o.axis = axis;
    o.has_axis = true;
    check(heddle_unstack_with(a.get(), static_cast<int>(out.size()), out.data(), &o));
    for (heddle_array *part : out) parts.push_back(array::own(part));
    return parts;
}
/** `at`: the axis; nothing: the only one. */
inline array take(const array &a, const array &indices, std::optional<int> at = std::nullopt) noexcept
{
    heddle_take_options o = {};
    o.size = sizeof o;
    o.axis = at.value_or(0);
    o.has_axis = at.has_value();
    return array::own(heddle_take_with(a.get(), indices.get(), &o));
}
inline array take_along_axis(const array &a, const array &indices, int at = -1) noexcept
{
    heddle_take_options o = {};
    o.size = sizeof o;
    o.axis = at;
    o.has_axis = true;
    return array::own(heddle_take_along_axis_with(a.get(), indices.get(), &o));
}

inline array put_along_axis(const array &a, const array &indices, const array &values,
                            int at = -1) noexcept
{
    heddle_take_options o = {};
    o.size = sizeof o;
    o.axis = at;
    o.has_axis = true;
    return array::own(heddle_put_along_axis_with(a.get(), indices.get(), values.get(), &o));
}
/** a[where] with the value added to an element as often as it is named. */
inline array add_at(const array &a, std::initializer_list<index> where, const array &value) noexcept
{
    return array::own(
        heddle_add_at(a.get(), static_cast<int>(where.size()), where.begin(), value.get()));
}

/** For each axis the indices of what is not zero. It evaluates `a`, as do the next ones. */
inline std::vector<array> nonzero(const array &a)
{
    std::vector<array> indices;
    heddle_array *out[HEDDLE_MAX_NDIM] = {};
    const int n = a.ndim();
    check(heddle_nonzero(a.get(), n, out));
    for (int d = 0; d < n; d++) indices.push_back(array::own(out[d]));
    return indices;
}
inline array argwhere(const array &a) noexcept { return array::own(heddle_argwhere(a.get())); }
inline array flatnonzero(const array &a) noexcept { return array::own(heddle_flatnonzero(a.get())); }
inline array extract(const array &condition, const array &a) noexcept
{
    return array::own(heddle_extract(condition.get(), a.get()));
}
/** `at`: the axis; nothing: all elements in C order. */
inline array compress(const array &condition, const array &a,
                      std::optional<int> at = std::nullopt) noexcept
{
    heddle_compress_options o = {};
    o.size = sizeof o;
    o.axis = at.value_or(0);
    o.has_axis = at.has_value();
    return array::own(heddle_compress_with(condition.get(), a.get(), &o));
}

/* ---- Text, files, places ----------------------------------------------------------------------------- */

/** expr("sqrt(sum(abs(a)**2))", {{"a", a}}): heddle_expr. */
inline array expr(const std::string &text,
                  std::initializer_list<std::pair<const char *, array>> names = {})
{
    std::vector<heddle_binding> list;
    for (const auto &name : names) list.push_back({name.first, name.second.get()});
    return array::own(heddle_expr(text.c_str(), static_cast<int>(list.size()), list.data()));
}

inline array load(const std::string &path) { return array::own(heddle_load(path.c_str())); }
/** Throws. */
inline void save(const array &a, const std::string &path)
{
    check(heddle_save(a.get(), path.c_str()));
}

inline array distribute(const array &a, const heddle_distribution &d) noexcept
{
    return array::own(heddle_distribute(a.get(), &d));
}
inline array to(const array &a, heddle_place place) noexcept
{
    return array::own(heddle_to(a.get(), place));
}

namespace detail
{
inline std::string text_of(heddle_status status, char *text)
{
    heddle::check(status);
    const std::unique_ptr<char, void (*)(void *)> owner(text, heddle_free);
    return text;
}
} // namespace detail

/** As NumPy prints it. Throws. */
inline std::string format(const array &a, int threshold = 0)
{
    char *text = nullptr;
    const heddle_status status = heddle_format(a.get(), threshold, &text);
    return detail::text_of(status, text);
}
/** Throws. */
inline std::string explain(const array &a, heddle_explain_form form = HEDDLE_EXPLAIN_PLAN)
{
    char *text = nullptr;
    const heddle_status status = heddle_explain(a.get(), form, &text);
    return detail::text_of(status, text);
}
inline std::ostream &operator<<(std::ostream &out, const array &a) { return out << format(a); }

} // namespace heddle

#endif
