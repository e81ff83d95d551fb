/* For C++17: arrays as values, errors, scopes. heddle.hpp includes it and says what it is for. */
#ifndef HEDDLE_ARRAY_HPP
#define HEDDLE_ARRAY_HPP

#include <heddle.h>

#include <complex>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace heddle
{

/* ---- Errors ------------------------------------------------------------------------------------- */

/** Thrown by what evaluates, reads, or starts something. */
class error : public std::runtime_error
{
  public:
    error(heddle_status status, const std::string &text)
        : std::runtime_error(std::string(heddle_status_name(status)) + ": " + text), status_(status)
    {
    }
    heddle_status status() const noexcept { return status_; }

  private:
    heddle_status status_;
};

/** Throws unless it is HEDDLE_OK: check(heddle_start()). */
inline void check(heddle_status status)
{
    if (status != HEDDLE_OK) throw error(status, heddle_last_error());
}

/* ---- Types -------------------------------------------------------------------------------------- */

namespace detail
{
template <class T> struct no_dtype : std::false_type {
};

template <class T> constexpr heddle_dtype find_dtype()
{
    if constexpr (std::is_same_v<T, bool>) {
        return HEDDLE_BOOL;
    } else if constexpr (std::is_same_v<T, float>) {
        return HEDDLE_FLOAT32;
    } else if constexpr (std::is_same_v<T, double>) {
        return HEDDLE_FLOAT64;
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
        return HEDDLE_COMPLEX64;
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
        return HEDDLE_COMPLEX128;
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
        return sizeof(T) == 1   ? HEDDLE_INT8
               : sizeof(T) == 2 ? HEDDLE_INT16
               : sizeof(T) == 4 ? HEDDLE_INT32
                                : HEDDLE_INT64;
    } else if constexpr (std::is_integral_v<T>) {
        return sizeof(T) == 1   ? HEDDLE_UINT8
               : sizeof(T) == 2 ? HEDDLE_UINT16
               : sizeof(T) == 4 ? HEDDLE_UINT32
                                : HEDDLE_UINT64;
    } else {
        static_assert(no_dtype<T>::value, "no dtype is for this type");
        return HEDDLE_DTYPE_NONE;
    }
}
} // namespace detail

/** The dtype of a C++ type: dtype_of<float> is HEDDLE_FLOAT32. */
template <class T> inline constexpr heddle_dtype dtype_of = detail::find_dtype<std::remove_cv_t<T>>();

/** A shape: {3, 4}, or a vector of integers. */
class extents
{
  public:
    extents() noexcept = default; /* of a scalar */
    extents(std::initializer_list<int64_t> list) noexcept { set(list.begin(), list.size()); }
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    extents(const std::vector<Integer> &list) noexcept
    {
        set(list.data(), list.size());
    }
    int ndim() const noexcept { return ndim_; } /* more than HEDDLE_MAX_NDIM: functions refuse it */
    const int64_t *data() const noexcept { return at_; }

  private:
    template <class Integer> void set(const Integer *list, std::size_t n) noexcept
    {
        ndim_ = n > HEDDLE_MAX_NDIM ? HEDDLE_MAX_NDIM + 1 : static_cast<int>(n);
        for (int d = 0; d < ndim_; d++) at_[d] = static_cast<int64_t>(list[d]);
    }
    int ndim_ = 0;
    int64_t at_[HEDDLE_MAX_NDIM + 1] = {};
};

class array;

/** One index of a(...): an integer, slice(...), ellipsis, newaxis, or an array of integers or bool. */
struct index : heddle_index {
    constexpr index(heddle_index i) noexcept : heddle_index(i) {}
    index(const array &indices) noexcept;
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    constexpr index(Integer i) noexcept
        : heddle_index{HEDDLE_INDEX_INT, false, false, static_cast<int64_t>(i), 0, 0, nullptr}
    {
    }
};

/** start:stop:step; std::nullopt, or nothing, is the end that the step's sign says. Step 0 is 1. */
constexpr index slice(std::optional<int64_t> start = std::nullopt,
                      std::optional<int64_t> stop = std::nullopt, int64_t step = 1) noexcept
{
    return heddle_index{HEDDLE_INDEX_SLICE, start.has_value(), stop.has_value(), start.value_or(0),
                        stop.value_or(0),   step,             nullptr};
}
inline constexpr index ellipsis = HEDDLE_ELLIPSIS;
inline constexpr index newaxis = HEDDLE_NEWAXIS;

/* ---- Arrays ------------------------------------------------------------------------------------- */

class array
{
  public:
    /** No array: functions given it return the error HEDDLE_EARG. */
    array() noexcept = default;
    /** A scalar of weak dtype. */
    template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
    array(Number value) noexcept : a_(scalar_of(value))
    {
    }
    template <class Real>
    array(std::complex<Real> z) noexcept
        : a_(heddle_own(heddle_scalar_complex(static_cast<double>(z.real()),
                                              static_cast<double>(z.imag()))))
    {
    }
    array(const array &other) noexcept : a_(heddle_keep(other.a_)) {}
    array(array &&other) noexcept : a_(std::exchange(other.a_, nullptr)) {}
    array &operator=(array other) noexcept
    {
        std::swap(a_, other.a_);
        return *this;
    }
    ~array() { heddle_release(a_); }

    /** The result of a C function that has just been called, whether a scope is open or not. */
    static array own(heddle_array *result) noexcept { return array(heddle_own(result), nullptr); }
    /** A C array that has another owner: adds a reference. */
    static array share(heddle_array *a) noexcept { return array(heddle_keep(a), nullptr); }
    /** For calls of C functions; lent: this object keeps its reference. */
    heddle_array *get() const noexcept { return a_; }
    /** The reference moves to the caller, who releases it. */
    heddle_array *release() noexcept { return std::exchange(a_, nullptr); }

    /* What is known without evaluating. Of an array in error: HEDDLE_DTYPE_NONE, 0, {}. */
    heddle_status status() const noexcept { return heddle_status_of(a_); }
    std::string message() const { return heddle_error(a_); }
    heddle_dtype dtype() const noexcept { return heddle_dtype_of(a_); }
    int ndim() const noexcept { return heddle_ndim(a_); }
    int64_t size() const noexcept { return heddle_size(a_); }
    int64_t nbytes() const noexcept { return heddle_nbytes(a_); }
    std::vector<int64_t> shape() const
    {
        const int64_t *at = heddle_shape(a_);
        return at ? std::vector<int64_t>(at, at + ndim()) : std::vector<int64_t>();
    }
    bool is_evaluated() const noexcept { return heddle_is_evaluated(a_); }
    bool is_done() const noexcept { return heddle_is_done(a_); }

    /* Evaluation. These throw. */
    const array &eval() const { return heddle::check(heddle_eval(a_)), *this; }
    const array &wait() const { return heddle::check(heddle_wait(a_)), *this; }
    /** All elements, in C order, to `n` = size() elements at `out`, converted as astype does. */
    template <class T> void read(T *out, std::size_t n) const
    {
        heddle::check(heddle_read_as(a_, dtype_of<T>, out, static_cast<int64_t>(n * sizeof(T))));
    }
#if __cplusplus >= 202002L
    template <class T> void read(std::span<T> out) const { read(out.data(), out.size()); }
#endif
    template <class T> std::vector<T> to_vector() const
    {
        const auto n = static_cast<std::size_t>(size());
        if constexpr (std::is_same_v<T, bool>) {
            const std::unique_ptr<bool[]> out(new bool[n]);
            read(out.get(), n);
            return std::vector<bool>(out.get(), out.get() + n);
        } else {
            std::vector<T> out(n);
            read(out.data(), n);
            return out;
        }
    }
    /** The value of an array of one element, exactly: HEDDLE_ERANGE where T cannot hold it. */
    template <class T> T item() const;

    /** a(slice(1, -1), 0): heddle_getitem. */
    template <class... Indices> array operator()(Indices... indices) const noexcept
    {
        const heddle_index list[] = {index(indices)..., heddle_index()};
        return own(heddle_getitem(a_, sizeof...(indices), list));
    }
    array operator[](index i) const noexcept { return own(heddle_getitem(a_, 1, &i)); }
    /** A new array with a[where] = value: heddle_set_item. */
    array set(std::initializer_list<index> where, const array &value) const noexcept
    {
        static_assert(sizeof(index) == sizeof(heddle_index), "a list of one is a list of the other");
        return own(heddle_set_item(a_, static_cast<int>(where.size()), where.begin(), value.a_));
    }

    array astype(heddle_dtype dtype) const noexcept { return own(heddle_astype(a_, dtype)); }
    array reshape(const extents &s) const noexcept
    {
        return own(heddle_reshape(a_, s.ndim(), s.data()));
    }
    array transpose() const noexcept { return own(heddle_matrix_transpose(a_)); }

    array &operator+=(const array &b) noexcept { return *this = own(heddle_add(a_, b.a_)); }
    array &operator-=(const array &b) noexcept { return *this = own(heddle_subtract(a_, b.a_)); }
    array &operator*=(const array &b) noexcept { return *this = own(heddle_multiply(a_, b.a_)); }
    array &operator/=(const array &b) noexcept { return *this = own(heddle_divide(a_, b.a_)); }

  private:
    array(heddle_array *owned, std::nullptr_t) noexcept : a_(owned) {}
    template <class Number> static heddle_array *scalar_of(Number value) noexcept
    {
        if constexpr (std::is_same_v<Number, bool>) {
            return heddle_own(heddle_scalar_bool(value));
        } else if constexpr (std::is_floating_point_v<Number>) {
            return heddle_own(heddle_scalar_float(static_cast<double>(value)));
        } else {
            if constexpr (std::is_unsigned_v<Number> && sizeof(Number) == 8)
                if (value > static_cast<Number>(INT64_MAX))
                    return heddle_own(
                        heddle_asarray_with(&value, HEDDLE_UINT64, 0, nullptr, nullptr));
            return heddle_own(heddle_scalar_int(static_cast<int64_t>(value)));
        }
    }
    heddle_array *a_ = nullptr;
};

inline index::index(const array &indices) noexcept
    : heddle_index{HEDDLE_INDEX_ARRAY, false, false, 0, 0, 0, indices.get()}
{
}

template <class T> T array::item() const
{
    double x = 0, y = 0;
    if constexpr (std::is_same_v<T, bool>) {
        bool b = false;
        heddle::check(heddle_item_bool(a_, &b));
        return b;
    } else if constexpr (std::is_integral_v<T>) {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
            if (dtype() == HEDDLE_UINT64 && size() == 1) return to_vector<T>()[0];
        int64_t i = 0;
        heddle::check(heddle_item_int(a_, &i));
        if (static_cast<int64_t>(static_cast<T>(i)) != i || (std::is_unsigned_v<T> && i < 0))
            throw error(HEDDLE_ERANGE, "heddle::array::item: " + std::to_string(i));
        return static_cast<T>(i);
    } else if constexpr (std::is_floating_point_v<T>) {
        heddle::check(heddle_item_double(a_, &x));
        if (static_cast<double>(static_cast<T>(x)) != x && x == x)
            throw error(HEDDLE_ERANGE, "heddle::array::item: " + std::to_string(x));
        return static_cast<T>(x);
    } else {
        static_assert(std::is_same_v<T, std::complex<double>>, "a number or std::complex<double>");
        heddle::check(heddle_item_complex(a_, &x, &y));
        return {x, y};
    }
}

/** What is made between, on this thread, by the C functions is released at the end. */
class scope
{
  public:
    scope() noexcept : scope_(heddle_scope_open()) {}
    ~scope() { heddle_scope_close(scope_); }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

  private:
    heddle_scope scope_;
};

} // namespace heddle

#endif
