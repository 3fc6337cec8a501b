/* test_import_forms.c - files that leave their format, or could be understood in several ways: what they become, and
 * what is said about it.
 *
 * Expected messages are written by hand, or known because the test made the file from them.
 */
#include "base/pcg.h"
#include "workloads/import.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *import_forms_suite(void);

enum { TEXT_SIZE = 1 << 14 };

/* The messages "SOURCE DEST .. ; SOURCE DEST .. ;" of a set. */
static const char *messages_of(const struct message_set *set)
{
    static char text[TEXT_SIZE];
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < set->messages; i++) {
        length += (size_t)snprintf(text + length, TEXT_SIZE - length, "%u", set->source[i]);
        for (uint64_t d = set->offset[i]; d < set->offset[i + 1]; d++)
            length +=
                (size_t)snprintf(text + length, TEXT_SIZE - length, " %u", set->destination[d]);
        length += (size_t)snprintf(text + length, TEXT_SIZE - length, ";");
    }
    ck_assert_uint_lt(length, TEXT_SIZE);
    return text;
}

/* The notes, each followed by a line end. */
static const char *notes_of(const struct import_notes *notes)
{
    static char text[IMPORT_NOTES_MOST * (IMPORT_NOTE_SIZE + 1) + 1];
    text[0] = '\0';
    for (unsigned i = 0; i < notes->count; i++)
        strcat(strcat(text, notes->text[i]), "\n");
    return text;
}

struct form {
    const char *text, *messages; /* messages NULL: refused */
    uint64_t rows, cols;
    const char *note; /* a part of the notes, or of the message; NULL: no notes */
    struct import_options options;
};

static void assert_form(const struct form *form, const char *name)
{
    struct message_set set;
    struct import_summary summary;
    struct failure failure = {0};
    struct import_options options = form->options;
    options.limit = MEMORY_NO_LIMIT;
    enum failure_kind kind =
        import_memory(form->text, strlen(form->text), name, &options, &set, &summary, &failure);
    if (form->messages == NULL) {
        ck_assert_msg(kind == FAIL_INPUT || kind == FAIL_USAGE, "%s: taken", form->text);
        ck_assert_msg(strstr(failure.text, form->note) != NULL, "%s: %s", form->text, failure.text);
        return;
    }
    ck_assert_msg(kind == FAIL_NONE, "%s: %s", form->text, failure.text);
    ck_assert_msg(strcmp(messages_of(&set), form->messages) == 0, "%s: %s", form->text,
                  messages_of(&set));
    ck_assert_msg(summary.rows == form->rows && summary.cols == form->cols, "%s: %llu x %llu",
                  form->text, (unsigned long long)summary.rows, (unsigned long long)summary.cols);
    const char *notes = notes_of(&summary.notes);
    ck_assert_msg(form->note != NULL ? strstr(notes, form->note) != NULL : notes[0] == '\0',
                  "%s: notes '%s'", form->text, notes);
    message_set_free(&set);
}

#define BANNER "%%MatrixMarket matrix coordinate "

static const struct form MATRICES[] = {
    {"%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n",
     "0 1;",
     2,
     2,
     "banner has one %, not two",
     {0}},
    {" \t" BANNER "pattern general\n2 2 1\n2 1\n",
     "0 1;",
     2,
     2,
     "banner has blanks before it",
     {0}},
    {"\n \n" BANNER "pattern general\n2 2 1\n2 1\n", "0 1;", 2, 2, "blanks before it", {0}},
    {"\xef\xbb\xbf" BANNER "pattern general\n2 2 1\n2 1\n", "0 1;", 2, 2, "UTF-8 mark", {0}},
    {BANNER "real general\n2 2 4\n1 1 nan\n2 1 -Infinity\n1 2 1e+\n2 2\n",
     "0 0 1;1 0 1;",
     2,
     2,
     NULL,
     {0}},
    {BANNER "integer general\n2 2 2\n1 1 0.5\n2 1 one\n", "0 0 1;", 2, 2, NULL, {0}},
    {BANNER "pattern general\n2 2 2\n1 1 7\n2 1\n", "0 0 1;", 2, 2, NULL, {0}},
    {BANNER "complex hermitian\n2 2 2\n1 1 7\n2 1 . .\n", "0 0 1;1 0;", 2, 2, NULL, {0}},
    {BANNER "double general\n2 2 1\n2 1 .5\n", "0 1;", 2, 2, NULL, {0}},
    {BANNER "unsigned-integer general\n2 2 1\n2 1 3\n", "0 1;", 2, 2, NULL, {0}},
    {BANNER "real skew-symmetric\n2 2 2\n1 1 0\n2 1 3\n",
     "0 0 1;1 0;",
     2,
     2,
     "diagonal has entries, which are zeros",
     {0}},
    /* files of Network Repository: sizes in a comment, or none */
    {BANNER "pattern symmetric\n% 4 4 2\n2 1\n3 1\n",
     "0 1 2;1 0;2 0;",
     4,
     4,
     "line of sizes is the comment in line 2",
     {0}},
    {BANNER "pattern symmetric\n%4 4 9\n2 1\n3 1\n",
     "0 1 2;1 0;2 0;",
     3,
     3,
     "line of sizes is missing; the largest row is 3, and column 3",
     {0}},
    {BANNER "pattern general\n%4 2 2\n2 1\n3 1\n", "0 1 2;", 4, 2, "the comment in line 2", {0}},
    {BANNER "pattern general\n2 1\n3 1\n", "0 1 2;", 3, 1, "row is 3, and column 1", {0}},
    {BANNER "real general\n2 1 0.5\n3 1 1\n", "0 1 2;", 3, 1, "line of sizes is missing", {0}},
    {BANNER "real symmetric\n2 1 5\n3 1 1\n", "0 1 2;1 0;2 0;", 3, 3, "sizes is missing", {0}},
    {BANNER "integer symmetric\n3 2 1\n1 1 1\n",
     NULL,
     0,
     0,
     "a.mtx:2: expected a line of rows, columns and entries, with as many rows as columns",
     {0}},
    {BANNER "real general\n3 3 1.0\n1 1 1\n",
     NULL,
     0,
     0,
     "a.mtx:2: expected a line of rows, columns and entries, found others",
     {0}},
    {BANNER "pattern general\n3 3\n1 1 1\n",
     NULL,
     0,
     0,
     "a.mtx:2: expected a line of rows, columns and entries, found another number of columns",
     {0}},
    {BANNER "pattern general\n2 1\n67108865 1\n",
     NULL,
     0,
     0,
     "a.mtx:3: expected a row from 1",
     {0}},
};

/* Matrix Market: a banner nearly right, values of any kind, sizes missing or a comment. */
START_TEST(test_matrices)
{
    assert_form(&MATRICES[_i], "a.mtx");
}
END_TEST

Suite *import_forms_suite(void)
{
    Suite *suite = suite_create("import_forms");
    TCase *test = tcase_create("forms");
    tcase_add_loop_test(test, test_matrices, 0, (int)(sizeof MATRICES / sizeof *MATRICES));
    suite_add_tcase(suite, test);
    return suite;
}
