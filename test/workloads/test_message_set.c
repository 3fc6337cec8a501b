/* test_message_set.c - the reader and writer of message sets. */
#include "test/temporary.h"
#include "workloads/message_set.h"

#include "test/sanitized.h"
#include "workloads/pattern.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_ROOM = 512 };

static char folder[TEMPORARY_PATH];

/* Reads the set of a file. */
static enum failure_kind read_path(struct message_set *set, const char *path,
                                   struct failure *failure)
{
    struct byte_source *source;
    *set = (struct message_set){0};
    enum failure_kind kind = byte_source_open(&source, path, failure);
    return kind == FAIL_NONE ? message_set_read_source(set, source, path, failure) : kind;
}

static void make_folder(void)
{
    temporary_folder(folder);
}

static void remove_folder(void)
{
    char path[PATH_ROOM];
    DIR *listing = opendir(folder);
    ck_assert_ptr_nonnull(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
            unlink(path);
        }
    closedir(listing);
    rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Writes the set to the folder's file "set". */
static void write_set(const struct message_set *set, const char *comment)
{
    FILE *file = fopen(in_folder("set"), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert(message_set_write(set, comment, file, NULL));
    ck_assert_int_eq(fclose(file), 0);
}

static enum failure_kind read_text(struct message_set *set, const char *text,
                                   struct failure *failure)
{
    memset(failure, 0, sizeof *failure);
    return message_set_read_memory(set, text, strlen(text), "text", failure);
}

static void check_equal(const struct message_set *a, const struct message_set *b)
{
    ck_assert(shape_equals(&a->shape, &b->shape));
    ck_assert_uint_eq(a->mesh.rows, b->mesh.rows);
    ck_assert_uint_eq(a->mesh.cols, b->mesh.cols);
    ck_assert_uint_eq(a->messages, b->messages);
    ck_assert_uint_eq(a->deliveries, b->deliveries);
    ck_assert_mem_eq(a->offset, b->offset, (a->messages + 1) * sizeof *a->offset);
    if (a->messages == 0)
        return; /* no array is there to compare */
    ck_assert_mem_eq(a->source, b->source, a->messages * sizeof *a->source);
    ck_assert_mem_eq(a->destination, b->destination, a->deliveries * sizeof *a->destination);
}

static struct message_set generate(const char *name, struct mesh mesh)
{
    struct pattern_options options = {.mesh = mesh, .seed = 3};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(pattern_generate(pattern_find(name), &options, &set, &failure), FAIL_NONE);
    return set;
}

/* Every malformed file of test/bad is refused with the line and the words of its table. */
START_TEST(malformed_sets_are_named)
{
    char row[1024], path[PATH_ROOM], place[PATH_ROOM + 32];
    int files = 0;
    FILE *table = fopen("test/bad/message_sets.txt", "r");
    ck_assert_ptr_nonnull(table);
    while (fgets(row, sizeof row, table) != NULL) {
        if (row[0] == '#')
            continue;
        char *file = strtok(row, "|"), *line = strtok(NULL, "|"), *words = strtok(NULL, "\n");
        ck_assert(file != NULL && line != NULL && words != NULL);
        file[strlen(file) - 1] = '\0';
        snprintf(path, sizeof path, "test/bad/%.400s", file);
        snprintf(place, sizeof place, "%s:%d: expected ", path, atoi(line));
        struct message_set set;
        struct failure failure = {0};
        ck_assert_msg(read_path(&set, path, &failure) == FAIL_INPUT, "%s taken", path);
        ck_assert_msg(strncmp(failure.text, place, strlen(place)) == 0, "%s, not %s", failure.text,
                      place);
        ck_assert_msg(strstr(failure.text, words + 1) != NULL, "%s, without %s", failure.text,
                      words + 1);
        ck_assert_ptr_null(set.destination);
        files++;
    }
    fclose(table);
    ck_assert_int_ge(files, 20);
}
END_TEST

/* Writes a set whose messages wait for one another in a chain, each with the largest start there
 * is. */
static void write_chain(uint32_t messages)
{
    FILE *file = fopen(in_folder("set"), "wb");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "mcast 3 mesh 1 2\n0@%" PRIu64 " 1\n", MESSAGE_SET_MAX_START);
    for (uint32_t i = 1; i < messages; i++)
        fprintf(file, "%u>%u@%" PRIu64 " %u\n", i % 2, i - 1, MESSAGE_SET_MAX_START, 1 - i % 2);
    fprintf(file, "end %u\n", messages);
    ck_assert_int_eq(fclose(file), 0);
}

/* Starts add up to at most 2^60. */
START_TEST(starts_that_are_too_large_in_all)
{
    struct message_set set;
    struct failure failure = {0};
    write_chain(4096);
    ck_assert_int_eq(read_path(&set, in_folder("set"), &failure), FAIL_NONE);
    ck_assert_uint_eq(set.start[4095], MESSAGE_SET_MAX_START);
    message_set_free(&set);
    write_chain(4097);
    ck_assert_int_eq(read_path(&set, in_folder("set"), &failure), FAIL_INPUT);
    ck_assert_ptr_nonnull(strstr(failure.text, "set:4098: expected starts that add up to at most "
                                               "1152921504606846976, found more"));
}
END_TEST

/* Blanks, tabs, comments, blank lines, CR LF and a last line without its end change nothing, and
 * messages and destinations in any order come out ascending. */
START_TEST(layout_and_order_are_free)
{
    static const char *const TEXTS[] = {
        "mcast 1 2 8\n1 2 15\n3 0 1\n", "# first\n\n  \t# second\nmcast 1 2 8\n1 2 15\n3 0 1",
        "mcast 1 2 8\r\n\r\n3 1 0\r\n1 15 2\r\n",
        "\tmcast  1\t2 8 # here\n 3\t1   0 # there\n#\n001 0015 2 \n   ",
        "mcast 1 2 8\r\n3 1 0\n1 15 2\r"};
    struct failure failure;
    struct message_set first, set;
    ck_assert_int_eq(read_text(&first, TEXTS[0], &failure), FAIL_NONE);
    ck_assert_uint_eq(first.source[0], 1);
    ck_assert_uint_eq(first.destination[1], 15);
    ck_assert_uint_eq(message_set_degree(&first), 2);
    ck_assert_uint_eq(message_set_congestion(&first), 1);
    for (int i = 1; i < 5; i++) {
        ck_assert_msg(read_text(&set, TEXTS[i], &failure) == FAIL_NONE, "%s", failure.text);
        check_equal(&first, &set);
        message_set_free(&set);
    }
    message_set_free(&first);
}
END_TEST

/* The empty set and the smallest mesh are sets; the largest mesh needs no room of its size. */
START_TEST(smallest_and_largest)
{
    struct message_set set;
    struct failure failure;
    ck_assert_int_eq(read_text(&set, "mcast 1 5 6\n", &failure), FAIL_NONE);
    ck_assert_uint_eq(set.messages, 0);
    ck_assert_uint_eq(set.offset[0], 0);
    ck_assert_uint_eq(message_set_degree(&set) + message_set_congestion(&set), 0);
    message_set_free(&set);
    ck_assert_int_eq(read_text(&set, "mcast 1 1 1\n0 0", &failure), FAIL_NONE);
    ck_assert_uint_eq(set.deliveries, 1);
    message_set_free(&set);

    struct rlimit old, small;
    getrlimit(RLIMIT_DATA, &old);
    small = old;
    small.rlim_cur = 64 << 20; /* one byte per node would be as much */
    if (!SANITIZED)
        setrlimit(RLIMIT_DATA, &small);
    enum failure_kind kind = read_text(&set, "mcast 1 8192 8192\n67108863 0 5\n", &failure);
    setrlimit(RLIMIT_DATA, &old);
    ck_assert_int_eq(kind, FAIL_NONE);
    ck_assert_uint_eq(set.source[0], 67108863);
    message_set_free(&set);
}
END_TEST

/* Written sets are read back the same, every pattern, with lines longer than any buffer. */
START_TEST(written_sets_read_back)
{
    static const struct mesh MESHES[] = {{1, 1}, {5, 9}, {160, 170}};
    if (pattern_at((uint32_t)_i)->needs)
        return;
    make_folder();
    for (int m = 0; m < 3; m++) {
        struct message_set set = generate(pattern_at((uint32_t)_i)->name, MESHES[m]), again;
        struct failure failure = {0};
        write_set(&set, "made\nby a test");
        ck_assert_int_eq(read_path(&again, in_folder("set"), &failure), FAIL_NONE);
        check_equal(&set, &again);
        message_set_free(&set);
        message_set_free(&again);
    }
    remove_folder();
}
END_TEST

/* The text of a set is exactly the format: header, comment, a line per message. */
START_TEST(text_is_exact)
{
    static const char EXPECTED[] = "mcast 1 2 8\n# a\n#\n# b\n1 2 15\n3 0 1\n";
    struct message_set set;
    struct failure failure;
    char text[256] = "";
    make_folder();
    ck_assert_int_eq(read_text(&set, "mcast 1 2 8\n3 1 0\n1 2 15\n", &failure), FAIL_NONE);
    write_set(&set, "a\n\nb\n");
    FILE *file = fopen(in_folder("set"), "rb");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(text, EXPECTED);
    message_set_free(&set);
    remove_folder();
}
END_TEST

/* Messages in reverse order, over several blocks of the reader, are sorted. */
START_TEST(reversed_file_is_sorted)
{
    struct message_set set = generate("uniform", (struct mesh){64, 64}), again;
    struct failure failure = {0};
    make_folder();
    FILE *file = fopen(in_folder("reversed"), "wb");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "mcast 1 64 64\n");
    for (uint32_t i = set.messages; i-- > 0;) {
        fprintf(file, "%u", set.source[i]);
        for (uint64_t j = set.offset[i + 1]; j-- > set.offset[i];)
            fprintf(file, " %u", set.destination[j]);
        fprintf(file, "\n");
    }
    fclose(file);
    ck_assert_int_eq(read_path(&again, in_folder("reversed"), &failure), FAIL_NONE);
    check_equal(&set, &again);
    message_set_free(&set);
    message_set_free(&again);
    remove_folder();
}
END_TEST

/* A set that cannot be written says so, and so does its stream. */
START_TEST(failed_writes_are_told)
{
    struct message_set set = generate("uniform", (struct mesh){64, 64});
    make_folder();
    FILE *file = fopen(in_folder("set"), "wb");
    ck_assert_ptr_nonnull(file);
    struct rlimit old, small; /* a file that may not grow stands for a disk that is full */
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool written = message_set_write(&set, NULL, file, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert(!written && ferror(file));
    fclose(file);
    message_set_free(&set);
    remove_folder();
}
END_TEST

/* A file that cannot be opened or read is a failure of the system that names the file. */
START_TEST(unreadable_files_are_named)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(read_path(&set, "test/bad/no such file", &failure), FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, "cannot open test/bad/no such file"));
    memset(&failure, 0, sizeof failure);
    ck_assert_int_eq(read_path(&set, "test/bad", &failure), FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, "cannot read test/bad"));
    message_set_free(&set);
}
END_TEST

/* Pairs in any order, some twice, make the set that the same messages as text make. */
START_TEST(pairs_make_a_set)
{
    const struct shape shape = shape_of_mesh((struct mesh){2, 4});
    static const node_index FROM[] = {5, 0, 5, 2, 5, 0, 5, 2}, TO[] = {3, 7, 1, 2, 3, 7, 3, 2};
    struct message_set set, expected;
    struct failure failure = {0};
    ck_assert_int_eq(read_text(&expected, "mcast 1 2 4\n0 7\n2 2\n5 1 3\n", &failure), FAIL_NONE);
    ck_assert_int_eq(message_set_from_pairs(&set, shape, 8, FROM, TO, &failure), FAIL_NONE);
    check_equal(&expected, &set);
    message_set_free(&set);
    ck_assert_int_eq(message_set_from_pairs(&set, shape, 0, FROM, TO, &failure), FAIL_NONE);
    ck_assert_uint_eq(set.messages, 0);
    message_set_free(&set);
    message_set_free(&expected);
}
END_TEST

/* More deliveries than a set can hold are refused before anything is allocated. */
START_TEST(too_many_deliveries_are_refused)
{
    struct message_set set;
    struct failure failure = {0};
    ck_assert_int_eq(message_set_allocate(&set, shape_of_mesh((struct mesh){8192, 8192}), 1,
                                          UINT32_MAX, &failure),
                     FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(failure.text, "at most 4294967294"));
    ck_assert_ptr_null(set.destination);
}
END_TEST

struct told {
    uint64_t times, last;
};

static void note_written(void *context, uint64_t deliveries)
{
    struct told *told = context;
    ck_assert_uint_gt(deliveries, told->last);
    told->last = deliveries;
    told->times++;
}

/* The watcher of a large set's writing is told its progress. */
START_TEST(writing_is_watched)
{
    struct message_set set;
    struct told told = {0, 0};
    struct message_set_watch watch = {note_written, &told};
    const uint32_t nodes = 200000;
    FILE *out = fopen("/dev/null", "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(
        message_set_allocate(&set, shape_of_mesh((struct mesh){400, 500}), nodes, nodes, NULL),
        FAIL_NONE);
    for (uint32_t i = 0; i < nodes; i++) {
        set.source[i] = set.destination[i] = i;
        set.offset[i] = i;
    }
    ck_assert(message_set_write(&set, NULL, out, &watch));
    ck_assert_uint_eq(told.times, 3);
    ck_assert_uint_eq(told.last, 3 * 65536);
    fclose(out);
    message_set_free(&set);
}
END_TEST

void message_set_suite(TCase *tests)
{
    tcase_add_test(tests, malformed_sets_are_named);
    tcase_add_test(tests, starts_that_are_too_large_in_all);
    tcase_add_test(tests, layout_and_order_are_free);
    tcase_add_test(tests, smallest_and_largest);
    tcase_add_loop_test(tests, written_sets_read_back, 0, (int)pattern_count());
    tcase_add_test(tests, text_is_exact);
    tcase_add_test(tests, reversed_file_is_sorted);
    tcase_add_test(tests, failed_writes_are_told);
    tcase_add_test(tests, unreadable_files_are_named);
    tcase_add_test(tests, pairs_make_a_set);
    tcase_add_test(tests, too_many_deliveries_are_refused);
    tcase_add_test(tests, writing_is_watched);
}
