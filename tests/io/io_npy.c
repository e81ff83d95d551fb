/* heddle_load and heddle_save: every dtype, order and version; malformed headers; mutated files;
 * failing allocations; nothing leaks. Files are built byte by byte here. Argument: mutations. */
#include "files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if HEDDLE_TEST_ALONE
#include "blocks_left.h"
#endif

static struct bytes file;

static const struct {
    enum heddle_dtype dtype;
    const char *code;
    size_t size, word; /* of an element, and of what is swapped */
} dtypes[] = {
    {HEDDLE_BOOL, "b1", 1, 1},         {HEDDLE_INT8, "i1", 1, 1},    {HEDDLE_INT16, "i2", 2, 2},
    {HEDDLE_INT32, "i4", 4, 4},        {HEDDLE_INT64, "i8", 8, 8},   {HEDDLE_UINT8, "u1", 1, 1},
    {HEDDLE_UINT16, "u2", 2, 2},       {HEDDLE_UINT32, "u4", 4, 4},  {HEDDLE_UINT64, "u8", 8, 8},
    {HEDDLE_FLOAT32, "f4", 4, 4},      {HEDDLE_FLOAT64, "f8", 8, 8}, {HEDDLE_COMPLEX64, "c8", 8, 4},
    {HEDDLE_COMPLEX128, "c16", 16, 8},
};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

static heddle_array *load_dict(int version, const char *dict, const void *data, size_t n)
{
    npy_bytes(&file, version, dict, data, n);
    write_file("io_npy.npy", file.data, file.n);
    return heddle_load("io_npy.npy");
}

/* One (2, 3) array of every dtype, byte order, storage order and version. */
static void test_loads(void)
{
    for (int t = 0; t < N_DTYPES; t++)
        for (int variant = 0; variant < 24; variant++) {
            const char order = "<>=|"[variant % 4];
            const int fortran = variant / 4 % 2, version = variant / 8 + 1;
            const size_t size = dtypes[t].size, n = 6 * size;
            unsigned char wanted[96], data[96], got[96];
            char dict[128];
            fill_pattern(wanted, n, dtypes[t].dtype);
            for (size_t i = 0; i < 6; i++) { /* element i in C order is where in the file? */
                const size_t at = fortran ? i % 3 * 2 + i / 3 : i, word = dtypes[t].word;
                for (size_t b = 0; b < size; b++) {
                    const size_t swapped = b / word * word + (word - 1 - b % word);
                    data[at * size + b] = wanted[i * size + (order == '>' ? swapped : b)];
                }
            }
            snprintf(dict, sizeof dict, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (2, 3), }",
                     order, dtypes[t].code, fortran ? "True" : "False");
            heddle_array *a = load_dict(version, dict, data, n);
            CHECK(heddle_status_of(a) == HEDDLE_OK, "%s: %s", dict, heddle_error(a));
            if (heddle_status_of(a) == HEDDLE_OK) {
                CHECK(heddle_dtype_of(a) == dtypes[t].dtype, "%s", dict);
                CHECK(heddle_ndim(a) == 2 && heddle_shape(a)[0] == 2 && heddle_shape(a)[1] == 3,
                      "%s", dict);
                CHECK(heddle_read(a, got, (int64_t)n) == HEDDLE_OK, "%s", heddle_error(a));
                CHECK(!memcmp(got, wanted, n), "%s version %d", dict, version);
            }
            heddle_release(a);
        }
}

static void test_fortran_3d(void)
{
    int32_t data[24], got[24];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) data[i + 2 * j + 6 * k] = 100 * i + 10 * j + k;
    heddle_array *a = load_dict(1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 4), }",
                                data, sizeof data);
    CHECK(heddle_read(a, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(a));
    for (int i = 0; i < 24; i++)
        CHECK(got[i] == 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4, "element %d: %d", i, got[i]);
    heddle_release(a);
}

/* Spellings that must be read. */
static void test_accepted(void)
{
    static const char *const dicts[] = {
        "{'descr':'<i2','fortran_order':False,'shape':(4,)}",
        "{\"shape\": (4,), \"descr\": \"<i2\", \"fortran_order\": True}",
        "  { 'shape' : ( 2 , 2 , ) ,\n\t'fortran_order' : False , 'descr' : 'i2' , }  \n ",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (4L,), }",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 1, 1, 1, 2, 2, 1, 1), }",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }", /* bytes left over */
        "{'descr': '<i2', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<i2', 'fortran_order': True, 'shape': (), }",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (0,), }",
        "{'descr': '<i2', 'fortran_order': True, 'shape': (5, 0, 7), }",
    };
    static const int sizes[] = {4, 4, 4, 4, 4, 3, 1, 1, 0, 0};
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        int16_t got[4] = {0};
        heddle_array *a = load_dict(1, dicts[i], (int16_t[]){1, 2, 3, 4}, 8);
        CHECK(heddle_status_of(a) == HEDDLE_OK, "%s: %s", dicts[i], heddle_error(a));
        CHECK(heddle_size(a) == sizes[i], "%s: %d elements", dicts[i], (int)heddle_size(a));
        CHECK(heddle_read(a, got, sizes[i] * 2) == HEDDLE_OK, "%s: %s", dicts[i], heddle_error(a));
        CHECK(!sizes[i] || got[0] == 1, "%s: %d", dicts[i], got[0]);
        heddle_release(a);
    }
}

/* Bytes other than 0 and 1 in a bool array become 1. */
static void test_odd_bool(void)
{
    const unsigned char data[6] = {0, 1, 2, 0x80, 0xff, 0};
    unsigned char got[6];
    heddle_array *a =
        load_dict(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (6,), }", data, 6);
    CHECK(heddle_read(a, got, 6) == HEDDLE_OK, "%s", heddle_error(a));
    CHECK(!memcmp(got, "\0\1\1\1\1\0", 6), "normalised");
    heddle_release(a);
}

/* Headers that must be refused: code, and what the message must say. */
static void test_refused(void)
{
#define HEAD(descr, order, shape)                                                                  \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"
    static const struct {
        const char *dict;
        enum heddle_status code;
        const char *says;
    } cases[] = {
        {HEAD("'<f16'", "False", "(1,)"), HEDDLE_EDTYPE, "longdouble"},
        {HEAD("'|O'", "False", "(1,)"), HEDDLE_EDTYPE, "object"},
        {HEAD("'|S5'", "False", "(1,)"), HEDDLE_EDTYPE, "bytes"},
        {HEAD("'<U5'", "False", "(1,)"), HEDDLE_EDTYPE, "str"},
        {HEAD("'<M8[ns]'", "False", "(1,)"), HEDDLE_EDTYPE, "datetime64"},
        {HEAD("'|V8'", "False", "(1,)"), HEDDLE_EDTYPE, "void"},
        {HEAD("[('a', '<f4')]", "False", "(1,)"), HEDDLE_EDTYPE, "structured"},
        {HEAD("'<f7'", "False", "(1,)"), HEDDLE_EFORMAT, "'<f7' is no dtype"},
        {HEAD("''", "False", "(1,)"), HEDDLE_EFORMAT, "no dtype"},
        {HEAD("5", "False", "(1,)"), HEDDLE_EFORMAT, "expected a string"},
        {HEAD("'<f4", "False", "(1,)"), HEDDLE_EFORMAT, ""},
        {HEAD("'\\x66'", "False", "(1,)"), HEDDLE_EFORMAT, "0x5c"},
        {HEAD("'0123456789012345678901234567890123456789'", "False", "(1,)"), HEDDLE_EFORMAT,
         "too long"},
        {HEAD("'<f4'", "false", "(1,)"), HEDDLE_EFORMAT, "fortran_order"},
        {HEAD("'<f4'", "Truest", "(1,)"), HEDDLE_EFORMAT, "fortran_order"},
        {HEAD("'<f4'", "0", "(1,)"), HEDDLE_EFORMAT, "fortran_order"},
        {HEAD("'<f4'", "False", "(1)"), HEDDLE_EFORMAT, "not a tuple"},
        {HEAD("'<f4'", "False", "1"), HEDDLE_EFORMAT, "expected '('"},
        {HEAD("'<f4'", "False", "(-1,)"), HEDDLE_EFORMAT, "negative"},
        {HEAD("'<f4'", "False", "(1.0,)"), HEDDLE_EFORMAT, "expected ','"},
        {HEAD("'<f4'", "False", "(1 2)"), HEDDLE_EFORMAT, "expected ','"},
        {HEAD("'<f4'", "False", "(,)"), HEDDLE_EFORMAT, "expected an extent"},
        {HEAD("'<f4'", "False", "(01,)"), HEDDLE_EFORMAT, "starts with 0"},
        {HEAD("'<f4'", "False", "((1,),)"), HEDDLE_EFORMAT, "expected an extent"},
        {HEAD("'<f4'", "False", "(1,"), HEDDLE_EFORMAT, ""},
        {HEAD("'<f4'", "False", "(9223372036854775808,)"), HEDDLE_EFORMAT, "64 bits"},
        {HEAD("'<f4'", "False", "(99999999999999999999999,)"), HEDDLE_EFORMAT, "64 bits"},
        {HEAD("'<f4'", "False", "(9223372036854775807,)"), HEDDLE_EFORMAT, "2^63"},
        {HEAD("'<f4'", "False", "(4294967296, 4294967296)"), HEDDLE_EFORMAT, "2^63"},
        {HEAD("'<f4'", "False", "(1000000000,)"), HEDDLE_EFORMAT, "4000000000 bytes"},
        {HEAD("'<f4'", "False", "(3,)"), HEDDLE_EFORMAT, "promises 12 bytes of data, 8 follow"},
        {HEAD("'<f4'", "False", "(1,1,1,1,1,1,1,1,1)"), HEDDLE_ESHAPE, "more than 8 axes"},
        {"{'descr': '<f4', 'fortran_order': False}", HEDDLE_EFORMAT, "no key 'shape'"},
        {"{'descr': '<f4', 'shape': (1,)}", HEDDLE_EFORMAT, "no key 'fortran_order'"},
        {"{'fortran_order': False, 'shape': (1,)}", HEDDLE_EFORMAT, "no key 'descr'"},
        {"{}", HEDDLE_EFORMAT, "no key"},
        {"", HEDDLE_EFORMAT, "expected '{', found the end"},
        {"[]", HEDDLE_EFORMAT, "expected '{', found '['"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", HEDDLE_EFORMAT,
         "twice"},
        {"{'descr': '<f4', 'x': 1, 'fortran_order': False, 'shape': (1,)}", HEDDLE_EFORMAT,
         "unknown key 'x'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", HEDDLE_EFORMAT,
         "after the dict"},
        {"{'descr': '<f4', 'fortran_order': False 'shape': (1,)}", HEDDLE_EFORMAT, "expected ','"},
        {"{'descr' '<f4', 'fortran_order': False, 'shape': (1,)}", HEDDLE_EFORMAT, "expected ':'"},
        {"{,}", HEDDLE_EFORMAT, "expected a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        heddle_array *a = load_dict(1, cases[i].dict, (float[]){1, 2}, 8);
        CHECK(heddle_status_of(a) == cases[i].code, "%s: %s", cases[i].dict, heddle_error(a));
        CHECK(strstr(heddle_error(a), cases[i].says), "%s: %s", cases[i].dict, heddle_error(a));
        CHECK(strstr(heddle_error(a), "heddle_load: 'io_npy.npy': byte "), "%s", heddle_error(a));
        heddle_release(a);
    }
}

static void check_load_error(const char *path, enum heddle_status code, const char *says)
{
    heddle_array *a = heddle_load(path);
    CHECK(heddle_status_of(a) == code && strstr(heddle_error(a), says), "%d %s",
          heddle_status_of(a), heddle_error(a));
    heddle_release(a);
}

/* Not the header's dict: magic, version, every truncation, and what is no file. */
static void test_bad_files(void)
{
    npy_bytes(&file, 2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", (float[]){1, 2},
              8);
    for (size_t n = 0; n < file.n; n++) {
        write_file("io_npy.npy", file.data, n);
        check_load_error("io_npy.npy", HEDDLE_EFORMAT, "byte ");
    }
    file.data[6] = 4;
    write_file("io_npy.npy", file.data, file.n);
    check_load_error("io_npy.npy", HEDDLE_EFORMAT, "version 4.0");
    file.data[6] = 2;
    memset(file.data + 8, 0xff, 4);
    write_file("io_npy.npy", file.data, file.n);
    check_load_error("io_npy.npy", HEDDLE_EFORMAT, "a header of 4294967295 bytes");
    write_file("io_npy.npy", "hello, world", 12);
    check_load_error("io_npy.npy", HEDDLE_EFORMAT, "not a .npy file");
    check_load_error("io_npy.missing", HEDDLE_EIO, "No such file");
    check_load_error(".", HEDDLE_EIO, "not a regular file");
    check_load_error("/dev/null", HEDDLE_EIO, "not a regular file");
    unlink("io_npy.fifo");
    CHECK(mkfifo("io_npy.fifo", 0600) == 0, "mkfifo");
    check_load_error("io_npy.fifo", HEDDLE_EIO, "not a regular file");
    unlink("io_npy.fifo");
    heddle_array *a = heddle_load(NULL);
    CHECK(heddle_status_of(a) == HEDDLE_EARG, "%s", heddle_error(a));
    heddle_release(a);
    char path[400];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    check_load_error(path, HEDDLE_EIO, "too long");
}

/* What is saved has NumPy's very bytes, and loads again; small and (mapped) large. */
static void test_saves(void)
{
    static const char wanted[] =
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }                    ";
    static unsigned char got[BYTES_MAX];
    const double value[2] = {1.5, -2};
    heddle_array *a = heddle_asarray(value, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 1));
    CHECK(heddle_save(a, "io_npy.out") == HEDDLE_OK, "%s", heddle_last_error());
    heddle_release(a);
    const size_t n = read_file("io_npy.out", got, sizeof got);
    CHECK(n == 128 + 16 && !memcmp(got, "\x93NUMPY\1\0\x76\0", 10), "%zu bytes", n);
    CHECK(!memcmp(got + 10, wanted, sizeof wanted - 1) && got[127] == '\n', "%.118s", got + 10);
    CHECK(!memcmp(got + 128, value, 16), "data");

    for (int t = 0; t < N_DTYPES; t++)
        for (int ndim = 0; ndim <= 8; ndim++) {
            int64_t shape[8], size = 1;
            unsigned char data[2048], back[2048];
            for (int d = 0; d < ndim; d++) size *= shape[d] = d < 6 ? 2 : 1;
            const int64_t bytes = size * (int64_t)dtypes[t].size;
            fill_pattern(data, (size_t)bytes, dtypes[t].dtype);
            a = heddle_asarray(data, dtypes[t].dtype, ndim, shape);
            CHECK(heddle_save(a, "io_npy.out") == HEDDLE_OK, "%s", heddle_last_error());
            heddle_release(a);
            a = heddle_load("io_npy.out");
            CHECK(heddle_ndim(a) == ndim && heddle_dtype_of(a) == dtypes[t].dtype, "%s",
                  heddle_error(a));
            CHECK(heddle_read(a, back, bytes) == HEDDLE_OK && !memcmp(data, back, (size_t)bytes),
                  "%s %d", heddle_dtype_name(dtypes[t].dtype), ndim);
            heddle_release(a);
        }

    const int64_t many = 3 << 20;
    uint8_t *large = malloc((size_t)many), *back = malloc((size_t)many);
    if (!large || !back) exit(1);
    for (int64_t i = 0; i < many; i++) large[i] = (uint8_t)(i * 7 + i / 1000);
    a = heddle_asarray(large, HEDDLE_UINT8, HEDDLE_SHAPE(many));
    CHECK(heddle_save(a, "io_npy.out") == HEDDLE_OK, "%s", heddle_last_error());
    heddle_release(a);
    a = heddle_load("io_npy.out");
    CHECK(heddle_save(a, "io_npy.out") == HEDDLE_OK, "over itself: %s", heddle_last_error());
    CHECK(heddle_read(a, back, many) == HEDDLE_OK && !memcmp(large, back, (size_t)many), "large");
    heddle_release(a);
    a = heddle_load("io_npy.out");
    CHECK(heddle_read(a, back, many) == HEDDLE_OK && !memcmp(large, back, (size_t)many), "again");
    heddle_release(a);
    free(large);
    free(back);
}

/* A failing save says why, leaves nothing, and leaves what was there. */
static void test_save_errors(void)
{
    heddle_array *a = heddle_asarray((float[]){1}, HEDDLE_FLOAT32, HEDDLE_SHAPE(1));
    CHECK(heddle_save(NULL, "x") == HEDDLE_EARG && heddle_save(a, NULL) == HEDDLE_EARG, "NULL");
    CHECK(heddle_save(a, "io_npy.missing/x.npy") == HEDDLE_EIO, "no folder");
    CHECK(strstr(heddle_last_error(), "heddle_save: 'io_npy.missing/x.npy': No such file"), "%s",
          heddle_last_error());
    CHECK(heddle_save(a, "/dev/null") == HEDDLE_EIO, "a device");
    CHECK(strstr(heddle_last_error(), "not a regular file"), "%s", heddle_last_error());
    CHECK(heddle_save(a, ".") == HEDDLE_EIO && heddle_save(a, "") == HEDDLE_EIO, "a folder");

    heddle_array *bad = heddle_load("io_npy.missing");
    write_file("io_npy.out", "old", 3);
    CHECK(heddle_save(bad, "io_npy.out") == HEDDLE_EIO, "an error");
    CHECK(strstr(heddle_last_error(), "heddle_save: 'io_npy.out': heddle_load: "), "%s",
          heddle_last_error());
    unsigned char got[8];
    CHECK(read_file("io_npy.out", got, 8) == 3, "the old file is gone");
    heddle_release(bad);

    unlink("io_npy.link");
    CHECK(symlink("io_npy.out", "io_npy.link") == 0, "symlink");
    struct stat st;
    const mode_t mask = umask(027);
    const mode_t mode = stat("io_npy.out", &st) == 0 ? st.st_mode & 0777 : 0; /* kept */
    CHECK(heddle_save(a, "io_npy.link") == HEDDLE_OK, "%s", heddle_last_error());
    umask(mask);
    CHECK(lstat("io_npy.link", &st) == 0 && S_ISLNK(st.st_mode), "the link is gone");
    CHECK(stat("io_npy.out", &st) == 0 && (st.st_mode & 0777) == mode, "mode %o", st.st_mode);
    CHECK(count_files(".heddle") == 0 && count_files("io_npy.link.") == 0, "left behind");
    unlink("io_npy.link");
    heddle_release(a);
}

static void test_mutations(int n)
{
    static struct bytes good[4], bad;
    unsigned char data[96];
    fill_pattern(data, sizeof data, HEDDLE_UINT8);
    npy_bytes(&good[0], 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }", data, 96);
    npy_bytes(&good[1], 3, "{'descr': '>c16', 'fortran_order': False, 'shape': (2, 3), }", data,
              96);
    npy_bytes(&good[2], 2, "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 96), }", data,
              96);
    npy_bytes(&good[3], 1, "{'descr': '|b1', 'fortran_order': True, 'shape': (8, 2, 6), }", data,
              96);
    int n_valid = 0;
    for (int i = 0; i < n; i++) {
        bad = good[i % 4];
        mutate(&bad);
        heddle_scope scope = i % 2 ? heddle_scope_open() : NULL;
        heddle_array *a = heddle_load(memory_file(&bad));
        n_valid += heddle_status_of(a) == HEDDLE_OK;
        check_any(a);
        if (i % 2)
            heddle_scope_close(scope);
        else
            heddle_release(a);
    }
    printf("%d mutations, %d of them valid\n", n, n_valid);
}

#if HEDDLE_TEST_ALONE
/* With the k-th allocation failing: HEDDLE_ENOMEM or success, and nothing leaks. */
static void test_no_memory(void)
{
    static const char *const dicts[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }",
        "{'descr': '>f8', 'fortran_order': True, 'shape': (3, 4), }",
        "{'descr': '|b1', 'fortran_order': False, 'shape': (96,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }",
        "{'descr': '<f9', 'fortran_order': False, 'shape': (0,), }",
    };
    unsigned char data[96];
    fill_pattern(data, sizeof data, HEDDLE_UINT8);
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        npy_bytes(&file, 1, dicts[i], data, 96);
        write_file("io_npy.npy", file.data, file.n);
        for (int64_t k = 1, failed = 1; failed && k < 100; k++) {
            const int64_t live = heddle__alloc_live(), calls = heddle__alloc_calls();
            heddle__alloc_fail_at(k, 0);
            heddle_array *a = heddle_load("io_npy.npy");
            const bool ok = heddle_status_of(a) == HEDDLE_OK;
            failed = heddle__alloc_calls() - calls >= k;
            heddle__alloc_fail_at(0, 0);
            CHECK(ok       ? !failed
                  : failed ? heddle_status_of(a) == HEDDLE_ENOMEM
                           : i == 4,
                  "%s %d: %s", dicts[i], (int)k, heddle_error(a));
            if (ok) {
                heddle__alloc_fail_at(k, 0);
                heddle_save(a, "io_npy.out");
                heddle__alloc_fail_at(0, 0);
                CHECK(count_files(".heddle") == 0, "left behind");
            }
            heddle_release(a);
            CHECK(heddle__alloc_live() == live, "%s %d: leak", dicts[i], (int)k);
        }
    }
    heddle_array *a = heddle_load("io_npy.npy"); /* is an error */
    CHECK(heddle_status_of(a) == HEDDLE_EFORMAT, "%s", heddle_error(a));
    heddle_release(a);
}
#endif

int main(int argc, char **argv)
{
    test_loads();
    test_fortran_3d();
    test_accepted();
    test_odd_bool();
    test_refused();
    test_bad_files();
    test_saves();
    test_save_errors();
    test_mutations(argc > 1 ? atoi(argv[1]) : 50000);
#if HEDDLE_TEST_ALONE
    test_no_memory();
    CHECK(blocks_left() == 0, "%d blocks live", (int)blocks_left());
#endif
    unlink("io_npy.npy");
    unlink("io_npy.out");
    return n_failures != 0;
}
