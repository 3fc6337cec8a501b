/* test_byte_source.c - texts out of compressed files and archives.
 *
 * Oracle: the text that libarchive's writer was given. A damaged text gives a failure or that text.
 */
#include "base/byte_source.h"
#include "base/pcg.h"
#include "test/temporary.h"

#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_TEXT = 900000, SHORT_TEXT = 300, ROOM = 1 << 21 };

/* A name of a format that libarchive writes, and of a filter; NULL: none. */
struct packing {
    const char *format, *filter;
    bool has_checksum; /* of the text, wherever a byte is damaged */
};

static const struct packing PACKINGS[] = {
    {"raw", "gzip", true},    {"raw", "bzip2", true},   {"raw", "xz", true},
    {"raw", "zstd", false},   {"raw", "lz4", false},    {"zip", NULL, true},
    {"ustar", NULL, false},   {"pax", NULL, false},     {"gnutar", NULL, false},
    {"ustar", "gzip", true},  {"pax", "bzip2", true},   {"gnutar", "xz", true},
    {"ustar", "zstd", false}, {"gnutar", "lz4", false},
};

enum { PACKINGS_COUNT = sizeof PACKINGS / sizeof *PACKINGS };

/* A file that goes into an archive. */
struct member {
    const char *name, *text;
    size_t length;
    unsigned type; /* 0: AE_IFREG */
};

static char *make_text(size_t length)
{
    char *text = malloc(length + 32);
    size_t used = 0;
    struct pcg32 random = pcg32_seed(1, 2);
    while (used < length)
        used += (size_t)sprintf(text + used, "%u %u\n", pcg32_below(&random, 5000),
                                pcg32_below(&random, 5000));
    text[length] = '\0';
    return text;
}

static void *pack(const struct packing *packing, const struct member *members, int count,
                  size_t *size)
{
    unsigned char *bytes = malloc(ROOM);
    struct archive *archive = archive_write_new();
    ck_assert_int_eq(archive_write_set_format_by_name(archive, packing->format), ARCHIVE_OK);
    if (packing->filter != NULL)
        ck_assert_int_eq(archive_write_add_filter_by_name(archive, packing->filter), ARCHIVE_OK);
    archive_write_set_bytes_in_last_block(archive, 1);
    ck_assert_int_eq(archive_write_open_memory(archive, bytes, ROOM, size), ARCHIVE_OK);
    for (int i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new();
        unsigned type = members[i].type != 0 ? members[i].type : AE_IFREG;
        archive_entry_set_pathname(entry, members[i].name);
        archive_entry_set_filetype(entry, type);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, type == AE_IFREG ? (la_int64_t)members[i].length : 0);
        if (type == AE_IFLNK)
            archive_entry_set_symlink(entry, "a.mtx");
        ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
        if (type == AE_IFREG && members[i].length > 0)
            ck_assert_int_eq(archive_write_data(archive, members[i].text, members[i].length),
                             (la_ssize_t)members[i].length);
        archive_entry_free(entry);
    }
    ck_assert_int_eq(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    return bytes;
}

/* Reads the whole text of a source, which it closes. */
static enum failure_kind read_text(struct byte_source *source, char *text, size_t *length,
                                   struct failure *failure)
{
    enum failure_kind kind;
    size_t got;
    *length = 0;
    do {
        kind = byte_source_read(source, text + *length, ROOM - *length, &got, failure);
        *length += got;
    } while (kind == FAIL_NONE && got > 0);
    byte_source_close(source);
    return kind;
}

static enum failure_kind read_memory(const void *bytes, size_t size, char *text, size_t *length,
                                     struct failure *failure)
{
    struct byte_source *source;
    enum failure_kind kind = byte_source_open_memory(&source, bytes, size, "memory", failure);
    return kind != FAIL_NONE ? kind : read_text(source, text, length, failure);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Every packing, from memory, a file, and a pipe, gives the text; the name says which file it
 * was. */
START_TEST(test_text)
{
    const struct packing *packing = &PACKINGS[_i];
    char *text = make_text(LONG_TEXT), *read = malloc(ROOM);
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 8], command[2 * TEMPORARY_PATH];
    const struct member member = {"folder/a.mtx", text, LONG_TEXT, 0};
    size_t size = 0, length = 0;
    void *bytes = pack(packing, &member, 1, &size);
    temporary_folder(folder);
    snprintf(path, sizeof path, "%s/packed", folder);
    snprintf(command, sizeof command, "cat '%s'", path);
    write_file(path, bytes, size);
    for (int way = 0; way < 3; way++) {
        struct byte_source *source;
        struct failure failure = {0};
        FILE *pipe = way == 2 ? popen(command, "r") : NULL;
        if (way == 0)
            byte_source_open_memory(&source, bytes, size, "x", &failure);
        else if (way == 1)
            byte_source_open(&source, path, &failure);
        else
            byte_source_open_descriptor(&source, dup(fileno(pipe)), "x", &failure);
        ck_assert_msg(failure.kind == FAIL_NONE, "%s", failure.text);
        const char *end = strrchr(byte_source_name(source), ':');
        ck_assert_int_eq(end == NULL, strcmp(packing->format, "raw") == 0);
        ck_assert(end == NULL || strcmp(end, ":folder/a.mtx") == 0);
        ck_assert_msg(read_text(source, read, &length, &failure) == FAIL_NONE, "%s", failure.text);
        ck_assert_uint_eq(length, LONG_TEXT);
        ck_assert_int_eq(memcmp(read, text, length), 0);
        if (pipe != NULL)
            pclose(pipe);
    }
    unlink(path);
    rmdir(folder);
    free(bytes);
    free(text);
    free(read);
}
END_TEST

/* A file that is cut anywhere fails, or gives the text (where only the end of a tar is missing). */
START_TEST(test_cut)
{
    char *text = make_text(SHORT_TEXT), *read = malloc(ROOM);
    const struct member member = {"a.mtx", text, SHORT_TEXT, 0};
    size_t size = 0, length = 0;
    unsigned char *bytes = pack(&PACKINGS[_i], &member, 1, &size);
    bool is_tar =
        strstr("ustar pax gnutar", PACKINGS[_i].format) != NULL && PACKINGS[_i].filter == NULL;
    unsigned failed = 0;
    for (size_t cut = is_tar ? 512 : 6; cut < size; cut++) {
        struct failure failure = {0};
        enum failure_kind kind = read_memory(bytes, cut, read, &length, &failure);
        failed += kind != FAIL_NONE;
        if (kind != FAIL_NONE)
            ck_assert_msg(kind == FAIL_INPUT && strstr(failure.text, ": expected ") != NULL, "%s",
                          failure.text);
        else
            ck_assert_msg(length == SHORT_TEXT && memcmp(read, text, length) == 0,
                          "%zu of %zu: %zu bytes", cut, size, length);
    }
    ck_assert_uint_gt(failed, 100);
    free(bytes);
    free(text);
    free(read);
}
END_TEST

/* A damaged byte fails, or changes nothing of the text, wherever there is a checksum. */
START_TEST(test_damage)
{
    char *text = make_text(SHORT_TEXT), *read = malloc(ROOM);
    const struct member member = {"a.mtx", text, SHORT_TEXT, 0};
    size_t size = 0, length = 0;
    unsigned char *bytes = pack(&PACKINGS[_i], &member, 1, &size);
    for (size_t at = 10; at < size; at++) {
        struct failure failure = {0};
        bytes[at] ^= 0x10;
        enum failure_kind kind = read_memory(bytes, size, read, &length, &failure);
        bytes[at] ^= 0x10;
        ck_assert_msg(kind == FAIL_NONE || kind == FAIL_INPUT, "%s", failure.text);
        bool is_same = length == SHORT_TEXT && memcmp(read, text, length) == 0;
        ck_assert_msg(kind != FAIL_NONE || is_same || !PACKINGS[_i].has_checksum,
                      "%s %s: byte %zu of %zu", PACKINGS[_i].format, PACKINGS[_i].filter, at, size);
    }
    free(bytes);
    free(text);
    free(read);
}
END_TEST

static const struct member MEMBERS[] = {
    {"d", NULL, 0, AE_IFDIR},      {"d/a.mtx", "text a\n", 7, 0}, {"d/empty", "", 0, 0},
    {"d/README.txt", "r\n", 2, 0}, {"d/link", NULL, 0, AE_IFLNK}, {"d/._a.mtx", "h\n", 2, 0},
    {"d/tty", NULL, 0, AE_IFCHR},  {"__MACOSX/d/b", "m\n", 2, 0}, {"i.html", "p\n", 2, 0},
    {"./d/b\033.mtx", "b", 1, 0},
};

enum { MEMBERS_COUNT = sizeof MEMBERS / sizeof *MEMBERS };

/* Opens PATH or PATH:NAME and expects the text, or the failure. */
static void assert_opens(const char *path, const char *name, const char *expected, bool fails)
{
    char whole[2 * TEMPORARY_PATH], text[ROOM / 1024];
    struct byte_source *source;
    struct failure failure = {0};
    size_t length = 0;
    snprintf(whole, sizeof whole, "%s%s%s", path, name != NULL ? ":" : "",
             name != NULL ? name : "");
    enum failure_kind kind = byte_source_open(&source, whole, &failure);
    if (kind == FAIL_NONE) {
        byte_source_read(source, text, sizeof text, &length, &failure);
        byte_source_close(source);
    }
    if (fails) {
        ck_assert_msg(strstr(failure.text, expected) != NULL, "%s: want %s", failure.text,
                      expected);
    } else {
        ck_assert_msg(kind == FAIL_NONE, "%s", failure.text);
        ck_assert_uint_eq(length, strlen(expected));
        ck_assert_int_eq(memcmp(text, expected, length), 0);
    }
}

/* Each of several files is read by its name, and none without; entries without data of a file do
 * not count. */
START_TEST(test_members)
{
    static const struct packing packings[] = {
        {"ustar", NULL, false}, {"pax", "xz", false}, {"gnutar", "gzip", false}};
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 8], other[TEMPORARY_PATH + 16];
    size_t size = 0;
    temporary_folder(folder);
    snprintf(path, sizeof path, "%s/x", folder);
    void *bytes = pack(&packings[_i], MEMBERS, MEMBERS_COUNT, &size);
    write_file(path, bytes, size);
    assert_opens(path, NULL,
                 "expected one file in this archive, found 2: d/a.mtx, d/b?.mtx (FILE:MEMBER",
                 true);
    assert_opens(path, "d/a.mtx", "text a\n", false);
    assert_opens(path, "./d/a.mtx", "text a\n", false);
    assert_opens(path, "d/b\033.mtx", "b", false);
    assert_opens(path, "d/README.txt", "r\n", false);
    assert_opens(path, "d/empty", "", false);
    assert_opens(path, "d/link", "expected the file 'd/link' in this archive, found d/a.mtx", true);
    assert_opens(path, "a.mtx", "expected the file 'a.mtx' in this archive", true);
    snprintf(other, sizeof other, "%s:d", path);
    write_file(other, "own\n", 4);
    assert_opens(path, "d", "own\n", false);
    unlink(other);
    free(bytes);

    bytes = pack(&packings[_i], MEMBERS, MEMBERS_COUNT - 1, &size);
    write_file(path, bytes, size);
    assert_opens(path, NULL, "text a\n", false);
    free(bytes);
    bytes = pack(&packings[_i], MEMBERS, 1, &size);
    write_file(path, bytes, size);
    assert_opens(path, NULL, "expected a file in this archive, found none", true);
    free(bytes);
    write_file(path, "plain\n", 6);
    assert_opens(path, "b", "expected an archive with the file 'b', found none", true);
    unlink(path);
    assert_opens(path, "b", "cannot open ", true);
    rmdir(folder);
}
END_TEST

/* Text is read as it is, even if it resembles an archive. */
START_TEST(test_plain)
{
    static const char *const BEGINS[] = {"BZh9 1\n", "BZh\n",    "PK 3 4\n", "ustar\n",
                                         "#mtree\n", "070707\n", "LZIP\n",   "7z\n",
                                         "Rar!\n",   "MSCF\n",   "",         "x"};
    char *text = make_text(2000), *read = malloc(ROOM);
    size_t length;
    for (size_t i = 0; i < sizeof BEGINS / sizeof *BEGINS; i++) {
        char whole[3000];
        struct failure failure = {0};
        int size = snprintf(whole, sizeof whole, "%s%s", BEGINS[i], text);
        memcpy(whole + 257, "ustar", 5);
        if (i == 10)
            size = 0;
        ck_assert_int_eq(read_memory(whole, (size_t)size, read, &length, &failure), FAIL_NONE);
        ck_assert_uint_eq(length, (size_t)size);
        ck_assert_int_eq(memcmp(read, whole, length), 0);
    }
    free(text);
    free(read);
}
END_TEST

void byte_source_suite(TCase *test)
{
    tcase_add_loop_test(test, test_text, 0, PACKINGS_COUNT);
    tcase_add_loop_test(test, test_cut, 0, PACKINGS_COUNT);
    tcase_add_loop_test(test, test_damage, 0, PACKINGS_COUNT);
    tcase_add_loop_test(test, test_members, 0, 3);
    tcase_add_test(test, test_plain);
}
