/* Proves that a whole file is read as it was written, and that a damaged one, or what is no file, is as if
 * it were not there, and can be replaced. */
#include "base/memory.h"
#include "base/whole_file.h"
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/heddle-test-XXXXXX", path[64];

/* Replaces the file with some bytes. */
static void put(const char *data, size_t n)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fwrite(data, 1, n, file) == n);
    if (file) fclose(file);
}

/* Whether the file reads as this text. */
static bool reads(const char *kind, const char *text)
{
    size_t n = 0;
    char *data = heddle__whole_file_read(path, kind, &n);
    const bool same = data && text && n == strlen(text) && !memcmp(data, text, n + 1);
    heddle__free(data);
    return text ? same : !data;
}

static int n_entries(void)
{
    int n = 0;
    DIR *dir = opendir(folder);
    while (dir && readdir(dir)) n++;
    if (dir) closedir(dir);
    return n - 2;
}

static void test_damage(void)
{
    static const char text[] = "one line\nanother\n";
    char raw[256], changed[256];
    CHECK(reads("words", NULL));
    CHECK(heddle__whole_file_write(path, "words", text, strlen(text)));
    CHECK(reads("words", text));
    CHECK(reads("numbers", NULL));
    FILE *file = fopen(path, "r");
    const size_t n = file ? fread(raw, 1, sizeof raw, file) : 0;
    if (file) fclose(file);
    CHECK(n > strlen(text) && n < sizeof raw);
    for (size_t cut = 0; cut < n; cut++) {
        put(raw, cut);
        CHECK(reads("words", NULL), "cut off at %zu", cut);
    }
    for (size_t at = 0; at < n; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(changed, raw, n);
            changed[at] ^= (char)(1 << bit);
            put(changed, n);
            CHECK(reads("words", NULL), "bit %d of byte %zu", bit, at);
        }
    memcpy(changed, raw, n);
    changed[n] = 'x';
    put(changed, n + 1);
    CHECK(reads("words", NULL));
    CHECK(heddle__whole_file_write(path, "words", "", 0));
    CHECK(reads("words", ""));
    CHECK_EQ(n_entries(), 1);
}

/* What cannot be written leaves nothing behind, and what was there stays. */
static void test_no_room(void)
{
    struct rlimit limit, small;
    CHECK(heddle__whole_file_write(path, "words", "kept", 4));
    CHECK(!heddle__whole_file_write("/proc/nothing/here", "words", "x", 1));
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 16;
    setrlimit(RLIMIT_FSIZE, &small); /* a larger file would be SIGXFSZ */
    CHECK(!heddle__whole_file_write(path, "words", "another text", 12));
    CHECK(!heddle__file_size_allowed(17) && heddle__file_size_allowed(16));
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK(reads("words", "kept"));
    remove(path);
    mkdir(path, 0700); /* a folder stands in its place */
    CHECK(reads("words", NULL));
    CHECK(!heddle__whole_file_write(path, "words", "x", 1));
    CHECK_EQ(n_entries(), 1);
    for (int k = 1; k < 4; k++) { /* no memory */
        heddle__alloc_fail_at(k, 0);
        CHECK(reads("words", NULL));
    }
    heddle__alloc_fail_at(0, 0);
    rmdir(path);
}

int main(void)
{
    const int64_t before = heddle__alloc_live();
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    test_damage();
    test_no_room();
    rmdir(folder);
    CHECK_EQ(heddle__alloc_live(), before);
    return check_done();
}
