/* heddle_load_npz and heddle_npz_names: stored, deflated and zip64 members; damaged archives;
 * mutated files; failing allocations; nothing leaks. Argument: how many mutations. */
#include "files.h"

#include <string.h>
#include <unistd.h>

#if HEDDLE_TEST_ALONE
#include "blocks_left.h"
#endif

static struct zip_maker zip;
static struct bytes member;
static const char path[] = "io_npz.npz";

static void start(void)
{
    zip.file.n = zip.directory.n = 0;
    zip.n_entries = 0;
}

static void finish(int flags)
{
    zip_finish(&zip, flags);
    write_file(path, zip.file.data, zip.file.n);
}

/* An int32 vector `first`, first + 1, ... of n elements, as a member. */
static void add_vector(const char *name, int first, int n, int flags)
{
    int32_t data[4096];
    char dict[80];
    for (int i = 0; i < n; i++) data[i] = first + i;
    snprintf(dict, sizeof dict, "{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }", n);
    npy_bytes(&member, 1, dict, data, (size_t)n * 4);
    zip_add(&zip, name, member.data, member.n, flags);
}

static void check_vector(const char *name, int first, int n)
{
    int32_t got[4096] = {0};
    heddle_array *a = heddle_load_npz(path, name);
    CHECK(heddle_status_of(a) == HEDDLE_OK, "%s: %s", name, heddle_error(a));
    CHECK(heddle_read(a, got, n * 4) == HEDDLE_OK, "%s: %s", name, heddle_error(a));
    for (int i = 0; i < n; i++) CHECK(got[i] == first + i, "%s[%d] = %d", name, i, got[i]);
    heddle_release(a);
}

static void check_error(const char *name, enum heddle_status code, const char *says)
{
    heddle_array *a = heddle_load_npz(path, name);
    CHECK(heddle_status_of(a) == code && strstr(heddle_error(a), says), "%d: %s",
          heddle_status_of(a), heddle_error(a));
    CHECK(strstr(heddle_error(a), "heddle_load_npz: "), "%s", heddle_error(a));
    heddle_release(a);
}

static void test_members(void)
{
    for (int wide = 0; wide <= ZIP_64; wide += ZIP_64) {
        start();
        add_vector("a.npy", 0, 10, wide);
        add_vector("b.npy", 100, 4000, ZIP_DEFLATE | wide);
        zip_add(&zip, "notes.txt", "hello", 5, wide);
        add_vector("c.npy", 7, 0, ZIP_DEFLATE | wide);
        add_vector("a.npy.npy", 50, 3, wide);
        add_vector("b.npy", 200, 4000, ZIP_DEFLATE | wide); /* the last of a name counts */
        finish(wide);
        check_vector("a", 0, 10);
        check_vector("a.npy", 0, 10);
        check_vector("a.npy.npy", 50, 3);
        check_vector("b", 200, 4000);
        check_vector("c", 7, 0);
        check_error("d", HEDDLE_ENAME, "no member 'd'; there are: a, b, c, a.npy, b");
        check_error("notes.txt", HEDDLE_ENAME, "no member");
        check_error("", HEDDLE_ENAME, "no member");

        int n = -1;
        char **names = NULL;
        static const char *const wanted[] = {"a", "b", "c", "a.npy", "b"};
        CHECK(heddle_npz_names(path, &n, &names) == HEDDLE_OK, "%s", heddle_last_error());
        CHECK(n == 5, "%d names", n);
        for (int i = 0; i < n && i < 5; i++) CHECK(!strcmp(names[i], wanted[i]), "%s", names[i]);
        heddle_free(names);
    }
}

static void test_empty_and_shifted(void)
{
    int n = -1;
    char **names = NULL;
    start();
    finish(0);
    CHECK(heddle_npz_names(path, &n, &names) == HEDDLE_OK && n == 0, "%s", heddle_last_error());
    heddle_free(names);
    check_error("a", HEDDLE_ENAME, "no member 'a'");

    /* bytes before the archive, and a comment after it */
    start();
    add_vector("a.npy", 3, 5, ZIP_DEFLATE);
    zip_finish(&zip, 0);
    static struct bytes shifted;
    shifted.n = 0;
    put_text(&shifted, "#!/bin/sh\n");
    put(&shifted, zip.file.data, zip.file.n);
    shifted.data[shifted.n - 2] = 7;
    put_text(&shifted, "comment");
    write_file(path, shifted.data, shifted.n);
    check_vector("a", 3, 5);
}

static void test_damage(void)
{
    start();
    add_vector("a.npy", 0, 10, ZIP_BAD_CRC);
    add_vector("b.npy", 0, 10, ZIP_BAD_CRC | ZIP_DEFLATE);
    zip_add(&zip, "c.npy", "text", 4, 0);
    finish(0);
    check_error("a", HEDDLE_EFORMAT, "CRC");
    check_error("b", HEDDLE_EFORMAT, "CRC");
    check_error("c", HEDDLE_EFORMAT, "member 'c': byte 0: not a .npy file");

    /* every truncation is an error */
    const size_t whole = zip.file.n;
    for (size_t n = 0; n < whole; n++) {
        write_file(path, zip.file.data, n);
        check_error("a", HEDDLE_EFORMAT, "byte ");
    }

    /* sizes that lie: entry says 3 GB stored or deflated, or another length */
    static const struct {
        size_t at; /* in the directory entry */
        uint64_t value;
        const char *says;
    } lies[] = {{20, 3000000000U, "goes past the end"},
                {24, 3000000000U, "cannot become"},
                {24, 5000, "not of 5000 bytes"},
                {24, 10, "not of 10 bytes"},
                {20, 5, "damaged"},
                {42, 3000000000U, "outside the file"},
                {42, 1, "no member"},
                {10, 12, "method 12"},
                {28, 60000, "past the end"},
                {30, 60000, "past the end"}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        start();
        add_vector("a.npy", 0, 1000, ZIP_DEFLATE);
        for (int b = 0; b < (lies[i].at == 10 || lies[i].at >= 28 ? 2 : 4); b++)
            if (lies[i].at != 42 || b < 4)
                zip.directory.data[lies[i].at + (size_t)b] =
                    (unsigned char)(lies[i].value >> (8 * b));
        if (lies[i].at == 42)
            for (int b = 2; b < 4; b++)
                zip.directory.data[42 + b] = (unsigned char)(lies[i].value >> (8 * b));
        finish(0);
        heddle_array *a = heddle_load_npz(path, "a");
        CHECK(heddle_status_of(a) != HEDDLE_OK && strstr(heddle_error(a), lies[i].says),
              "lie %zu: %s", i, heddle_error(a));
        heddle_release(a);
    }

    heddle_array *a = heddle_load_npz("io_npz.missing", "a");
    CHECK(heddle_status_of(a) == HEDDLE_EIO, "%s", heddle_error(a));
    heddle_release(a);
    a = heddle_load_npz(path, NULL);
    CHECK(heddle_status_of(a) == HEDDLE_EARG, "%s", heddle_error(a));
    heddle_release(a);
    int n = 42;
    char **names = NULL;
    CHECK(heddle_npz_names("io_npz.missing", &n, &names) == HEDDLE_EIO, "missing");
    CHECK(heddle_npz_names(NULL, &n, &names) == HEDDLE_EARG, "NULL");
    CHECK(n == 42 && !names, "outputs changed");
}

/* A member that inflates beyond the limit of memory is refused before it is inflated. */
static void test_limit(void)
{
    enum { LARGE = 48 << 20, HEADER = 128 };
    unsigned char *large = calloc(1, HEADER + LARGE);
    if (!large) exit(1);
    npy_bytes(&member, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (50331648,), }", "",
              0);
    memcpy(large, member.data, member.n);
    start();
    zip_add(&zip, "large.npy", large, member.n + LARGE, ZIP_DEFLATE);
    add_vector("small.npy", 5, 10, ZIP_DEFLATE);
    finish(0);
    free(large);
    CHECK(heddle_configure(&(struct heddle_config){.cpu_memory_bytes = 16 << 20}) == HEDDLE_OK,
          "%s", heddle_last_error());
    check_error("large", HEDDLE_ENOMEM, "member of 50.3 MB, and there is memory for 16.8 MB");
    check_vector("small", 5, 10);
    CHECK(heddle_configure(NULL) == HEDDLE_OK, "%s", heddle_last_error());
    heddle_array *a = heddle_load_npz(path, "large");
    CHECK(heddle_status_of(a) == HEDDLE_OK && heddle_nbytes(a) == LARGE, "%s", heddle_error(a));
    heddle_release(a);
}

static void test_mutations(int n)
{
    static struct bytes good[3], bad;
    for (int i = 0; i < 3; i++) {
        start();
        add_vector("a.npy", 0, 30, i == 1 ? 0 : ZIP_DEFLATE | (i == 2 ? ZIP_64 : 0));
        add_vector("b.npy", 0, 3, i == 1 ? ZIP_DEFLATE : 0);
        zip_finish(&zip, i == 2 ? ZIP_64 : 0);
        good[i] = zip.file;
    }
    int n_valid = 0;
    for (int i = 0; i < n; i++) {
        bad = good[i % 3];
        mutate(&bad);
        const char *mutated = memory_file(&bad);
        heddle_array *a = heddle_load_npz(mutated, i % 2 ? "a" : "b");
        n_valid += heddle_status_of(a) == HEDDLE_OK;
        check_any(a);
        heddle_release(a);
        char **names = NULL;
        int n_names = -1;
        if (heddle_npz_names(mutated, &n_names, &names) == HEDDLE_OK)
            CHECK(n_names >= 0, "%d names", n_names);
        else
            CHECK(!names && n_names == -1, "outputs changed");
        heddle_free(names);
    }
    printf("%d mutations, %d of them valid\n", n, n_valid);
}

#if HEDDLE_TEST_ALONE
static void test_no_memory(void)
{
    start();
    add_vector("a.npy", 0, 10, ZIP_DEFLATE);
    add_vector("b.npy", 0, 10, 0);
    finish(0);
    for (int64_t k = 1, failed = 1; failed && k < 100; k++) {
        const int64_t live = heddle__alloc_live();
        int64_t calls = heddle__alloc_calls();
        heddle__alloc_fail_at(k, 0);
        heddle_array *a = heddle_load_npz(path, k % 2 ? "a" : "b");
        failed = heddle__alloc_calls() - calls >= k;
        heddle__alloc_fail_at(0, 0);
        CHECK(heddle_status_of(a) == (failed ? HEDDLE_ENOMEM : HEDDLE_OK), "%d: %s", (int)k,
              heddle_error(a));
        heddle_release(a);

        int n = -1;
        char **names = NULL;
        calls = heddle__alloc_calls();
        heddle__alloc_fail_at(k, 0);
        const enum heddle_status status = heddle_npz_names(path, &n, &names);
        const bool names_failed = heddle__alloc_calls() - calls >= k;
        heddle__alloc_fail_at(0, 0);
        CHECK(status == (names_failed ? HEDDLE_ENOMEM : HEDDLE_OK), "%s", heddle_last_error());
        heddle_free(names);
        CHECK(heddle__alloc_live() == live, "%d: leak", (int)k);
    }
}
#endif

int main(int argc, char **argv)
{
    test_members();
    test_empty_and_shifted();
    test_damage();
    test_limit();
    test_mutations(argc > 1 ? atoi(argv[1]) : 50000);
#if HEDDLE_TEST_ALONE
    test_no_memory();
    CHECK(blocks_left() == 0, "%d blocks live", (int)blocks_left());
#endif
    unlink(path);
    return n_failures != 0;
}
