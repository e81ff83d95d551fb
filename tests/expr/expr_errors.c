/* Errors of expressions: code, line, column, and words that must be in the message. No runtime: an
 * error is known when the text has been read. */
#include "check.h"

#include <heddle.h>

#include <stdlib.h>

struct wrong {
    const char *text;
    enum heddle_status code;
    int line, column;
    const char *words;
};

static const struct wrong table[] = {
    /* syntax */
    {"sum(abs(", HEDDLE_ESYNTAX, 1, 9, "expected a value, found the end of the text"},
    {"sum(abs( ))", HEDDLE_EARG, 1, 8, "abs() needs its argument 'x'"},
    {"sum(a", HEDDLE_ESYNTAX, 1, 6, "',' or ')'"},
    {"a + ", HEDDLE_ESYNTAX, 1, 4, "expected a value"},
    {"a + * 2", HEDDLE_ESYNTAX, 1, 5, "expected a value, found '*'"},
    {"a b", HEDDLE_ESYNTAX, 1, 3, "expected an operator or the end of the statement, found 'b'"},
    {"2a", HEDDLE_ESYNTAX, 1, 1, "runs into a name"},
    {"(a", HEDDLE_ESYNTAX, 1, 3, "',' or ')'"},
    {"(a]", HEDDLE_ESYNTAX, 1, 3, "found ']'"},
    {"a)", HEDDLE_ESYNTAX, 1, 2, "found ')'"},
    {"a[", HEDDLE_ESYNTAX, 1, 3, "expected a value"},
    {"a[]", HEDDLE_ESYNTAX, 1, 3, "expected an index"},
    {"a[0", HEDDLE_ESYNTAX, 1, 4, "',', ':' or ']'"},
    {"a[1 2]", HEDDLE_ESYNTAX, 1, 5, "found '2'"},
    {"a.", HEDDLE_ESYNTAX, 1, 3, "a name after '.'"},
    {"a.1", HEDDLE_ESYNTAX, 1, 2, "found '.1'"},
    {"", HEDDLE_ESYNTAX, 1, 1, "there is no expression"},
    {"  # nothing\n ; \n", HEDDLE_ESYNTAX, 2, 3, "there is no expression"},
    {"a +\n 2", HEDDLE_ESYNTAX, 1, 4, "found the end of the statement"},
    {"a\nb +\n", HEDDLE_ESYNTAX, 2, 4, "expected a value"},
    {"y = a\nz = y + * 2", HEDDLE_ESYNTAX, 2, 9, "found '*'"},
    {"a $ 2", HEDDLE_ESYNTAX, 1, 3, "this character"},
    {"a ! 2", HEDDLE_ESYNTAX, 1, 3, "this character"},
    {"'abc", HEDDLE_ESYNTAX, 1, 1, "does not end"},
    {"zeros(2, dtype='f\\4')", HEDDLE_ESYNTAX, 1, 16, "backslash"},
    {"012", HEDDLE_ESYNTAX, 1, 1, "leading zeros"},
    {"0x", HEDDLE_ESYNTAX, 1, 1, "digits are missing"},
    {"1 _", HEDDLE_ESYNTAX, 1, 3, "found '_'"},
    {"18446744073709551616", HEDDLE_ERANGE, 1, 1, "uint64"},
    {"-9223372036854775809", HEDDLE_ERANGE, 1, 1, "int64"},
    {"a if m else b", HEDDLE_ESYNTAX, 1, 3, "where(condition, a, b)"},
    {"lambda x: x", HEDDLE_ESYNTAX, 1, 1, "'lambda' is not supported"},
    /* functions */
    {"def f(x): return x\nf(1, 2)", HEDDLE_EARG, 2, 2, "f() takes 1 arguments, not 2"},
    {"def f(x, y): return x\nf(1)", HEDDLE_EARG, 2, 2, "f() needs its argument 'y'"},
    {"def f(x): return x\nf(y=1)", HEDDLE_EARG, 2, 3, "f() has no argument 'y'"},
    {"def f(x): return x\nf(1, x=1)", HEDDLE_EARG, 2, 6, "f() is given 'x' twice"},
    {"def f(x)\n  return 1", HEDDLE_ESYNTAX, 1, 9, "expected ':'"},
    {"def f(x):\nreturn 1", HEDDLE_ESYNTAX, 1, 10, "an indented block"},
    {"def f(x):", HEDDLE_ESYNTAX, 1, 10, "an indented block"},
    {"def f(x, x): return 1", HEDDLE_ESYNTAX, 1, 10, "two parameters of one name"},
    {"def f(a=1, b): return a", HEDDLE_ESYNTAX, 1, 13, "as the parameter before it"},
    {"def f(*a): return a", HEDDLE_ESYNTAX, 1, 7, "a parameter's name"},
    {"def 3(a): return a", HEDDLE_ESYNTAX, 1, 5, "the name of a function"},
    {"1; def f(a): return a", HEDDLE_ESYNTAX, 1, 4, "def begins a line"},
    {"def f(x): return f(x)\nf(1)", HEDDLE_ESYNTAX, 1, 19, "nested deeper than 200"},
    {"def f(x):\n  y = x +\n  return y\nf(1)", HEDDLE_ESYNTAX, 2, 10, "expected a value"},
    {"def f(x):\n  return x + q\nf(a)", HEDDLE_ENAME, 2, 14, "'q'"},
    {"def f(x):\n  if x > 1 return 1\nf(1)", HEDDLE_ESYNTAX, 2, 12, "'return' is not"},
    {"def f(x):\n  y = 1; if x: return 1\nf(1)", HEDDLE_ESYNTAX, 2, 10, "if begins a line"},
    {"def f(x):\n  else: return 1\nf(1)", HEDDLE_ESYNTAX, 2, 3, "'else'"},
    {"def f(x):\n  for i in x: return 1\nf(1)", HEDDLE_ESYNTAX, 2, 3, "'for' is not supported"},
    {"def f(x):\n  def g(y): return y\n  return 1\nf(1)", HEDDLE_ESYNTAX, 2, 3,
     "inside of another"},
    {"def f(x):\n  if x > 0:\n    return 1\n  return 2\nf(a)", HEDDLE_EARG, 2, 6,
     "the truth of an array"},
    {"@vectorize\ndef f(x):\n  if x > 0:\n    return 1\nf(a)", HEDDLE_EARG, 3, 6,
     "the other has to"},
    {"@vectorize\ndef f(x):\n  if x > 0: y = 1\n  else: z = 2\n  return y\nf(a)", HEDDLE_ENAME, 5,
     10, "'y'"},
    {"def f(x):\n  t = x\n  return t\nf(a); t", HEDDLE_ENAME, 4, 7, "'t'"},
    {"@jit\ndef f(x): return x", HEDDLE_ESYNTAX, 1, 2, "fuse or vectorize"},
    {"@fuse\na + 1", HEDDLE_ESYNTAX, 2, 1, "expected def"},
    {"@fuse def f(x): return x", HEDDLE_ESYNTAX, 1, 7, "'def' is not supported"},
    {"return a", HEDDLE_ESYNTAX, 1, 1, "'return' is not supported"},
    {"vectorize(3)", HEDDLE_EARG, 1, 11, "expected a function, found an int"},
    {"def f(x): return x\nf + 1", HEDDLE_EARG, 2, 3, "a function"},
    {"for i in a", HEDDLE_ESYNTAX, 1, 1, "'for' is not supported"},
    {"3 in 4", HEDDLE_EARG, 1, 3, "an int has no elements"},
    {"a not b", HEDDLE_ESYNTAX, 1, 3, "an operator or the end"},
    {"isinstance(a, 3)", HEDDLE_EARG, 1, 15, "an int is no class"},
    {"type(a, a)", HEDDLE_EARG, 1, 1, "one value"},
    {"slice()", HEDDLE_EARG, 1, 1, "one to three bounds"},
    {"sorted(['s'])", HEDDLE_EARG, 1, 1, "takes numbers"},
    {"1 + not a", HEDDLE_ESYNTAX, 1, 5, "expected a value"},
    {"{1: 2}", HEDDLE_ESYNTAX, 1, 1, "dictionaries"},
    {"(a := b)", HEDDLE_ESYNTAX, 1, 4, "':=' is not supported"},
    {"import os", HEDDLE_ESYNTAX, 1, 8, "numpy, scipy or cupy"},
    {"sum(*a)", HEDDLE_ESYNTAX, 1, 5, "unpacking"},
    {"sum(axis=0, a)", HEDDLE_ESYNTAX, 1, 13, "positional ones come first"},
    /* assignments */
    {"1 = a", HEDDLE_ESYNTAX, 1, 1, "only a name, name[index]"},
    {"a + b = 1", HEDDLE_ESYNTAX, 1, 1, "only a name"},
    {"a.T = 1", HEDDLE_ESYNTAX, 1, 1, "only a name"},
    {"a[[0]][1] = 1", HEDDLE_EINDEX, 1, 2, "what an array chooses is a copy"},
    {"y = z2 = 1", HEDDLE_ENAME, 1, 5, "unknown name 'z2'"},
    /* integers that a dtype lacks, zeros that options take for none */
    {"int8(300)", HEDDLE_ERANGE, 1, 6, "300 is out of range of int8"},
    {"array([[1, 2], [3, -1]], dtype=uint8)", HEDDLE_ERANGE, 1, 20, "-1 is out of range of uint8"},
    {"full(3, 1 << 40, int32)", HEDDLE_ERANGE, 1, 9, "1099511627776 is out of range of int32"},
    {"full_like(int8(a), -129)", HEDDLE_ERANGE, 1, 20, "-129 is out of range of int8"},
    {"insert(int8([1, 2]), 0, [5, 200])", HEDDLE_ERANGE, 1, 29, "200 is out of range of int8"},
    {"pad(int8([1, 2]), 1, constant_values=200)", HEDDLE_ERANGE, 1, 1, "heddle_pad: scalar 200 is"},
    {"full(3, 1j, float64)", HEDDLE_EDTYPE, 1, 9, "drops the imaginary part"},
    {"trapezoid([1, 2], dx=0)", HEDDLE_ERANGE, 1, 22, "dx must not be 0"},
    {"gradient([1, 2], 0.0)", HEDDLE_ERANGE, 1, 18, "the spacing must not be 0"},
    {"unwrap([1, 2], period=0)", HEDDLE_ERANGE, 1, 23, "period must not be 0"},
    {"logspace(0, 1, base=0)", HEDDLE_ERANGE, 1, 21, "base must not be 0"},
    {"delete([1, 2], [True])", HEDDLE_ESHAPE, 1, 16, "a mask has one axis of 2 elements here"},
    {"y = a * 1; np.add.at(y, axis=0, 1)", HEDDLE_ESYNTAX, 1, 33, "positional ones come first"},
    {"unravel_index(7, (2, 3))", HEDDLE_EINDEX, 1, 15, "7 is out of range of 6 places"},
    {"unravel_index([0, -1], (2, 3))", HEDDLE_EINDEX, 1, 19, "-1 is out of range of 6 places"},
    {"unravel_index(0, (1 << 40, 1 << 40))", HEDDLE_ESHAPE, 1, 18, "too many elements"},
    {"ravel_multi_index((0, [1, 3]), (2, 3))", HEDDLE_EINDEX, 1, 27, "3 is out of range of 3"},
    {"lexsort(broadcast_to(0, (1 << 32, 1)))", HEDDLE_ERANGE, 1, 9, "4294967296 keys"},
    {"delete([1, 2], True)", HEDDLE_ESHAPE, 1, 16, "a mask has one axis of 2 elements"},
    {"y = a = 1", HEDDLE_ESYNTAX, 1, 7, "one name"},
    {"p, q = 1", HEDDLE_EARG, 1, 8, "cannot unpack an int"},
    {"p, q = a[0]", HEDDLE_EARG, 1, 8, "3 values for 2 names"},
    {"p, q = 1, 2, 3", HEDDLE_EARG, 1, 8, "3 values for 2 names"},
    {"p, q[0] = 1, 2", HEDDLE_ENAME, 1, 4, "unknown name 'q'"},
    {"a[0], b = 1", HEDDLE_EARG, 1, 11, "cannot unpack an int"},
    {"a[0], 2 = 1, 2", HEDDLE_ESYNTAX, 1, 1, "several of them"},
    {"np.mgrid[0:3, 2]", HEDDLE_EINDEX, 1, 15, "made of ranges"},
    {"np.mgrid[0:]", HEDDLE_EINDEX, 1, 10, "no end"},
    {"np.r_['a']", HEDDLE_EARG, 1, 7, "a string"},
    {"np.mgrid + 1", HEDDLE_EARG, 1, 10, "np.mgrid"},
    {"np.add.reduce2(a)", HEDDLE_ENAME, 1, 8, "no attribute 'reduce2'"},
    {"p, q += 1, 2", HEDDLE_ESYNTAX, 1, 1, "several of them"},
    {"p, 1 = a", HEDDLE_ESYNTAX, 1, 1, "several of them"},
    {"n += 0.5", HEDDLE_EDTYPE, 1, 3, "float64, and int64 cannot hold it"},
    {"n[:2] /= 2", HEDDLE_EDTYPE, 1, 7, "cannot hold it"},
    {"y = n[0:1]; y += n", HEDDLE_ESHAPE, 1, 15, "another shape"},
    {"from numpy import cosin", HEDDLE_ENAME, 1, 19, "did you mean 'sin'?"},
    {"from numpy import (sin", HEDDLE_ESYNTAX, 1, 23, "',' or ')'"},
    {"from os import path", HEDDLE_ESYNTAX, 1, 6, "numpy, scipy or cupy"},
    {"y += 1", HEDDLE_ENAME, 1, 1, "unknown name 'y'"},
    {"y[0] = 1", HEDDLE_ENAME, 1, 1, "unknown name 'y'"},
    {"y = 1; y[0] = 1", HEDDLE_EARG, 1, 9, "items of an int"},
    {"a[0] = b", HEDDLE_ESHAPE, 1, 2, "(3,)"},
    {"None = 1", HEDDLE_ESYNTAX, 1, 1, "only a name"},
    /* names */
    {"q + 1", HEDDLE_ENAME, 1, 1, "unknown name 'q'"},
    {"arage(3)", HEDDLE_ENAME, 1, 1, "did you mean 'arange'?"},
    {"np.sqr(a)", HEDDLE_ENAME, 1, 4, "did you mean 'sqrt'?"},
    {"np.linalg.mean(a)", HEDDLE_ENAME, 1, 11, "np.linalg has no function 'mean'"},
    {"import numpy.linalg as la; la.mean(a)", HEDDLE_ENAME, 1, 31,
     "np.linalg has no function 'mean'"},
    {"from numpy import fft; fft.sum(a)", HEDDLE_ENAME, 1, 28, "np.fft has no function 'sum'"},
    {"from scipy.linalg import mean", HEDDLE_ENAME, 1, 26, "np.linalg has no function 'mean'"},
    {"import numpy.sparse", HEDDLE_ESYNTAX, 1, 14, "expected fft, linalg, random"},
    {"totl = 1; total", HEDDLE_ENAME, 1, 11, "did you mean 'totl'?"},
    {"a.shap", HEDDLE_ENAME, 1, 3, "did you mean 'shape'?"},
    {"a.item()", HEDDLE_ESHAPE, 1, 3, "6 elements"},
    {"(2).shape", HEDDLE_ENAME, 1, 5, "an int has no attribute 'shape'"},
    {"sum.reduce(a)", HEDDLE_ENAME, 1, 5, "a function has no attribute"},
    {"zeros(2, dtype=float128)", HEDDLE_ENAME, 1, 16, "use float64"},
    {"np.histogram2d(a, a)", HEDDLE_ENAME, 1, 4, "there is no such function"},
    {"np.einsum(a, a)", HEDDLE_EARG, 1, 14, "expected a list of labels, found an array"},
    {"np.einsum(a, [0, 52])", HEDDLE_EARG, 1, 18, "a label is a number from 0 to 51"},
    {"np.einsum('ij')", HEDDLE_EARG, 1, 4, "it takes subscripts and arrays"},
    {"np.einsum('ij,jk', a, b)", HEDDLE_ESHAPE, 1, 4, "axis 0 of 'j' is not 3"},
    {"in1d(a, b)", HEDDLE_ENAME, 1, 1, "write isin(a, b)"},
    {"enumerate(a)", HEDDLE_ENAME, 1, 1, "Python's own"},
    {"finfo(float32).epsilon", HEDDLE_ENAME, 1, 16, "limits of a dtype have no 'epsilon'"},
    {"zeros(2, dtype='f3')", HEDDLE_EDTYPE, 1, 16, "unknown dtype 'f3'"},
    /* arguments */
    {"zeros()", HEDDLE_EARG, 1, 6, "needs its argument 'shape'"},
    {"sqrt(a, b)", HEDDLE_EARG, 1, 9, "at most 1 positional argument, not 2"},
    {"sum(a, axes=0)", HEDDLE_EARG, 1, 8, "it takes (a, axis, dtype, keepdims, initial, where)"},
    {"sum(a, axis=0, axis=1)", HEDDLE_EARG, 1, 16, "'axis' twice"},
    {"sum(a, 0, axis=1)", HEDDLE_EARG, 1, 11, "'axis' twice"},
    {"a.sum(a=b)", HEDDLE_EARG, 1, 7, "no argument 'a'"},
    {"max(a, b)", HEDDLE_EARG, 1, 8, "maximum(a, b)"},
    {"sum(a, out=b)", HEDDLE_ESHAPE, 1, 4, "the result has another shape than out="},
    {"a.std(where=m)", HEDDLE_EUNSUPPORTED, 1, 7, "where= is not supported"},
    {"print(a, end=1)", HEDDLE_EARG, 1, 10, "no keyword"},
    {"range()", HEDDLE_EARG, 1, 1, "one to three"},
    {"range(0, 9, 0)", HEDDLE_EARG, 1, 1, "step is 0"},
    {"range(2000000)", HEDDLE_ERANGE, 1, 1, "use arange"},
    {"[0] * 2000000", HEDDLE_ERANGE, 1, 5, "use tile"},
    {"list(3)", HEDDLE_EARG, 1, 6, "an int has no items"},
    {"zip(a, 3)", HEDDLE_EARG, 1, 8, "an int has no items"},
    {"list(zeros(100001))", HEDDLE_ERANGE, 1, 6, "more than 100000"},
    {"zeros((0, 200000)).T.tolist()", HEDDLE_ERANGE, 1, 22, "more than 100000"},
    {"iinfo(uint64).max.item()", HEDDLE_ERANGE, 1, 19, "does not fit int64"},
    {"abs(-9223372036854775807 - 1)", HEDDLE_ERANGE, 1, 1, "int64"},
    {"round(1e30)", HEDDLE_ERANGE, 1, 7, "int64"},
    {"pad(a, 1, 'odd')", HEDDLE_EARG, 1, 11, "mode is"},
    {"meshgrid(n, n, indexing='x')", HEDDLE_EARG, 1, 25, "'xy' or 'ij'"},
    {"split(n, 3)", HEDDLE_ESHAPE, 1, 1, "no 3 equal parts"},
    {"split(n, -1)", HEDDLE_EARG, 1, 10, "-1 parts"},
    {"unstack(2)", HEDDLE_EAXIS, 1, 1, "axis 0"},
    {"tensordot(a, b, axes=([0], [0, 1]))", HEDDLE_EARG, 1, 22, "as many axes"},
    {"result_type()", HEDDLE_EARG, 1, 1, "needs a dtype"},
    {"result_type(a, 'x')", HEDDLE_EDTYPE, 1, 16, "unknown dtype"},
    {"isdtype(int8, 'odd')", HEDDLE_EARG, 1, 15, "a kind is"},
    {"finfo(int8)", HEDDLE_EDTYPE, 1, 1, "not floating"},
    {"iinfo(float)", HEDDLE_EDTYPE, 1, 1, "no integer"},
    {"roll(a, (1, 2, 3), axis=(0, 1))", HEDDLE_ESHAPE, 1, 9, "3 shifts for 2 axes"},
    {"average(a, weights=n)", HEDDLE_ESHAPE, 1, 1, "weights of shape (4,)"},
    {"isclose(a, b, rtol=a)", HEDDLE_EUNSUPPORTED, 1, 20, "rtol must be a number"},
    {"sum(a, axis=1.5)", HEDDLE_EARG, 1, 13, "axis must be an integer, not a float"},
    {"sum(a, axis='x')", HEDDLE_EARG, 1, 13, "not a string"},
    {"sum(a, keepdims=None)", HEDDLE_EARG, 1, 17, "True or False"},
    {"zeros(a)", HEDDLE_EARG, 1, 7, "not an array"},
    {"zeros((1, 1, 1, 1, 1, 1, 1, 1, 1))", HEDDLE_ESHAPE, 1, 7, "more than 8"},
    {"concat(a, b)", HEDDLE_EARG, 1, 8, "a list of arrays"},
    {"array([[1, 2], [3]])", HEDDLE_ESHAPE, 1, 16, "differ in length"},
    {"array([1, [2]])", HEDDLE_ESHAPE, 1, 12, "differ in length"},
    {"array(['x'])", HEDDLE_EARG, 1, 8, "found a string"},
    {"array([[[[[[[[[1]]]]]]]]])", HEDDLE_ESHAPE, 1, 15, "at most 8 axes"},
    {"sqrt", HEDDLE_EARG, 1, 1, "a call needs"},
    {"sqrt + 1", HEDDLE_EARG, 1, 6, "'+' is not defined for a function and an int"},
    {"a + sqrt", HEDDLE_EARG, 1, 5, "its call needs"},
    {"a.sum * 2", HEDDLE_EARG, 1, 7, "'*' is not defined for a method and an int"},
    {"b + a.sum", HEDDLE_EARG, 1, 7, "its call needs"},
    {"None", HEDDLE_EARG, 1, 1, "the value is None"},
    {"float32", HEDDLE_EARG, 1, 1, "the value is a dtype"},
    {"a(2)", HEDDLE_EARG, 1, 2, "a product needs '*'"},
    {"2(a)", HEDDLE_EARG, 1, 2, "a product needs '*'"},
    {"float(a)", HEDDLE_ESHAPE, 1, 7, "6 elements"},
    {"a + 'x'", HEDDLE_EARG, 1, 5, "found a string"},
    {"a + None", HEDDLE_EARG, 1, 5, "found None"},
    {"'a' + 'b'", HEDDLE_EARG, 1, 5, "a string and a string"},
    /* truth */
    {"a and b", HEDDLE_EARG, 1, 3, "logical_and"},
    {"1 or a", HEDDLE_EARG, 1, 3, "logical_or"},
    {"not a", HEDDLE_EARG, 1, 1, "logical_not"},
    {"0 < a < 2", HEDDLE_EARG, 1, 7, "(a < b) & (b < c)"},
    {"a > 0 & b > 0", HEDDLE_EDTYPE, 1, 7, "float64"},
    /* scalars */
    {"1 / 0", HEDDLE_EARG, 1, 3, "division by zero"},
    {"1 // 0", HEDDLE_EARG, 1, 3, "division by zero"},
    {"1.0 % 0", HEDDLE_EARG, 1, 5, "division by zero"},
    {"0 ** -1", HEDDLE_EARG, 1, 3, "division by zero"},
    {"2 ** 64", HEDDLE_ERANGE, 1, 3, "int64"},
    {"9223372036854775807 + 1", HEDDLE_ERANGE, 1, 21, "int64"},
    {"3 << 63", HEDDLE_ERANGE, 1, 3, "int64"},
    {"1 << -1", HEDDLE_EARG, 1, 3, "negative shift"},
    {"10.0 ** 400", HEDDLE_ERANGE, 1, 6, "too large"},
    {"1.5 & 1", HEDDLE_EDTYPE, 1, 5, "a float and an int"},
    {"1j < 2", HEDDLE_EDTYPE, 1, 4, "a complex and an int"},
    {"~1.5", HEDDLE_EDTYPE, 1, 1, "'~'"},
    {"2 @ 3", HEDDLE_EDTYPE, 1, 3, "'@'"},
    {"int(1e300)", HEDDLE_ERANGE, 1, 5, "int64"},
    /* shapes, axes, indices: the API's words at the operator, the name or the bracket */
    {"a + b * n", HEDDLE_ESHAPE, 1, 7, "(2, 3)"},
    {"a +\\\n n", HEDDLE_ESHAPE, 1, 3, "(4,)"},
    {"sqrt(a).sum(axis=2)", HEDDLE_EAXIS, 1, 9, "axis"},
    {"sum(a, axis=(0, 0))", HEDDLE_EAXIS, 1, 1, "axis"},
    {"a.reshape(4, 2)", HEDDLE_ESHAPE, 1, 3, "(2, 3)"},
    {"a @ b", HEDDLE_ESHAPE, 1, 3, "(2, 3)"},
    {"expand_dims(a, (0, 0))", HEDDLE_EAXIS, 1, 16, "repeated"},
    {"swapaxes(a, 0, 2)", HEDDLE_EAXIS, 1, 1, "out of range"},
    {"a[2]", HEDDLE_EINDEX, 1, 2, "2"},
    {"a[0, 0, 0]", HEDDLE_EINDEX, 1, 2, ""},
    {"a[1.5]", HEDDLE_EINDEX, 1, 3, "not a float"},
    {"a[..., ...]", HEDDLE_EARG, 1, 2, ""},
    {"a[::0]", HEDDLE_EARG, 1, 5, "cannot be zero"},
    {"a['x']", HEDDLE_EINDEX, 1, 3, "not a string"},
    {"a[1:b]", HEDDLE_EARG, 1, 5, "not an array"},
    {"n[[True, False]]", HEDDLE_EINDEX, 1, 2, "a mask of shape (2,) at axis 0 of shape (4,)"},
    {"a[:, b > 0]", HEDDLE_EINDEX, 1, 2, "3 indices for shape (2, 3)"},
    {"n[[0.5]]", HEDDLE_EDTYPE, 1, 2, "an index of dtype float64"},
    {"a[[0], ..., [0], ...]", HEDDLE_EARG, 1, 2, "two ellipses"},
    {"a[[0], [0], [0]]", HEDDLE_EINDEX, 1, 2, "3 indices for shape (2, 3)"},
    {"a[[0, 1]] = [1, 2]", HEDDLE_ESHAPE, 1, 2, "does not broadcast to the selected (2, 3)"},
    {"a[a > 1] = [1, 2, 3]", HEDDLE_ESHAPE, 1, 2, "does not broadcast to the selected (0,)"},
    {"a[[0, 1], [0, 1, 2]] = 0", HEDDLE_ESHAPE, 1, 2, "do not broadcast"},
    {"a[[0.5]] = 0", HEDDLE_EDTYPE, 1, 2, "an index of dtype float64"},
    {"np.add.at(a, [0])", HEDDLE_EARG, 1, 10, "add.at() needs its argument 'b'"},
    {"np.add.at(1, [0], 2)", HEDDLE_EARG, 1, 11, "changes an array, not an int"},
    {"np.add.at(n, [0], 0.5)", HEDDLE_EDTYPE, 1, 8, "float64 cannot be added to int64"},
    {"np.put(a.T, 0, 1)", HEDDLE_EARG, 1, 8, "would change a new array"},
    {"a.T.sort()", HEDDLE_EARG, 1, 1, "would change a new array"},
    {"np.put(a=a, ind=0, v=1)", HEDDLE_EARG, 1, 8, "the first argument, without a name"},
    {"np.place(a, [True], 1)", HEDDLE_ESHAPE, 1, 13, "a mask of 1 elements for an array of 6"},
    {"np.place(a, a < 1, [])", HEDDLE_EARG, 1, 20, "there are no values"},
    {"np.fill_diagonal(n, 1)", HEDDLE_ESHAPE, 1, 18, "it has no diagonal"},
    {"np.fill_diagonal(zeros((2, 2, 3)), 1)", HEDDLE_ESHAPE, 1, 18, "differ in length"},
    {"a.resize(-2)", HEDDLE_ESHAPE, 1, 10, "there is no such shape"},
    {"n.shape = (3, 5)", HEDDLE_ESHAPE, 1, 3, "reshape"},
    {"a.imag = 1", HEDDLE_EDTYPE, 1, 3, "no imaginary part"},
    {"a[0][0][0][0][0] = 1", HEDDLE_ESYNTAX, 1, 14, "more than 4 indices"},
    {"np.add(a, b, where=a > b)", HEDDLE_EUNSUPPORTED, 1, 20, "out=, which is missing"},
    {"gcd(a, 2)", HEDDLE_EDTYPE, 1, 1, "float64"},
    {"max(a, where=m)", HEDDLE_EARG, 1, 14, "needs initial="},
    {"argmax(a, initial=3)", HEDDLE_EUNSUPPORTED, 1, 19, "has no initial= and where="},
    {"np.subtract.reduce([])", HEDDLE_ESHAPE, 1, 13, "of 0 elements"},
    {"np.bitwise_and.reduce(n[:0])", HEDDLE_ESHAPE, 1, 16, "of no elements"},
    {"np.lcm.reduce(n, axis=1)", HEDDLE_EAXIS, 1, 15, "no such axis of 1"},
    {"np.add.reduceat(n, [4])", HEDDLE_EINDEX, 1, 20, "index 4 is out of range"},
    {"np.add.reduceat(n, [])", HEDDLE_ESHAPE, 1, 20, "no indices"},
    {"np.maximum.accumulate(1j * a)", HEDDLE_EDTYPE, 1, 12, "have no order"},
    {"pad(a, 1, 'edge', constant_values=1)", HEDDLE_EARG, 1, 1, "constants have it"},
    {"pad(a, 1, constant_values=(1, 2, 3))", HEDDLE_ESHAPE, 1, 1, "two for each axis"},
    {"sliding_window_view(n, 5)", HEDDLE_ESHAPE, 1, 1, "a window of 5 along axis 0"},
    {"sliding_window_view(n, 0)", HEDDLE_ESHAPE, 1, 1, "a window of 0"},
    {"sliding_window_view(a, 2)", HEDDLE_ESHAPE, 1, 1, "one for each axis, or axes"},
    {"sliding_window_view(a, 2, axis=(0, 1))", HEDDLE_ESHAPE, 1, 32, "1 extents for 2 axes"},
    {"choose(a, [1, 2])", HEDDLE_EDTYPE, 1, 1, "indices of float64"},
    {"choose(m, [])", HEDDLE_EARG, 1, 1, "0 arrays"},
    {"choose(m, [n, m])", HEDDLE_ESHAPE, 1, 1, "broadcast"},
    {"choose(m, [1, 2], mode='x')", HEDDLE_EARG, 1, 24, "'raise', 'wrap' or 'clip'"},
    {"trim_zeros(a)", HEDDLE_ESHAPE, 1, 12, "a vector"},
    {"trim_zeros(n, 'x')", HEDDLE_EARG, 1, 15, "trim is"},
    {"apply_along_axis(np.sum, 0)", HEDDLE_EARG, 1, 1, "a function, an axis and an array"},
    {"apply_along_axis(np.sum, 2, a)", HEDDLE_EAXIS, 1, 26, "no such axis of 2"},
    {"apply_along_axis(np.sum, 0, zeros((2, 0)))", HEDDLE_ESHAPE, 1, 21, "of 0 lines"},
    {"apply_along_axis(3, 0, a)", HEDDLE_EARG, 1, 18, "cannot be called"},
    {"piecewise(a, [a > 1], [1, 2, 3])", HEDDLE_EARG, 1, 23, "as many values as conditions"},
    {"diag_indices_from(a)", HEDDLE_ESHAPE, 1, 19, "differ in length"},
    {"tril_indices_from(n)", HEDDLE_ESHAPE, 1, 19, "a matrix"},
    {"size(a, 2)", HEDDLE_EAXIS, 1, 9, "no such axis of 2"},
    {"np.broadcast_shapes((2,), (3,))", HEDDLE_ESHAPE, 1, 4, "broadcast"},
    {"gradient(n, [1, 2])", HEDDLE_ESHAPE, 1, 13, "shape other than (4,)"},
    {"gradient(n[:2], edge_order=2)", HEDDLE_ESHAPE, 1, 1, "three elements"},
    {"gradient(n, 1, 2)", HEDDLE_EARG, 1, 13, "2 spacings for 1 axes"},
    {"gradient(n, edge_order=3)", HEDDLE_EARG, 1, 24, "edge_order is 1 or 2"},
    {"unique(a, axis=2)", HEDDLE_EAXIS, 1, 1, "axis 2"},
    {"np.add(a, b, out=3)", HEDDLE_EARG, 1, 18, "out= is an int"},
    {"np.add(a, b, out=n)", HEDDLE_EDTYPE, 1, 7, "the result is float64, and out= is int64"},
    {"np.add(a, b, out=a[0])", HEDDLE_ESHAPE, 1, 7, "broadcast"},
    {"np.add(n, n, out=-n); np.add(n, n, out=n.T)", HEDDLE_EARG, 1, 40, "would change a new array"},
    {"put_along_axis(a, [0], 1, 0)", HEDDLE_ESHAPE, 1, 1, "indices of shape (1,)"},
    {"nonzero(2.5)", HEDDLE_ESHAPE, 1, 1, "no axes"},
    {"ReductionKernel('T x', 'T y', 'x', 'a +', 'y = a', '0')", HEDDLE_ESYNTAX, 1, 1,
     "reduction, line 1, column 4"},
    {"ReductionKernel('T x', 'T y', 'x', 'a + b')", HEDDLE_EARG, 1, 16, "needs its argument"},
    {"k = ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', 0)", HEDDLE_EARG, 1, 58,
     "expected a string"},
    {"k = ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0'); k(a, axis=2)", HEDDLE_EAXIS, 1,
     65, "axis 2"},
    {"k = ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0'); k(a, size_=a)", HEDDLE_EARG, 1,
     69, "no argument 'size_'; it takes axis=, keepdims= and size="},
    {"k = ElementwiseKernel('T x', 'T y', 'y = x'); k(a, axis=0)", HEDDLE_EARG, 1, 52,
     "no argument 'axis'; it takes size="},
    {"where(a, 1)", HEDDLE_EARG, 1, 1, "a condition and two values"},
    {"compress(b > 0, b)", HEDDLE_ESHAPE, 1, 1, "it has one axis"},
    {"a.shape[2]", HEDDLE_EINDEX, 1, 9, "out of range"},
    {"(1)[0]", HEDDLE_EARG, 1, 4, "cannot be indexed"},
    {"zeros((-1,))", HEDDLE_ESHAPE, 1, 1, "-1"},
    {"arange(0, 1, 0)", HEDDLE_EARG, 1, 1, "step"},
    {"zeros(2) - zeros(2, dtype=bool) - (m - m)", HEDDLE_EDTYPE, 1, 38, "bool"},
    /* columns are characters, and the line is shown */
    {"\xc3\xa9 = 1; \xc3\xa9 + q", HEDDLE_ENAME, 1, 12,
     "\n  \xc3\xa9 = 1; \xc3\xa9 + q\n             ^"},
    {"a\n\tq", HEDDLE_ENAME, 2, 2, "\n   q\n   ^"},
};

static void check_one(const struct wrong *w)
{
    heddle_scope scope = heddle_scope_open();
    const double six[6] = {0};
    const int64_t four[4] = {0};
    const bool three[3] = {0};
    heddle_array *v = heddle_expr(
        w->text, HEDDLE_BIND_ALL({"a", heddle_asarray(six, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3))},
                                 {"b", heddle_asarray(six, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3))},
                                 {"n", heddle_asarray(four, HEDDLE_INT64, HEDDLE_SHAPE(4))},
                                 {"m", heddle_asarray(three, HEDDLE_BOOL, HEDDLE_SHAPE(3))}));
    char place[64];
    snprintf(place, sizeof place, "line %d, column %d: ", w->line, w->column);
    CHECK(heddle_status_of(v) == w->code, "'%s': %s, not %s: %s", w->text,
          heddle_status_name(heddle_status_of(v)), heddle_status_name(w->code), heddle_error(v));
    CHECK(!strncmp(heddle_error(v), place, strlen(place)), "'%s': not %s%s", w->text, place,
          heddle_error(v));
    CHECK(strstr(heddle_error(v), w->words), "'%s': no \"%s\" in\n%s", w->text, w->words,
          heddle_error(v));
    heddle_scope_close(scope);
}

/* The exact layout. */
static void check_layout(void)
{
    heddle_scope scope = heddle_scope_open();
    CHECK_STR(heddle_error(heddle_expr("x = 1\ny = sum(abs()", HEDDLE_NO_BINDINGS)),
              "line 2, column 12: abs() needs its argument 'x'\n"
              "  y = sum(abs()\n"
              "             ^");
    char text[400];
    memset(text, ' ', sizeof text);
    memcpy(text, "1+", 2);
    memcpy(text + 200, "q", 1);
    memcpy(text + 396, "+1", 3);
    CHECK_STR(heddle_error(heddle_expr(text, HEDDLE_NO_BINDINGS)),
              "line 1, column 201: unknown name 'q'\n"
              "  ...                                                q                   ...\n"
              "                                                     ^");
    heddle_scope_close(scope);
}

static void check_inputs(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *one = heddle_ones(HEDDLE_SHAPE(1));
    heddle_array *bad = heddle_add(heddle_ones(HEDDLE_SHAPE(2)), heddle_ones(HEDDLE_SHAPE(3)));
    heddle_array *v = heddle_expr("a", HEDDLE_BIND("a", bad));
    CHECK_EQ(heddle_status_of(v), HEDDLE_ESHAPE);
    CHECK_HAS(heddle_error(v), "input 'a'");
    CHECK_EQ(heddle_status_of(heddle_expr("a", HEDDLE_BIND("a", NULL))), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_expr("a", HEDDLE_BIND(NULL, one))), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_expr("a", HEDDLE_BIND("1a", one))), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_expr("a", HEDDLE_BIND("for", one))), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_expr("a", 1, NULL)), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_expr("a", -1, NULL)), HEDDLE_EARG);
    CHECK_EQ(heddle_status_of(heddle_expr(NULL, 0, NULL)), HEDDLE_EARG);
    heddle_scope_close(scope);
}

int main(void)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) check_one(&table[i]);
    check_layout();
    check_inputs();
    return check_done();
}
