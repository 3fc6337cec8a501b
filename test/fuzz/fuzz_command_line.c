/* fuzz_command_line.c - any words as a command line.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h) the words stand a
 * line each, the command first. Options and operands go through the command's own tables. A command
 * whose words are small and harmless is run, too: no number above MOST_NUMBER but a seed, no name
 * with a slash, since the files it may read and write are those of a scratch folder; not `sweep`
 * beyond its --dry-run, whose runs are processes of their own, nor `search` by seconds. gnuplot is
 * not to be found.
 *
 * For any words the command ends with a status: FAIL_USAGE or FAIL_INPUT with one printable line,
 * FAIL_SYSTEM only where a file or a call failed. What it prints with --json is JSON. Completion of
 * the same words offers lines that begin as the last word does. The folder holds what it held and
 * files that were named, none of them temporary.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "cli/command.h"
#include "lab/lab.h"
#include "test/fuzz/faults.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MOST_WORDS = 24, MOST_WORD = 400, MOST_NUMBER = 9, MOST_OPTIONS = 1 << 20 };

static struct {
    int home, scratch; /* folders; scratch 0: not yet made */
    char name[4096];
    FILE *null; /* stderr while a command runs */
} here;

/* The files that are there before each command. */
static const struct {
    const char *name, *text;
} files[] = {
    {"set", "mcast 1 2 3\n0 1 5\n4 0\n5 2 3\n"},
    {"m.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 2\n3 1\n1 3\n"},
    {"e.txt", "0 1\n1 2\n2 0\n"},
    {"g", "expander 1 permutation 4 2 1\n3\n0\n2\n1\n"},
    {"t", "meshcast-trace 1 2 3 copy=unit buffer=none\n0 I 4 0 4\n1 X 0 1\n"},
    {"db", "no database"},
    {"p", "expander 1 permutation 16 4 1\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n15\n14\n"},
    {"l", "expander 1 list 3 2 1\n0\n1\n1\n"},
    {"code", "expander 1 rs 16 2 4 2\n"},
    {"m", "mcast 2 mesh 2 3\n0 1 5\n0 4\nend 2\n"},
    {"v", "mcast 2 torus 2 3 2\n0:3 1 11\n0 7\n5 5 6\nend 3\n"},
    {"y", "mcast 2 graph 3\n0 1 2\n0:4 2\n"}, /* of e.txt */
};
enum { FILES = sizeof files / sizeof files[0] };

/* ---- the folder ---- */

static void write_files(void)
{
    for (int i = 0; i < FILES; i++) {
        FILE *file = fopen(files[i].name, "wb");
        fuzz_require(file != NULL);
        fputs(files[i].text, file);
        fclose(file);
    }
    /* "w": 8 x 8 nodes, c = 4, so that no router takes another's place */
    FILE *file = fopen("w", "wb");
    fuzz_require(file != NULL);
    fputs("mcast 1 8 8\n", file);
    for (int i = 0; i < 64; i++)
        fprintf(file, "%d %d %d %d %d\n", i, i * 5 % 64, (i * 5 + 9) % 64, (i * 5 + 27) % 64,
                (i * 5 + 40) % 64);
    fclose(file);
}

/* Removes all that is there. */
static void clear_folder(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    fuzz_require(folder != NULL);
    while ((entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            fuzz_require(strstr(entry->d_name, ".tmp") == NULL);
            unlink(entry->d_name);
        }
    closedir(folder);
}

static void remove_scratch(void)
{
    fuzz_require(fchdir(here.scratch) == 0);
    clear_folder();
    fuzz_require(fchdir(here.home) == 0);
    rmdir(here.name);
}

static void prepare(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(here.name, sizeof here.name, "%s/fuzz-command-XXXXXX",
             temporary == NULL ? "/tmp" : temporary);
    here.home = open(".", O_RDONLY);
    fuzz_require(here.home >= 0 && mkdtemp(here.name) != NULL);
    here.scratch = open(here.name, O_RDONLY);
    fuzz_require(here.scratch >= 0);
    atexit(remove_scratch);
    here.null = fopen("/dev/null", "w");
    fuzz_require(here.null != NULL);
    setenv("PATH", "", 1);
    sqlite3_initialize();
    lab_begin(NULL);
}

/* ---- the words ---- */

struct line {
    char text[MOST_WORDS][MOST_WORD + 1];
    char *word[MOST_WORDS + 1];
    int words;
};

static void read_line(struct line *line, const uint8_t *bytes, size_t length)
{
    line->words = 0;
    for (size_t at = 0; at <= length && line->words < MOST_WORDS; line->words++) {
        size_t size = 0;
        while (at + size < length && bytes[at + size] != '\n' && bytes[at + size] != '\0')
            size++;
        size_t kept = size < MOST_WORD ? size : MOST_WORD;
        memcpy(line->text[line->words], bytes + at, kept);
        line->text[line->words][kept] = '\0';
        line->word[line->words] = line->text[line->words];
        at += size + 1;
    }
}

static bool has_large_number(const char *word)
{
    for (; *word != '\0'; word++) {
        unsigned long number = 0;
        for (; *word >= '0' && *word <= '9' && number <= MOST_NUMBER; word++)
            number = 10 * number + (unsigned long)(*word - '0');
        if (number > MOST_NUMBER)
            return true;
        if (*word == '\0')
            break;
    }
    return false;
}

/* A slash that leads nowhere. */
static bool is_share(const char *word)
{
    size_t length = strlen(word);
    const char *end = length < 3 ? word : word + length - 3;
    bool is_one = strcmp(end, "1/8") == 0 || strcmp(end, "1/4") == 0 || strcmp(end, "1/2") == 0;
    return is_one && strchr(word, '/') == end + 1;
}

/* A topology of more than three sizes, which may have many nodes. */
static bool is_large_topology(const char *word)
{
    int sizes = 1;
    for (const char *at = strchr(word, ':'); at != NULL && *at != '\0'; at++)
        sizes += *at == 'x';
    return sizes > 3;
}

/* Commands that are not quick, and the option that makes them so. */
static const char *const bounds[][2] = {{"sweep", "--dry-run"}, {"search", "--tries"}};

static bool is_bounded(const struct line *line)
{
    const char *option = NULL;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (strcmp(line->word[0], bounds[i][0]) == 0)
            option = bounds[i][1];
    bool is_bounded = option == NULL;
    for (int i = 1; i < line->words; i++)
        is_bounded |= option != NULL && strncmp(line->word[i], option, strlen(option)) == 0;
    return is_bounded;
}

/* True if the command may be run: it is quick then, and stays in its folder. */
static bool is_harmless(const struct line *line)
{
    for (int i = 1; i < line->words; i++) {
        const char *word = line->word[i];
        if ((strchr(word, '/') != NULL && !is_share(word)) || strstr(word, "..") != NULL ||
            has_large_number(word) || is_large_topology(word) || strstr(word, ".tmp") != NULL)
            return false;
    }
    return is_bounded(line);
}

/* ---- the command ---- */

/* Reads the words and runs the command, as main() does. */
static enum failure_kind run_words(const struct command *command, struct line *line,
                                   struct operands *operands, struct failure *failure)
{
    static _Alignas(max_align_t) unsigned char options[MOST_OPTIONS];
    bool may_run = is_harmless(line); /* before lists are cut at their commas */
    const struct meshcast_command_row *row = command_row(command);
    fuzz_require(command_options_size(command) <= sizeof options);
    memset(options, 0, command_options_size(command));
    if (command_line_read(line->words - 1, line->word + 1, command, options, operands, failure) !=
        FAIL_NONE)
        return failure->kind;
    fuzz_require(operands->count < line->words);
    command_flag_is_set(command, options, "quiet");
    if (operands->help == HELP_SUMMARY)
        command_print_summary(command, stdout);
    else if (operands->help == HELP_FULL)
        command_print_help(command, stdout);
    else if (may_run && operands->count >= row->least && operands->count <= row->most)
        (command->run == NULL ? client_run : command->run)(options, operands, failure);
    return failure->kind;
}

static enum failure_kind run(const struct command *command, struct line *line,
                             struct failure *failure)
{
    struct operands operands = {.command = NULL};
    if (command->row == NULL) {
        operands.command = meshcast_command_new(command->name, NULL);
        if (operands.command == NULL)
            return fail_memory(failure, "a command");
        meshcast_command_set_program(operands.command, NULL, NULL);
    }
    run_words(command, line, &operands, failure);
    meshcast_command_free(operands.command);
    return failure->kind;
}

static bool is_given(const struct line *line, const char *option)
{
    for (int i = 1; i < line->words; i++)
        if (strcmp(line->word[i], option) == 0)
            return true;
    return false;
}

static void check_failure(const struct failure *failure)
{
    fuzz_require(*failure->text != '\0' && failure->kind < FAIL_VOID);
    for (const char *c = failure->text; *c != '\0'; c++)
        fuzz_require(*c >= ' ' && *c <= '~');
}

/* Each line offered goes on from what has begun, or is one of FILE. */
static void check_completion(struct line *line)
{
    size_t size;
    struct failure failure = {0};
    const char *begun = line->word[line->words - 1];
    fuzz_capture();
    bool describe = line->words % 2 == 0; /* its only option */
    struct operands operands = {.operand = line->word, .count = line->words};
    command_complete_run(&describe, &operands, &failure);
    char *text = fuzz_captured(&size);
    for (const char *at = text; strchr(begun, '\n') == NULL && *at != '\0';) {
        size_t length = strcspn(at, "\n");
        fuzz_require(at[length] == '\n');
        fuzz_require(strncmp(at, "FILE", 4) == 0 || strncmp(at, begun, strlen(begun)) == 0);
        at += length + 1;
    }
    free(text);
}

static void run_line(struct line *line)
{
    struct failure failure = {0};
    const struct command *command = command_find(line->word[0]);
    size_t size;
    if (command == NULL) {
        fail_unknown_name(&failure, &command_names, line->word[0]);
        fuzz_end();
        check_failure(&failure);
        return;
    }
    bool is_json = is_given(line, "--json");
    FILE *usual = stderr;
    fuzz_capture();
    stderr = here.null;
    enum failure_kind kind = run(command, line, &failure);
    stderr = usual;
    bool has_struck = fuzz_end();
    char *text = fuzz_captured(&size);
    fuzz_require(kind == failure.kind);
    if (kind != FAIL_NONE)
        check_failure(&failure);
    else if (is_json && *text == '{' && !has_struck) {
        json_t *value = json_loads(text, 0, NULL);
        fuzz_require(value != NULL);
        json_decref(value);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct line line, again;
    unsigned flags;
    if (here.scratch == 0)
        prepare();
    if (!fuzz_begin(&bytes, &length, &flags))
        return 0;
    read_line(&line, bytes, length);
    read_line(&again, bytes, length); /* the first is written to */
    fuzz_require(fchdir(here.scratch) == 0);
    write_files();
    check_completion(&again);
    fuzz_serve("served", files[0].text, strlen(files[0].text), 0);
    run_line(&line);
    clear_folder();
    fuzz_require(fchdir(here.home) == 0);
    return 0;
}
