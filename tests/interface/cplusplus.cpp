/* Heddle from C++17 and C++20: the macros of the C headers, whose lists are temporaries here, and heddle.hpp. */
#include <heddle.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

static int n_failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);          \
            n_failed++;                                                                            \
        }                                                                                          \
    } while (0)

template <class T>
using list = std::vector<T>;

static void documented()
{
    heddle::array a = heddle::asarray(std::vector<double>{1, -2, 3, -4});
    const heddle::array norm = heddle::sqrt(heddle::sum(heddle::square(heddle::abs(a))));
    std::printf("norm %g\n", norm.item<double>());

    const heddle::array bad = heddle::zeros({2}) + heddle::zeros({3});
    try {
        bad.to_vector<double>();
    } catch (const heddle::error &e) {
        std::printf("%s\n", e.what()); // HEDDLE_ESHAPE: heddle_add: ...
    }
}

/* The code that the expression throws; HEDDLE_OK if it does not. */
template <class F>
static heddle_status thrown(F f)
{
    try {
        f();
    } catch (const heddle::error &e) {
        return e.status();
    }
    return HEDDLE_OK;
}

/* ---- The C headers ---------------------------------------------------------------------------------- */

static std::vector<double> values(heddle_array *a)
{
    std::vector<double> out(static_cast<std::size_t>(heddle_size(a)));
    CHECK(heddle_read_as(a, HEDDLE_FLOAT64, out.data(),
                         static_cast<int64_t>(out.size() * sizeof(double))) == HEDDLE_OK);
    return out;
}

static void macros()
{
    heddle_scope scope = heddle_scope_open();
    const double data[6] = {0, 1, 2, 3, 4, 5};
    const std::size_t columns = 3; /* not an int64_t */
    heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, columns));
    CHECK(values(heddle_sum(a, .axis = 0)) == (list<double>{3, 5, 7}));
    CHECK(values(heddle_sum(a, .axes = HEDDLE_AXES(0, -1), .keepdims = true)) == list<double>{15});
    CHECK(values(heddle_sum(a, .axes = HEDDLE_NO_AXES)).size() == 6);
    CHECK(values(heddle_sum(heddle_sum(a, .axis = 0), .axis = 0)) == list<double>{15});
    CHECK(values(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(1), HEDDLE_SLICE(0, 2)))) ==
          (list<double>{3, 4}));
    CHECK(values(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_STEP(2)))) ==
          (list<double>{0, 2, 3, 5}));
    heddle_array *b = heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar(7));
    CHECK(values(b) == (list<double>{7, 7, 7, 3, 4, 5}));
    CHECK(values(heddle_permute_dims(a, HEDDLE_ORDER(1, 0)))[1] == 3);
    CHECK(heddle_size(heddle_concat(HEDDLE_ARRAYS(a, b, a), 0)) == 18);
    CHECK(values(heddle_expr("a - b", HEDDLE_BIND_ALL({"a", a}, {"b", b})))[0] == -7);
    CHECK(values(heddle_expr("a.sum()", HEDDLE_BIND("a", a))) == list<double>{15});
    CHECK(values(heddle_full(HEDDLE_NO_SHAPE, heddle_scalar(2.5))) == list<double>{2.5});
    CHECK(heddle_dtype_of(heddle_scalar(true)) == HEDDLE_BOOL);
    CHECK(heddle_dtype_of(heddle_scalar(1.0f)) == HEDDLE_FLOAT64);
    CHECK(heddle_dtype_of(heddle_scalar(1u)) == HEDDLE_INT64);
    CHECK(heddle_dtype_of(heddle_zeros(HEDDLE_SHAPE(3), .dtype = HEDDLE_INT8)) == HEDDLE_INT8);
    heddle_scope_close(scope);
}

/* ---- heddle.hpp --------------------------------------------------------------------------------------- */

static void numbers()
{
    using heddle::array;
    array a = heddle::asarray(list<double>{1, -2, 3, -4});
    CHECK(a.ndim() == 1 && a.size() == 4 && a.nbytes() == 32 && a.dtype() == HEDDLE_FLOAT64);
    CHECK(heddle::sqrt(heddle::sum(heddle::square(heddle::abs(a)))).item<double>() ==
          std::sqrt(30));
    CHECK((a + 2.0).to_vector<double>() == (list<double>{3, 0, 5, -2}));
    CHECK((1 - a).to_vector<int>() == (list<int>{0, 3, -2, 5}));
    CHECK((a * a / 2).to_vector<float>() == (list<float>{.5f, 2, 4.5f, 8}));
    CHECK((a % 3).to_vector<double>() == (list<double>{1, 1, 0, 2}));
    CHECK(heddle::pow(a, 2).to_vector<double>() == (list<double>{1, 4, 9, 16}));
    CHECK((-a > 1).to_vector<bool>() == (list<bool>{false, true, false, true}));
    CHECK(((a == 1) | (a == -2)).to_vector<bool>() == (list<bool>{true, true, false, false}));
    CHECK((!(a != 1)).to_vector<bool>() == (list<bool>{true, false, false, false}));
    const array i = heddle::arange(4);
    CHECK(((i << 1) ^ 1).to_vector<int64_t>() == (list<int64_t>{1, 3, 5, 7}));
    CHECK((~i & 3).to_vector<int64_t>() == (list<int64_t>{3, 2, 1, 0}));
    a += 1;
    a *= a;
    a -= 1.5;
    a /= 0.5;
    CHECK(a.to_vector<double>() == (list<double>{5, -1, 29, 15}));
    const std::complex<double> z =
        (array(std::complex<double>(1, 2)) * 2).item<std::complex<double>>();
    CHECK(z == std::complex<double>(2, 4));
    CHECK(heddle::clip(i, 1, array()).to_vector<int>() == (list<int>{1, 1, 2, 3}));
    CHECK(heddle::where(i > 1, i, -1).to_vector<int>() == (list<int>{-1, -1, 2, 3}));
    CHECK((heddle::asarray(list<float>{1}) + 2.0).dtype() == HEDDLE_FLOAT32); /* weak */
}

static void shapes()
{
    using heddle::slice;
    const heddle::array a = heddle::arange(24).reshape({2, 3, 4});
    CHECK(a.shape() == (list<int64_t>{2, 3, 4}));
    CHECK(heddle::sum(a, 0).shape() == (list<int64_t>{3, 4}));
    CHECK(heddle::sum(a, {0, 2}).to_vector<int>() == (list<int>{60, 92, 124}));
    CHECK(heddle::max(a, heddle::axis(-1).keepdims()).shape() == (list<int64_t>{2, 3, 1}));
    CHECK(heddle::sum(a, heddle::over().dtype(HEDDLE_FLOAT32)).dtype() == HEDDLE_FLOAT32);
    CHECK(heddle::mean(a).item<double>() == 11.5);
    CHECK(heddle::argmax(a).item<int>() == 23);
    CHECK(heddle::all(a >= 0).item<bool>());
    CHECK(a(1, slice(), -1).to_vector<int>() == (list<int>{15, 19, 23}));
    CHECK(a(heddle::ellipsis, slice(1, -1)).shape() == (list<int64_t>{2, 3, 2}));
    CHECK(a(0, 0, slice(std::nullopt, std::nullopt, -1)).to_vector<int>() ==
          (list<int>{3, 2, 1, 0}));
    CHECK(a(heddle::newaxis, 0).shape() == (list<int64_t>{1, 3, 4}));
    CHECK(a().shape() == a.shape());
    CHECK(a[1][2][3].item<int>() == 23);
    CHECK(a[a > 21].to_vector<int>() == (list<int>{22, 23}));
    CHECK(a(0, heddle::asarray(list<int>{2, 0}), slice(1, 3)).to_vector<int>() ==
          (list<int>{9, 10, 1, 2}));
    CHECK(
        heddle::add_at(heddle::arange(3), {heddle::asarray(list<int>{1, 1})}, 5).to_vector<int>() ==
        (list<int>{0, 11, 2}));
    CHECK(heddle::put_along_axis(heddle::arange(3), heddle::asarray(list<int>{1}), 5)
              .to_vector<int>() == (list<int>{0, 5, 2}));
    CHECK(heddle::arange(3).set({heddle::arange(3) > 0}, 7).to_vector<int>() ==
          (list<int>{0, 7, 7}));
    CHECK(heddle::nonzero(a > 22)[2].item<int>() == 3);
    CHECK(heddle::argwhere(a > 22).to_vector<int>() == (list<int>{1, 2, 3}));
    CHECK(heddle::flatnonzero(a < 2).to_vector<int>() == (list<int>{0, 1}));
    CHECK(heddle::extract(a > 22, a).to_vector<int>() == (list<int>{23}));
    CHECK(heddle::compress(heddle::asarray(list<int>{0, 1}), a, 0)(0, 0, 0).item<int>() == 12);
    const heddle::array b = a.set({1, slice(), slice(0, 2)}, -1);
    CHECK(heddle::sum(b).item<int>() == 276 - (12 + 13 + 16 + 17 + 20 + 21) - 6);
    CHECK(heddle::sum(a).item<int>() == 276);
    CHECK(a.transpose().shape() == (list<int64_t>{2, 4, 3}));
    CHECK(heddle::permute_dims(a, {2, 0, 1}).shape() == (list<int64_t>{4, 2, 3}));
    CHECK(heddle::squeeze(heddle::expand_dims(a, 0), {0}).shape() == a.shape());
    CHECK(heddle::flip(a, 2)[0][0][0].item<int>() == 3 &&
          heddle::flip(a)[0][0][0].item<int>() == 23);
    CHECK(heddle::broadcast_to(1, {2, 2}).size() == 4);
    CHECK(heddle::concat({a, b}, 2).shape() == (list<int64_t>{2, 3, 8}));
    CHECK(heddle::stack({a, b}).ndim() == 4);
    CHECK(heddle::matmul(a.astype(HEDDLE_FLOAT64), heddle::eye(4))[1][2][3].item<double>() == 23);
    CHECK(heddle::cumulative_sum(a, 2)[0][0][3].item<int>() == 6);
    CHECK(heddle::var(a, 2, 1).to_vector<double>()[0] == 5.0 / 3);
    CHECK(heddle::std_(heddle::ones({4})).item<double>() == 0);
    CHECK(heddle::ptp(a).item<int>() == 23);
    CHECK(heddle::roll(a, 1, 2)[0][0][0].item<int>() == 3);
    CHECK(heddle::tile(a, {2, 1, 1}).shape() == (list<int64_t>{4, 3, 4}));
    CHECK(heddle::outer(heddle::arange(3), heddle::arange(2))[2][1].item<int>() == 2);
    CHECK(heddle::sum(heddle::tril(a, -1)[0]).item<int>() == 4 + 8 + 9);
    CHECK(heddle::unstack(a, -1).size() == 4);
    CHECK(heddle::unstack(a, 1)[2][1][0].item<int>() == 20);
    CHECK(heddle::cumulative_prod(heddle::arange(1, 5), 0, true).to_vector<int>() ==
          (list<int>{1, 1, 2, 6, 24}));
    CHECK(heddle::take(a, heddle::asarray(list<int>{2, 0}), 1).shape() == (list<int64_t>{2, 2, 4}));
    CHECK(heddle::take_along_axis(heddle::arange(3), heddle::asarray(list<int>{2})).item<int>() ==
          2);
    CHECK(heddle::linspace(0, 1, 3).to_vector<double>() == (list<double>{0, 0.5, 1}));
    CHECK(heddle::arange(0, 1, 0.25).size() == 4);
    CHECK(heddle::zeros({2}).size() + heddle::ones({3}).size() + heddle::empty({}).size() == 6);
    CHECK(heddle::full({2, 2}, 7, HEDDLE_INT8).nbytes() == 4);
    CHECK(heddle::expr("a + 2*b", {{"a", a}, {"b", b}}).shape() == a.shape());
    CHECK(heddle::expr("1 + 1").item<int>() == 2);
}

static int n_deleted;

static void memory()
{
    list<double> v{1, 2, 3};
    const double *const at = v.data();
    heddle::array moved = heddle::asarray(std::move(v));
    CHECK(at[2] == 3 && heddle::sum(moved).item<double>() == 6); /* in place: not freed */
    CHECK(heddle::asarray(list<bool>{true, false, true}).to_vector<bool>()[2]);
    CHECK(heddle::asarray(list<int>()).size() == 0);
    static const float lent[4] = {1, 2, 3, 4};
    {
        const heddle::array b = heddle::borrow(lent, {2, 2}, [](void *) { n_deleted++; });
        CHECK(heddle::sum(b).item<float>() == 10 && n_deleted == 0);
    }
    CHECK(n_deleted == 1);
#if __cplusplus >= 202002L
    double out[3];
    moved.read(std::span<double>(out));
    CHECK(out[2] == 3 && heddle::asarray(std::span(lent)).size() == 4);
#endif
    CHECK(heddle::array(std::numeric_limits<uint64_t>::max()).item<uint64_t>() == ~uint64_t(0));
    CHECK(thrown([&] { moved.to_vector<double>().resize(1), moved.item<double>(); }) ==
          HEDDLE_ESHAPE);
    CHECK(thrown([&] { heddle::array(300).item<int8_t>(); }) == HEDDLE_ERANGE);
    CHECK(thrown([&] { heddle::array(-1).item<uint32_t>(); }) == HEDDLE_ERANGE);
    CHECK(thrown([&] { heddle::array(0.1).item<float>(); }) == HEDDLE_ERANGE);
    CHECK(thrown([&] { heddle::array(0.1).item<int>(); }) == HEDDLE_ERANGE);
    std::ostringstream text;
    text << heddle::arange(3);
    CHECK(text.str() == "[0 1 2]");
    CHECK(heddle::explain(heddle::exp(moved)).find("exp") != std::string::npos);
}

static void errors()
{
    const heddle::array bad = heddle::zeros({2}) + heddle::zeros({3}); /* does not throw */
    CHECK(bad.status() == HEDDLE_ESHAPE && bad.message().find("heddle_add") == 0);
    CHECK((bad + 1).message() == bad.message() && bad.shape().empty());
    CHECK(heddle::zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}).message() ==
          "heddle_zeros: 9 axes, more than 8");
    CHECK(thrown([&] { bad.item<double>(); }) == HEDDLE_ESHAPE);
    CHECK(thrown([&] { bad.eval(); }) == HEDDLE_ESHAPE);
    CHECK(thrown([&] { heddle::format(bad); }) == HEDDLE_ESHAPE);
    CHECK((heddle::array() + 1).status() == HEDDLE_EARG);
    CHECK(heddle::sum(heddle::ones({2}), {0, 1, 2, 3, 4, 5, 6, 7, 8}).status() == HEDDLE_EARG);
    CHECK(heddle::max(heddle::ones({2}), heddle::over().dtype(HEDDLE_INT8)).status() ==
          HEDDLE_EARG);
    try {
        heddle::load("no such file").wait();
        CHECK(false);
    } catch (const std::runtime_error &e) {
        CHECK(std::string(e.what()).find("HEDDLE_EIO: heddle_load") == 0);
    }
}

/* Objects own their arrays, whether a scope is open or not. */
static void life()
{
    heddle::array outlives, copy;
    {
        const heddle::scope scope;
        heddle::array a = heddle::ones({3});
        outlives = a * 2;
        copy = outlives;
        heddle_negative(a.get()); /* the scope's */
        heddle::array moved = std::move(a);
        CHECK(a.get() == nullptr && moved.size() == 3);
        heddle_array *raw = moved.release();
        moved = heddle::array::share(raw);
        heddle_release(raw);
        const heddle::array &itself = moved;
        moved = itself;
        CHECK(heddle::sum(moved).item<double>() == 3);
    }
    CHECK(heddle::sum(outlives + copy).item<double>() == 12);
}

int main()
{
    documented();
    macros();
    numbers();
    shapes();
    memory();
    errors();
    life();
    heddle_statistics s;
    heddle_statistics_get(&s);
    CHECK(s.arrays_live == 0);
    heddle::check(heddle_shutdown());
    if (n_failed) std::fprintf(stderr, "%d checks failed\n", n_failed);
    return n_failed != 0;
}
