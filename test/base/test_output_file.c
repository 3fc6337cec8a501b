/* test_output_file.c - files that take their place when they are whole.
 *
 * Oracle: the folder, whose files are counted and read back.
 */
#include "base/output_file.h"
#include "test/temporary.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 512 };

/* Check runs each test in a process of its own, in the folder that this makes. */
static char folder[TEMPORARY_PATH];

static void enter_folder(void)
{
    temporary_folder(folder);
    ck_assert_int_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
    DIR *listing = opendir(".");
    ck_assert_ptr_nonnull(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (entry->d_name[0] != '.' && unlink(entry->d_name) != 0)
            rmdir(entry->d_name);
    closedir(listing);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

static int count_files(void)
{
    int files = 0;
    DIR *listing = opendir(".");
    ck_assert_ptr_nonnull(listing);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        files += entry->d_name[0] != '.';
    closedir(listing);
    return files;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void check_text(const char *name, const char *expected)
{
    char text[256] = "";
    FILE *file = fopen(name, "r");
    ck_assert_msg(file != NULL, "%s", name);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(text, expected);
}

/* The last words for the watch. */
static const char *watched;
static int told;

static void made(const char *name)
{
    ck_assert_ptr_null(watched);
    ck_assert_int_ne(access(name, F_OK), 0);
    watched = name;
    told++;
}

static void gone(const char *name)
{
    ck_assert_ptr_eq(watched, name);
    ck_assert_int_ne(access(name, F_OK), 0);
    watched = NULL;
}

/* Opens, writes the text, closes. */
static enum failure_kind put(const char *path, const char *text, bool keep, struct failure *failure)
{
    struct output_file output;
    *failure = (struct failure){0};
    output_file_set_watch(made, gone);
    if (output_file_open(&output, path, failure) != FAIL_NONE)
        return failure->kind;
    fputs(text, output.file);
    return output_file_close(&output, keep, failure);
}

/* A file is there when it is closed and not before, the old one until then; the watch knows of the
 * temporary one from before it is there until it is not. */
START_TEST(test_whole_or_old)
{
    struct output_file output;
    struct failure failure = {0};
    enter_folder();
    for (int i = 0; i < 2; i++) {
        output_file_set_watch(made, gone);
        ck_assert_int_eq(output_file_open(&output, "file", &failure), FAIL_NONE);
        fputs(i == 0 ? "one" : "two", output.file);
        fflush(output.file);
        ck_assert_ptr_nonnull(watched);
        ck_assert_int_eq(access(watched, F_OK), 0);
        if (i == 0)
            ck_assert_int_ne(access("file", F_OK), 0);
        else
            check_text("file", "one");
        ck_assert_int_eq(output_file_close(&output, true, &failure), FAIL_NONE);
        ck_assert(watched == NULL && told == i + 1);
        check_text("file", i == 0 ? "one" : "two");
        ck_assert_int_eq(count_files(), 1);
    }
    remove_folder();
}
END_TEST

/* The longest name that a file may have is not too long. */
START_TEST(test_longest_name)
{
    struct failure failure;
    char name[256] = "";
    enter_folder();
    memset(name, 'n', sizeof name - 1);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(put(name, "new", true, &failure) == FAIL_NONE, "%s", failure.text);
    check_text(name, "new");
    ck_assert_int_eq(count_files(), 1);
    remove_folder();
}
END_TEST

/* A file that is not to be kept leaves what was there, or nothing. */
START_TEST(test_not_kept)
{
    struct failure failure;
    enter_folder();
    ck_assert_int_eq(put("file", "new", false, &failure), FAIL_NONE);
    ck_assert_int_eq(count_files(), 0);
    write_file("file", "old");
    ck_assert_int_eq(put("file", "new", false, &failure), FAIL_NONE);
    ck_assert_int_eq(count_files(), 1);
    check_text("file", "old");
    ck_assert_ptr_null(watched);
    remove_folder();
}
END_TEST

/* A full disk, a missing folder, a folder for a file are failures of the system that name the file;
 * an old file stays as it was, and nothing else is left behind. */
START_TEST(test_failures)
{
    struct failure failure;
    char text[5001] = "";
    enter_folder();
    write_file("file", "old");
    ck_assert_int_eq(put("no/file", "new", true, &failure), FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, "cannot open no/file for writing: No such file"));
    ck_assert_int_eq(put(".", "new", true, &failure), FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, "cannot open . for writing: Is a directory"));

    struct rlimit old, small; /* a file that may not grow stands for a disk that is full */
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    memset(text, 'x', sizeof text - 1);
    enum failure_kind kind = put("file", text, true, &failure);
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert_int_eq(kind, FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, "cannot write file: "));
    ck_assert_int_eq(count_files(), 1);
    check_text("file", "old");
    ck_assert_ptr_null(watched);
    remove_folder();
}
END_TEST

/* A pipe is written as it is, and stays a pipe; a link stays a link to the new content; the mode of
 * an old file is kept. (A pipe of our own stands for all devices: a writer gone wrong would replace
 * the machine's.) */
START_TEST(test_pipes_links_and_modes)
{
    struct failure failure;
    struct stat entry;
    char text[16] = "";
    enter_folder();
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    int pipe_end = open("pipe", O_RDONLY | O_NONBLOCK);
    ck_assert_int_ge(pipe_end, 0);
    ck_assert_int_eq(put("pipe", "through", true, &failure), FAIL_NONE);
    ck_assert(lstat("pipe", &entry) == 0 && S_ISFIFO(entry.st_mode));
    ck_assert_int_eq(read(pipe_end, text, 7), 7);
    ck_assert_str_eq(text, "through");
    close(pipe_end);

    write_file("target", "old");
    chmod("target", 0640);
    ck_assert_int_eq(symlink("target", "link"), 0);
    ck_assert_int_eq(put("link", "new", true, &failure), FAIL_NONE);
    ck_assert(lstat("link", &entry) == 0 && S_ISLNK(entry.st_mode));
    ck_assert(stat("target", &entry) == 0 && (entry.st_mode & 0777) == 0640);
    check_text("target", "new");
    ck_assert_int_eq(symlink("nothing", "to_nothing"), 0);
    ck_assert_int_eq(put("to_nothing", "new", true, &failure), FAIL_NONE);
    ck_assert(lstat("to_nothing", &entry) == 0 && S_ISLNK(entry.st_mode));
    check_text("nothing", "new");
    ck_assert_int_eq(count_files(), 5);
    remove_folder();
}
END_TEST

static mode_t mode_of(const char *name)
{
    struct stat entry;
    ck_assert_int_eq(stat(name, &entry), 0);
    return entry.st_mode & 0777;
}

/* While it is written a file that replaces another is its owner's alone, and then has the old one's
 * mode and group; a new one is as open as the umask lets it be. */
START_TEST(test_never_more_open)
{
    static const mode_t MODES[] = {0600, 0640, 0644, 0400, 0666};
    struct output_file output;
    struct failure failure = {0};
    struct stat entry;
    enter_folder();
    umask(022);
    for (size_t i = 0; i <= sizeof MODES / sizeof *MODES; i++) {
        bool is_new = i == sizeof MODES / sizeof *MODES;
        mode_t mode = is_new ? 0644 : MODES[i];
        const char *name = is_new ? "new" : "file";
        if (!is_new) {
            write_file(name, "old");
            chmod(name, mode | 0200);
            (void)!chown(name, (uid_t)-1, 7); /* root's to do */
            mode |= 0200;
        }
        gid_t group = is_new || stat(name, &entry) != 0 ? getegid() : entry.st_gid;
        output_file_set_watch(made, gone);
        ck_assert_int_eq(output_file_open(&output, name, &failure), FAIL_NONE);
        ck_assert_uint_eq(mode_of(watched), is_new ? 0644 : 0600);
        fputs("new", output.file);
        fflush(output.file);
        ck_assert_uint_eq(mode_of(watched), is_new ? 0644 : 0600);
        ck_assert_int_eq(output_file_close(&output, true, &failure), FAIL_NONE);
        ck_assert_uint_eq(mode_of(name), mode);
        ck_assert_int_eq(stat(name, &entry), 0);
        ck_assert_uint_eq(entry.st_gid, group);
        unlink(name);
    }
    remove_folder();
}
END_TEST

/* A file of a run that cannot take its place keeps those that are closed after it from theirs: each
 * of these is as it was, old or not there. No temporary file stays. */
START_TEST(test_several)
{
    static const char *const NAMES[] = {"a", "b", "c"};
    enum { FILES = 3 };
    struct output_file output[FILES], *const all[] = {&output[0], &output[1], &output[2]};
    enter_folder();
    for (int bad = 0; bad <= FILES; bad++) {
        struct failure failure = {0};
        write_file("b", "old");
        for (int i = 0; i < FILES; i++) {
            ck_assert_int_eq(output_file_open(&output[i], NAMES[i], &failure), FAIL_NONE);
            fputs("new", output[i].file);
        }
        if (bad < FILES) { /* a folder comes where the file was to be */
            unlink(NAMES[bad]);
            ck_assert_int_eq(mkdir(NAMES[bad], 0700), 0);
        }
        enum failure_kind kind = output_files_close(all, FILES, true, &failure);
        ck_assert_int_eq(kind, bad < FILES ? FAIL_SYSTEM : FAIL_NONE);
        if (bad < FILES) {
            ck_assert_str_eq(failure.text + strlen("cannot write a"), ": Is a directory");
            ck_assert_int_eq(rmdir(NAMES[bad]), 0);
            ck_assert_int_eq(count_files(), bad == 2 ? 2 : 1);
            if (bad > 0)
                check_text("a", "new");
            if (bad != 1)
                check_text("b", bad == 0 ? "old" : "new");
        }
    }
    ck_assert_int_eq(count_files(), FILES);
    for (int i = 0; i < FILES; i++)
        check_text(NAMES[i], "new");
    remove_folder();
}
END_TEST

/* Two names of one file are told apart from two files, whether it is there or not. */
START_TEST(test_same_file)
{
    static const struct {
        const char *one, *other;
        bool same;
    } ROWS[] = {
        {"new", "./new", true}, {"new", "new2", false}, {"old", "./old", true},
        {"old", "link", true},  {"old", "old2", false}, {"./new", "../new", false},
        {"-", "-", false},      {"new", "old", false},  {"none/new", "none/new", false},
    };
    enter_folder();
    write_file("old", "");
    write_file("old2", "");
    ck_assert_int_eq(symlink("old", "link"), 0);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        ck_assert_msg(path_is_same_file(ROWS[i].one, ROWS[i].other) == ROWS[i].same, "row %zu", i);
    ck_assert(!path_is_same_file("/dev/null", "/dev/null"));
    ck_assert_int_eq(count_files(), 3);
    remove_folder();
}
END_TEST

void output_file_suite(TCase *tcase)
{
    tcase_add_test(tcase, test_whole_or_old);
    tcase_add_test(tcase, test_longest_name);
    tcase_add_test(tcase, test_not_kept);
    tcase_add_test(tcase, test_failures);
    tcase_add_test(tcase, test_pipes_links_and_modes);
    tcase_add_test(tcase, test_never_more_open);
    tcase_add_test(tcase, test_several);
    tcase_add_test(tcase, test_same_file);
}
