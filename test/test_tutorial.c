/* test_tutorial.c - the commands of README.md and pages of doc/ are run, and their output must be
 * the one on the page. `make quotes` makes that output.
 *
 * Method: the commands are the blocks fenced with ```sh, run one after the other in one folder,
 * each in a shell of its own that stops at the first failure. A plain fenced block that follows is
 * their output, standard error included. Times are masked: lines of wall time, and a line's last
 * word with three decimals. Indented commands (the build, and the way into a folder) are not run.
 */
#include "test/program_run.h"

#include <check.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *path, *pictures; /* pictures of its commands */
    int least_blocks;
} PAGES[] = {
    {"README.md", "", 5},
    {"doc/tutorial.md", "heatmap.svg\nsteps.svg\ntimeline.svg\n", 6},
    {"doc/tutorial-load.md", "latency.svg\n", 4},
    {"doc/tutorial-experts.md", "", 5},
    {"doc/model.md", "", 2},
    {"doc/workloads.md", "buffers.svg\n", 6},
    {"doc/broken.md", "", 1},
    {"doc/results.md", "", 2},
    {"doc/trees.md", "", 1},
    {"doc/worst.md", "", 1},
    {"doc/place.md", "", 1},
    {"doc/reduce.md", "", 1},
    {"doc/expanders.md", "", 1},
    {"doc/paper.md", "", 1},
    {"doc/replicate.md", "", 1},
};

enum { BLOCK_SIZE = 16384, LINE_SIZE = 1024 };

/* Commands, and their output on the page: nothing if `is_shown` is false. */
struct block {
    char commands[BLOCK_SIZE], output[BLOCK_SIZE];
    const char *page;
    int line; /* of the first command */
    bool is_shown;
};

/* Reads lines up to the closing fence into `text`; returns their number, the fence included. */
static int read_fenced(FILE *page, char text[BLOCK_SIZE])
{
    char line[LINE_SIZE];
    size_t used = 0;
    int lines = 0;
    while (fgets(line, sizeof line, page) != NULL) {
        lines++;
        if (strcmp(line, "```\n") == 0)
            return lines;
        ck_assert(used + strlen(line) < BLOCK_SIZE);
        strcpy(text + used, line);
        used += strlen(line);
    }
    ck_abort_msg("a block has no end: %s", text);
    return lines;
}

/* The next commands, and their output if it follows before other commands; *line counts lines.
 * False at the end of the page. */
static bool next_block(FILE *page, int *line, struct block *block)
{
    char text[LINE_SIZE];
    memset(block, 0, sizeof *block);
    for (;;) {
        long here = ftell(page);
        if (fgets(text, sizeof text, page) == NULL)
            return block->line > 0;
        if (strcmp(text, "```sh\n") == 0 && block->line > 0) {
            fseek(page, here, SEEK_SET); /* the commands of the next block */
            return true;
        }
        ++*line;
        if (strcmp(text, "```sh\n") == 0) {
            block->line = *line + 1;
            *line += read_fenced(page, block->commands);
        } else if (strcmp(text, "```\n") == 0) {
            ck_assert_msg(block->line > 0, "line %d: an output without commands", *line);
            block->is_shown = true;
            *line += read_fenced(page, block->output);
            return true;
        }
    }
}

/* True if a word is a number with three decimals, as times are. */
static bool is_time(const char *word)
{
    size_t whole = strspn(word, "0123456789");
    const char *decimals = word + whole + 1;
    return whole > 0 && word[whole] == '.' && strspn(decimals, "0123456789") == 3 &&
           (decimals[3] == '\0' || isspace((unsigned char)decimals[3]));
}

/* Cuts times, and numbers that depend on the cores, out of a line. */
static void mask(char *line)
{
    char *word = strstr(line, "wall time");
    if (word != NULL) {
        strcpy(word, "wall time");
        return;
    }
    for (word = line + strlen(line); word > line && !(word[-1] == ' ' && is_time(word)); word--)
        continue;
    if (word > line) {
        char *end = word + strcspn(word, " \n");
        while (word > line && word[-1] == ' ') /* a column is filled up with blanks */
            word--;
        memmove(word, end, strlen(end) + 1);
    }
}

/* Copies the next line of *text, masked; false at the end. */
static bool next_line(const char **text, char line[LINE_SIZE])
{
    size_t length = strcspn(*text, "\n");
    if (**text == '\0')
        return false;
    snprintf(line, LINE_SIZE, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == '\n');
    mask(line);
    return true;
}

static void check_output(const struct block *block, const char *printed)
{
    char expected[LINE_SIZE], found[LINE_SIZE];
    const char *shown = block->output, *real = printed;
    while (next_line(&shown, expected)) {
        ck_assert_msg(next_line(&real, found), "%s, commands of line %d: '%s' is not printed",
                      block->page, block->line, expected);
        ck_assert_msg(strcmp(expected, found) == 0,
                      "%s, commands of line %d: '%s' is printed as '%s'", block->page, block->line,
                      expected, found);
    }
    ck_assert_msg(!next_line(&real, found), "%s, commands of line %d: '%s' is printed too",
                  block->page, block->line, found);
}

static void run_block(const struct block *block)
{
    program_run_file("block", block->commands);
    const struct outcome *run =
        program_run_ends(0, "cd \"$T/clone\" && PATH=\"$T:$PATH\" sh -e ../block 2>&1");
    check_output(block, block->is_shown ? run->out : "");
    ck_assert_msg(block->is_shown || run->out[0] == '\0',
                  "%s, commands of line %d: '%s' is not shown", block->page, block->line, run->out);
}

/* every command of the page succeeds and prints what is shown, and its figures are pictures; those
 * of README.md write only below build/ */
START_TEST(commands_print_what_is_shown)
{
    program_run_ends(0, "mkdir -p $T/clone/build && cp doc/microcircuit.txt $T/clone && "
                        "m=\"$(realpath \"$M\")\" && "
                        "ln -s \"$m\" $T/meshcast && "
                        "ln -s \"$m\" \"$PWD/test\" \"$PWD/results\" $T/clone");
    static struct block block;
    FILE *page = fopen(PAGES[_i].path, "r");
    int line = 0, blocks = 0;
    ck_assert_ptr_nonnull(page);
    for (; next_block(page, &line, &block); blocks++) {
        block.page = PAGES[_i].path;
        run_block(&block);
    }
    fclose(page);
    ck_assert_int_ge(blocks, PAGES[_i].least_blocks);
    if (strcmp(PAGES[_i].path, "README.md") ==
        0) /* whose commands run in the folder of the sources */
        ck_assert_str_eq(program_run("ls $T/clone")->out,
                         "build\nmeshcast\nmicrocircuit.txt\nresults\ntest\n");
    ck_assert_str_eq(program_run("cd $T/clone && grep -ls '</svg>' *.svg")->out,
                     PAGES[_i].pictures);
}
END_TEST

void tutorial_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, commands_print_what_is_shown, 0,
                        (int)(sizeof PAGES / sizeof *PAGES));
}
