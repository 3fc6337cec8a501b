/* test_suggestion.c - answers to unknown names, and to files of another kind.
 *
 * Method: families of names by themselves, then the program with a slip of the pen wherever it
 * accepts a name; every answer is one line that names the word that was meant.
 */
#include "base/suggestion.h"

#include "test/program_run.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* ---- families ---- */

static const char *const animals[] = {"cat", "elephant", "zebra", "zebu", NULL};
static const struct name_family family = {"animal", "animals", "", name_of_array, animals};

/* A name has its place, another word has none and leaves the place alone. */
START_TEST(places)
{
    struct failure failure = {0};
    uint32_t place = 7;
    ck_assert_uint_eq(name_family_index(&family, "cat"), 0);
    ck_assert_uint_eq(name_family_index(&family, "zebu"), 3);
    ck_assert_uint_eq(name_family_index(&family, "ze"), UINT32_MAX);
    ck_assert_int_eq(name_family_find(&family, "zebra", &place, &failure), FAIL_NONE);
    ck_assert_uint_eq(place, 2);
    ck_assert_int_eq(name_family_find(&family, "elephnat", &place, &failure), FAIL_USAGE);
    ck_assert_uint_eq(place, 2);
    ck_assert_str_eq(failure.text, "unknown animal 'elephnat'; did you mean 'elephant'?");
}
END_TEST

static const struct {
    const char *word, *nearest; /* NULL: none is near */
} near_cases[] = {
    {"elephan", "elephant"},
    {"leephant", "elephant"},
    {"ele", "elephant"},
    {"zebar", "zebra"},
    {"zeb", "zebra"},
    {"ct", "cat"},
    {"dog", NULL},
    {"", NULL},
    {"e", NULL},
    {"--cat", NULL},
};

/* The nearest name is offered if it is near: a letter in three wrong, or a beginning. */
START_TEST(nearest)
{
    struct failure failure = {0};
    char expected[64] = "; the animals are";
    fail_unknown_name(&failure, &family, near_cases[_i].word);
    if (near_cases[_i].nearest != NULL)
        snprintf(expected, sizeof expected, "did you mean '%s'?", near_cases[_i].nearest);
    ck_assert_msg(strstr(failure.text, expected) != NULL, "%s", failure.text);
}
END_TEST

/* A list that has no room for all names ends with the last one that fits, and says so. */
START_TEST(list_is_cut)
{
    char text[28];
    name_family_list(&family, text, sizeof text);
    ck_assert_str_eq(text, "cat, elephant, zebra, zebu");
    name_family_list(&family, text, 22);
    ck_assert_str_eq(text, "cat, elephant, ..");
    name_family_list(&family, text, 5);
    ck_assert_str_eq(text, "..");
}
END_TEST

/* ---- the program ---- */

static const struct {
    const char *command, *expected;
} slips[] = {
    {"$M hlep", "did you mean 'help'?"},
    {"$M help sweeep", "did you mean 'sweep'?"},
    {"$M route $T/s --router tres", "did you mean 'trees'?"},
    {"$M route $T/s --router trees --param slts=3", "did you mean 'slots'?"},
    {"$M route $T/s --router trees --param variant=paper", "parameters of router trees are: slots"},
    {"$M route $T/s --router circulate --param r=1", "router circulate has no parameters"},
    {"$M route $T/s --router random --param variant=papr", "did you mean 'paper'?"},
    {"$M route $T/s --router random --param r=65537", "a whole number 1 .. 65536, not '65537'"},
    {"$M route $T/s --router random --param r=2",
     "of router random has no effect with variant=direct"},
    {"$M route $T/s --router random --param r=2 --param variant=direct", "needs variant=paper"},
    {"$M route $T/s --router random --param q=1", "(see 'meshcast help router random')"},
    {"$M route $T/s --router stream --param slots=0", "1 .. 64 or auto, not '0'"},
    {"$M route $T/s --router trees --copy fre", "did you mean 'free'?"},
    {"$M route $T/s --router trees --heatmap x.csv --heatmap-of lnks", "did you mean 'links'?"},
    {"$M route $T/s --router trees:tree=dds", "; '--param tree=dds' sets a parameter here"},
    {"$M network $T/s --scheme dds:tie=last:order=own", "; '--param tie=last:order=own'"},
    {"$M route $T/s --router tree:tree=dds", "the routers are: "},
    {"$M route $T/s --ruter trees", "did you mean '--router'?"},
    {"$M compare $T/s --routers trees,strem", "did you mean 'stream'?"},
    {"$M compare $T/s --param interprune=1", "unknown parameter 'interprune'; the parameters"},
    {"$M compare $T/s --param literla=1", "did you mean 'literal'?"},
    {"$M compare $T/s --routers circulate --param r=1", "none of these routers has a parameter"},
    {"$M stress $T/s --router unicat", "did you mean 'unicast'?"},
    {"$M search --router unicat", "did you mean 'unicast'?"},
    {"$M stress $T/s --router unicast --exaustive", "did you mean '--exhaustive'?"},
    {"$M kernel srot --side 4", "did you mean 'sort'?"},
    {"$M kernel prefix --side 4 --param method=totl", "did you mean 'total'?"},
    {"$M kernel sort --side 4 --param laod=3", "did you mean 'load'?"},
    {"$M kernel sort --side 4 --pattern revresal", "did you mean 'reversal'?"},
    {"$M gen --side 4 --pattern brodcast", "did you mean 'broadcast'?"},
    {"$M gen --side 4 --pattern adversary --share 1/3", "did you mean '1/8'?"},
    {"$M import x.mtx --map snak", "did you mean 'snake'?"},
    {"$M expander mkae", "did you mean 'make'?"},
    {"$M expander make --inputs 4 --c 2 --r 1 --graph randm", "did you mean 'random'?"},
    {"$M sweep --db $T/db --pattern unifrom --side 4", "did you mean 'uniform'?"},
    {"$M sweep --db $T/db --pattern uniform --side 4 --router rnadom", "did you mean 'random'?"},
    {"$M sweep --db $T/db --pattern uniform --side 4 --copy unti", "did you mean 'unit'?"},
    {"$M sweep --db $T/db --pattern uniform --side 4 --against-share al", "did you mean 'all'?"},
    {"$M sweep --db $T/db --pattern uniform --side 4 --param alhpa=1", "did you mean 'alpha'?"},
    {"$M report $T/db --plot stesp", "did you mean 'steps'?"},
    {"$M report $T/db --table fit", "did you mean 'fits'?"},
    {"$M report $T/db --copy frie", "did you mean 'free'?"},
    {"$M audit $T/s --jsn", "did you mean '--json'?"},
};

enum { SLIPS = sizeof slips / sizeof slips[0] };

/* Every slip is wrong usage, and its one line holds the name that was meant. */
START_TEST(slip)
{
    program_run_ends(0, "$M gen --side 4 --pattern uniform -o $T/s");
    program_run_fails(2, slips[_i].expected, "%s", slips[_i].command);
    ck_assert(!program_run_left("db"));
}
END_TEST

/* A set instead of a matrix is bad input, and the message says that it needs no import. */
START_TEST(set_for_matrix)
{
    program_run_file("a.mcast", "mcast 1 2 2\n0 1\n");
    program_run_fails(3, "a message set is the result of an import", "$M import $T/a.mcast");
}
END_TEST

void suggestion_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_test(tests, places);
    tcase_add_loop_test(tests, nearest, 0, sizeof near_cases / sizeof near_cases[0]);
    tcase_add_test(tests, list_is_cut);
    tcase_add_loop_test(tests, slip, 0, SLIPS);
    tcase_add_test(tests, set_for_matrix);
}
