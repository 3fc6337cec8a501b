/* test_names.c - names of files with any characters: their output and pictures.
 *
 * Method: a set and a database whose names have control characters, quotes, formats, markup and
 * bytes that are no UTF-8. Output is examined byte by byte; pictures must have the name as it is,
 * and be UTF-8 without control characters, as XML demands.
 */
#include "test/program_run.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

/* In the shell's single quotes. */
#define NAME "\033[31m%s{x}_^@&~\"\\\n\302\233\377"
#define SHOWN "?[31m%s{x}_^@&~\"\\????"
#define SET "\"$T\"/'s" NAME "' "
#define DATABASE "\"$T\"/'d" NAME "' "

static void make_files(void)
{
    program_run_ends(0, "%s", "$M gen --side 8 --pattern column -o " SET);
}

static void make_database(void)
{
    program_run_ends(0, "%s",
                     "$M sweep --router trees --set " SET "--db " DATABASE "-q && "
                     "$M load --topology mesh:8x8 --scheme unicast --set " SET
                     "--rate 0.01 --measure 100 -q --db " DATABASE);
}

/* True if all is printable, except ends of lines, which are not within a name. */
static bool is_printable(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        bool is_control = *at < ' ' || *at == 0x7f || (at[0] == 0302 && at[1] < 0240);
        if ((is_control && strchr("\n\r\t\f", *at) == NULL) || *at >= 0370)
            return false;
    }
    return true;
}

static const struct {
    const char *command;
    bool reads_database;
} PRINTERS[] = {
    {"$M info " SET, false},
    {"$M route --router trees " SET, false},
    {"$M compare --routers trees " SET, false},
    {"$M stress --router trees " SET, false},
    {"$M search --router trees --tries 2 " SET, false},
    {"$M search --router trees --tries 2 -o \"$T/w\" " SET " >$T/x; cat $T/w; echo '" SHOWN "'",
     false},
    {"$M network --scheme unicast " SET, false},
    {"$M plan --scheme unicast " SET, false},
    {"$M load --topology mesh:8x8 --scheme unicast --rate 0.01 --measure 100 --set " SET, false},
    {"$M import --format edges " SET " 2>&1", false}, /* refused by name */
    {"$M sweep --router trees --db $T/x.db --dry-run --set " SET, false},
    {"$M sweep --router trees --db " DATABASE " --set " SET " 2>&1", false},
    {"$M report " DATABASE, true},
    {"$M report --csv " DATABASE, true},
    {"$M report --table load " DATABASE, true},
    {"$M report --table load --csv " DATABASE, true},
    {"$M report --plot steps " DATABASE, true},
};

enum { PRINTERS_COUNT = sizeof PRINTERS / sizeof PRINTERS[0] };

/* No command hands a terminal what it would obey; the rest of the name is there. */
START_TEST(test_printed)
{
    make_files();
    if (PRINTERS[_i].reads_database)
        make_database();
    const struct outcome *run = program_run("%s", PRINTERS[_i].command);
    ck_assert_msg(is_printable(run->out) && is_printable(run->err), "%s", PRINTERS[_i].command);
    ck_assert_msg(strstr(run->out, "?[31m%s{x}") != NULL, "%s", run->out);
}
END_TEST

static const char *const DRAWERS[] = {
    "$M compare --routers trees --plot $T/p.svg " SET,
    "$M route --router trees --timeline $T/p.svg " SET,
    "$M route --router trees --heatmap $T/p.svg " SET,
    "cd $T && $M load --topology mesh:8x8 --scheme unicast --rate 0.01 --measure 100 --plot p.svg "
    "--set 's" NAME "'",
    "$M report --plot steps -o $T/p.svg " DATABASE,
    "$M report --plot ratio -o $T/p.svg " DATABASE,
    "$M report --plot buffers -o $T/p.svg " DATABASE,
    "$M report --plot pareto -o $T/p.svg " DATABASE,
};

enum { DRAWERS_COUNT = sizeof DRAWERS / sizeof DRAWERS[0] };

/* A picture is XML and has the name as it is, its formats and markup included. */
START_TEST(test_drawn)
{
    make_files();
    if (strstr(DRAWERS[_i], "report") != NULL)
        make_database();
    program_run_ends(0, "%s", DRAWERS[_i]);
    const struct outcome *run = program_run("sed -n '/<text/,/text>/p' $T/p.svg");
    ck_assert(is_printable(run->out));
    ck_assert_msg(strstr(run->out, "s?[31m%s{x}_^@&amp;~\"\\????") != NULL, "%.1000s", run->out);
}
END_TEST

void names_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, test_printed, 0, PRINTERS_COUNT);
    tcase_add_loop_test(tests, test_drawn, 0, DRAWERS_COUNT);
}
