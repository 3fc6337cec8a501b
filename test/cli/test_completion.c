/* test_completion.c - the offers of the Tab key: cli/completion.bash, .zsh and .fish in their
 * shells, and the program's answers.
 *
 * Method: bash reads the script, gets the words as it would have cut them (at "=" and ":"), and
 * prints what would be offered. Once bare and once with the package bash-completion loaded. zsh and
 * fish cut lines at blanks alone, so they get the same rows with these words joined, and offer
 * whole words. fish completes without a terminal; what zsh does only in its line editor is replaced
 * by functions that print. A shell that is not installed is passed over.
 *
 * Oracle: the tables of routers, patterns and kernels, --help, and rows written down here.
 */
#include "library/meshcast_command.h"
#include "test/program_run.h"
#include "test/skipped.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *words, *offered; /* words as bash has them; a blank after each offered word */
} rows[] = {
    {"ro", "route "},
    {"he", "help "},
    {"comp", "compare "}, /* `complete` is for programs */
    {"--v", "--version "},
    {"nonsense \"\"", " "},
    {"help ex", "expander "},
    {"help router", "routers router "},
    {"help router tr", "trees "},
    {"help scheme dd", "dds "},
    {"help route s.", " "},
    {"route s.mcast --router t", "trees "},
    {"route s.mcast --rout", "--router "},
    {"route s.mcast --hea", "--heatmap --heatmap-of "},
    {"route s.mcast --copy \"\"", "unit free "},
    {"route s.mcast --copy =", "unit free "},
    {"route s.mcast --copy = f", "free "},
    {"route s.mcast --heatmap-of \"\"", "nodes links "},
    {"route s.mcast --seed \"\"", " "},
    {"route s.mcast --json --copy f", "free "},
    {"route s.mcast -q --router tr", "trees "},
    {"route s.mcast --router trees --param \"\"", "slots= tree= "},
    {"route s.mcast --router = trees --param \"\"", "slots= tree= "},
    {"route s.mcast --router random --param variant =", "direct paper "},
    {"route s.mcast --router random --param variant = p", "paper "},
    {"route s.mcast --router circulate --param \"\"", " "},
    {"route s.mcast --router expander --param graph = r", "random rs "},
    {"route s.mcast --router expander --param graph = s.", "s.mcast "},
    {"route s.", "s.mcast "},
    {"route --json s.", "s.mcast "},
    {"route -- s.", "s.mcast "},
    {"route '\"s.mca'", "s.mcast "},
    {"route 'two\\ w'", "two words.mcast "},
    {"route s.mcast s.", " "}, /* it accepts one file */
    {"route s.mcast --trace s.", "s.mcast "},
    {"route s.mcast \">\" s.", "s.mcast "},
    {"route d", "dir/ "},
    {"route s.mcast --router ./s.", "./s.mcast "}, /* a plugin may have any name */
    {"compare s.mcast --routers trees,./s.", "trees,./s.mcast "},
    {"compare s.mcast --routers tr", "trees "},
    {"compare s.mcast --routers stream,tr", "stream,trees "},
    {"compare s.mcast --routers trees,unicast --param sl", "slots= slots= "},
    {"kernel mi", "migrate "},
    {"kernel sort --side 4 --param method = d", "deal "},
    {"kernel sort --side 4 --param lo", "load= "},
    {"kernel sort --side 4 --pattern tr", "transpose "},
    {"gen --pattern tr", "transpose "},
    {"gen --topology \"\"", "mesh: torus: graph: "},
    {"gen --topology t", "torus: "},
    {"gen --topology torus : 4", " "},
    {"info s.mcast --topology graph : s.", "s.mcast "},
    {"load --topology = g", "graph: "},
    {"network s.mcast --topology = graph : s.", "s.mcast "},
    {"gen --share 1", "1/8 1/4 1/2 "},
    {"gen s.", " "}, /* it accepts no file */
    {"gen -o s.", "s.mcast "},
    {"import s.mcast --map h", "hilbert "},
    {"expander ch", "check "},
    {"expander check s.", "s.mcast "},
    {"expander make --graph r", "random rs "},
    {"audit s.mcast s.", "s.mcast "},
    {"search s.mcast --router st", "stream "},
    {"search --objective s", "steps "},
    {"search -o s.", "s.mcast "},
    {"sweep --db x --pattern uniform,wo", "uniform,worst "},
    {"sweep --set s.mcast,s.", "s.mcast,s.mcast "},
    {"sweep --copy unit,f", "unit,free "},
    {"sweep --router random --param variant = paper,d", "paper,direct "},
    {"report x.db --plot b", "buffers "},
    {"report x.db --table \"\"", "all workloads fits load "},
    {"load --scheme dual,u", "dual,unicast dual,u-mesh "},
    {"load --scheme unicast --param \"\"", "routing= "},
    {"load --pattern transp", "transpose "},
    {"network s.mcast --switching cu", "cut-through "},
    {"network s.mcast --scheme u-mesh --param routing = l", "label "},
    {"report x.db --mark", "--markdown "},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static void make_files(void)
{
    program_run_ends(0, "touch $T/s.mcast \"$T/two words.mcast\" && mkdir $T/dir");
}

/* Runs all rows in one bash, which reads `before` first, and checks each. */
static void check_rows(const char *before)
{
    char *script = NULL;
    size_t length = 0;
    FILE *text = open_memstream(&script, &length);
    fprintf(text,
            "%s\nsource \"$r/cli/completion.bash\" || exit 9\ncd \"$T\" || exit 9\n"
            "offer() {\nCOMP_WORDS=(\"$m\" \"$@\") COMP_CWORD=$#\n_meshcast\n"
            "printf '%%s ' \"${COMPREPLY[@]}\"\necho\n}\n",
            before);
    for (int i = 0; i < ROWS; i++)
        fprintf(text, "offer %s\n", rows[i].words);
    fclose(text);
    program_run_file("script", script);
    free(script);

    const struct outcome *run = program_run(
        "case $M in /*) m=$M;; *) m=$PWD/$M;; esac; m=$m r=$PWD exec bash \"$T/script\"");
    ck_assert_str_eq(run->err, "");
    ck_assert_int_eq(run->status, 0);
    const char *line = run->out;
    for (int i = 0; i < ROWS; i++) {
        size_t end = strcspn(line, "\n");
        ck_assert_msg(strlen(rows[i].offered) == end && strncmp(line, rows[i].offered, end) == 0,
                      "%s: '%.*s', not '%s'", rows[i].words, (int)end, line, rows[i].offered);
        line += end + (line[end] == '\n');
    }
}

/* Each row's words are completed as it says, with nothing but bash. */
START_TEST(completes)
{
    make_files();
    check_rows("");
}
END_TEST

/* The same beside the package bash-completion. */
START_TEST(completes_with_package)
{
    make_files();
    check_rows("source /usr/share/bash-completion/bash_completion");
}
END_TEST

/* ---- zsh and fish ---- */

/* Joins "=" and ":" with the words around them: a line as a person types it. Returns the beginning
 * in `line` of its last word, without the part before its last "=" or ":". */
static size_t join_words(const char *words, char line[200])
{
    size_t length = 0, behind = 0;
    for (const char *at = words; *at != '\0'; at++) {
        bool is_glue = at[0] == ' ' && (strncmp(at, " = ", 3) == 0 || strncmp(at, " : ", 3) == 0 ||
                                        strcmp(at, " =") == 0 || strcmp(at, " :") == 0);
        if (is_glue) {
            line[length++] = *++at;
            behind = length;
            at += at[1] == ' ';
        } else if (strcmp(at, "\"\"") == 0) {
            behind = length;
            break;
        } else {
            line[length++] = *at;
            if (*at == ' ')
                behind = length;
        }
    }
    line[length] = '\0';
    return behind;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Writes the offers of `row` as whole words, sorted, each once, with a blank after each. */
static void whole_words(const char *offered, const char *before, int length, char text[400])
{
    char copy[200], *word[40];
    size_t words = 0;
    snprintf(copy, sizeof copy, "%s", offered);
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " "))
        word[words++] = at;
    qsort(word, words, sizeof *word, compare_words);
    text[0] = '\0';
    for (size_t i = 0; i < words; i++)
        if (i == 0 || strcmp(word[i], word[i - 1]) != 0)
            sprintf(text + strlen(text), "%.*s%s ", length, before, word[i]);
}

/* Runs the rows in `shell`, whose script begins with `start` and defines offer, and checks each.
 * Rows with quotes or redirections are bash's own. */
static void check_shell(const char *shell, const char *options, const char *start)
{
    if (program_run("command -v %s", shell)->status != 0) {
        test_skip("completion in %s: it is not installed", shell);
        return;
    }
    make_files();
    char *script = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&script, &size);
    fputs(start, text);
    for (int i = 0; i < ROWS; i++) {
        char line[200];
        join_words(rows[i].words, line);
        if (strpbrk(line, "'>") == NULL)
            fprintf(text, "offer '%s'\n", line);
    }
    fclose(text);
    program_run_file("script", script);
    free(script);

    const struct outcome *run =
        program_run("r=$PWD; export r LC_ALL=C HOME=$T XDG_CONFIG_HOME=$T/.c XDG_DATA_HOME=$T/.d "
                    "XDG_RUNTIME_DIR=$T TERM=dumb; cd $T && exec %s %s script",
                    shell, options);
    ck_assert_str_eq(run->err, "");
    ck_assert_int_eq(run->status, 0);
    const char *at = run->out;
    for (int i = 0; i < ROWS; i++) {
        char line[200], expected[400];
        size_t behind = join_words(rows[i].words, line), end = strcspn(at, "\n"), begin = behind;
        while (begin > 0 && line[begin - 1] != ' ')
            begin--;
        if (strpbrk(line, "'>") != NULL)
            continue;
        whole_words(rows[i].offered, line + begin, (int)(behind - begin), expected);
        ck_assert_msg(strlen(expected) == end && strncmp(at, expected, end) == 0,
                      "%s: %s: '%.*s', not '%s'", shell, line, (int)end, at, expected);
        at += end + (at[end] == '\n');
    }
    ck_assert_str_eq(at, "");
}

/* zsh offers the same, as whole words. */
START_TEST(completes_in_zsh)
{
    check_shell(
        "zsh", "-f",
        "compdef() { defined=$2 }\nsource $r/cli/completion.zsh\n"
        "[[ $defined == meshcast ]] || exit 9\n"
        "compadd() { found+=(${(P)@[-1]}) }\n"
        "compset() { PREFIX=${PREFIX#${~2}} }\n"
        "_files() {\nlocal f\nfor f in $PREFIX*(N); do\n"
        "[[ -d $f ]] && f+=/\nfound+=(\"${begun%$PREFIX}$f\")\ndone\n}\n"
        "offer() {\nlocal -a found words\nlocal PREFIX CURRENT\nwords=($M \"${(@s: :)1}\")\n"
        "CURRENT=$#words PREFIX=$words[-1]\n_meshcast\n"
        "print -r -- ${(j::)${(@ou)found}/%/ }\n}\n");
}
END_TEST

/* fish offers the same, as whole words. */
START_TEST(completes_in_fish)
{
    check_shell("fish", "-N",
                "source $r/cli/completion.fish; or exit 9\n"
                "function offer\n"
                "set -l found (complete -C \"$M $argv\" | string split -f 1 \\t | sort -u)\n"
                "echo (string join '' -- $found' ')\nend\n");
}
END_TEST

/* The description of a command and an option is the first line of its help. */
START_TEST(describes)
{
    const struct outcome *run = program_run("$M complete --describe -- rou");
    ck_assert_str_eq(run->out,
                     "route\trun one router on a message set, check every delivery, report\n");
    run = program_run("$M complete --describe -- complete --");
    ck_assert_str_eq(run->out,
                     "--describe\tafter each command and option a tab and its description\n"
                     "--help\tprint the command's help\n");
    run = program_run("$M complete --describe -- route s --copy f");
    ck_assert_str_eq(run->out, "free\n");
}
END_TEST

/* True if a line of the last output is `name` or `name=`. */
static bool has_line(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if ((at == text || at[-1] == '\n') && (at[length] == '\n' || at[length] == '='))
            return true;
    return false;
}

/* Checks that all values of an option, or of the first operand (NULL), are offered. */
static void check_values(const char *command, const char *option)
{
    const char *name;
    const struct outcome *run =
        program_run("$M complete -- %s %s%s ''", command, option == NULL ? "" : "--",
                    option == NULL ? "" : option);
    ck_assert_int_gt(program_run_values(command, option), 2);
    for (uint32_t i = 0; (name = meshcast_command_value_at(command, option, i)) != NULL; i++)
        ck_assert_msg(has_line(run->out, name), "%s", name);
}

/* All routers, patterns and kernels are offered; and of parameters those that their help has, and
 * methods. */
START_TEST(offers_tables)
{
    check_values("route", "router");
    check_values("gen", "pattern");
    check_values("kernel", NULL);
    const struct outcome *run = program_run_ends(
        0, "for r in replicate trees stream random expander; do "
           "$M help router $r | sed -n 's/^ *\\([a-z0-9_]*=\\).*[|A-Z].*/\\1/p' >$T/help; "
           "$M complete -- stress s --router $r --param '' >$T/offers; test -s $T/offers && "
           "! grep -vxF -f $T/help $T/offers || exit 1; done; "
           "$M complete -- kernel sort --param method=");
    ck_assert_msg(has_line(run->out, "method=deal"), "%s", run->out);
}
END_TEST

/* Every command of --help is offered, and every option of each command's --help, and no others. */
START_TEST(offers_help)
{
    program_run_ends(0, "$M complete -- '' | grep -v ^- >$T/commands; "
                        "$M --help | sed -n '/^Commands:/,/^Options:/s/^  \\([a-z]*\\) .*/\\1/p' "
                        "| cmp - $T/commands && test -s $T/commands");
    program_run_ends(
        0, "for c in $(cat $T/commands); do $M complete -- $c - | sort >$T/offered; "
           "$M $c --help | sed -n '/^Options:/,/^$/s/^  \\(-., \\)*\\(--[a-z-]*\\).*/\\2/p' | sort "
           "| cmp - $T/offered && test -s $T/offered || exit 7; done");
}
END_TEST

void completion_suite(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, program_run_setup, program_run_teardown);
    tcase_add_test(tcase, completes);
    tcase_add_test(tcase, completes_with_package);
    tcase_add_test(tcase, completes_in_zsh);
    tcase_add_test(tcase, completes_in_fish);
    tcase_add_test(tcase, describes);
    tcase_add_test(tcase, offers_tables);
    tcase_add_test(tcase, offers_help);
}
