/* test_message_set_ranks.c - files that are read on several ranks: every rank gets the set of a
 * reader without ranks, or fails as it does.
 *
 * Oracle: set_file_read() without ranks.
 */
#include "test/ranks/ranks_case.h"
#include "test/ranks/ranks_threads.h"
#include "test/temporary.h"
#include "workloads/import.h"

#include <check.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#undef fail /* a macro of Check's */

/* The result of reading a file without ranks, and its failure. */
struct reading {
    const char *path;
    struct message_set alone;
    struct failure failure;
};

static enum failure_kind check_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    const struct reading *reading = context;
    const struct message_set *whole = &reading->alone;
    const struct byte_sharing sharing = ranks_sharing(ranks);
    struct message_set own;
    struct import_summary summary;
    struct failure refused = {0};
    enum failure_kind kind = set_file_read(&own, &summary, reading->path, &sharing, &refused);
    HOLDS(kind == reading->failure.kind && strcmp(refused.text, reading->failure.text) == 0);
    if (kind != FAIL_NONE)
        return FAIL_NONE;
    HOLDS(own.messages == whole->messages && own.deliveries == whole->deliveries);
    HOLDS(memcmp(own.source, whole->source, whole->messages * sizeof *whole->source) == 0);
    HOLDS(memcmp(own.destination, whole->destination,
                 whole->deliveries * sizeof *whole->destination) == 0);
    message_set_free(&own);
    return FAIL_NONE;
}

/* Reads the file on 1, 2, 3 and 5 ranks. */
static void check_reading(const char *path)
{
    static const uint32_t sizes[] = {1, 2, 3, 5};
    struct reading reading = {.path = path};
    struct import_summary summary;
    set_file_read(&reading.alone, &summary, path, NULL, &reading.failure);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= MOST_RANKS; i++) {
        struct failure failure = {0};
        ck_assert_msg(ranks_run_threads(sizes[i], check_rank, &reading, &failure) == FAIL_NONE,
                      "%u ranks, %s: %s", sizes[i], path, failure.text);
    }
    message_set_free(&reading.alone);
}

/* Every file that is wrong fails as without ranks, at every rank. */
START_TEST(bad_files)
{
    DIR *folder = opendir("test/bad");
    uint32_t files = 0;
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        if (strstr(entry->d_name, ".mcast") == NULL)
            continue;
        snprintf(path, sizeof path, "test/bad/%s", entry->d_name);
        check_reading(path);
        files++;
    }
    closedir(folder);
    ck_assert_uint_gt(files, 50);
    check_reading("test/bad/there_is_none");
    check_reading("test");
}
END_TEST

/* Only rank 0 reads the file, also one that is compressed, or cut off. */
START_TEST(files)
{
    char path[TEMPORARY_PATH];
    FILE *file = temporary_file(path);
    gzFile packed = gzdopen(dup(fileno(file)), "wb");
    gzprintf(packed, "mcast 1 200 10\n");
    for (uint32_t i = 0; i < 2000; i += 2)
        gzprintf(packed, "%u %u %u\n", 1999 - i, i, i / 2 * 2 + 1);
    ck_assert_int_eq(gzclose(packed), Z_OK);
    fclose(file);
    check_reading(path);
    ck_assert_int_eq(truncate(path, 1000), 0);
    check_reading(path);
    unlink(path);
}
END_TEST

void message_set_ranks_suite(TCase *tests)
{
    tcase_add_test(tests, bad_files);
    tcase_add_test(tests, files);
}
