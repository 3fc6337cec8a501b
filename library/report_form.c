/* report_form.c - prints results as JSON or as CSV. */
#include "library/report_form.h"

#include "library/report.h"

#include <stdlib.h>
#include <string.h>

bool report_form_is_data(struct report_form form)
{
    return form.json || form.csv;
}

enum failure_kind report_form_check(struct report_form form, const char *option, const char *what,
                                    struct failure *failure)
{
    if (form.json && form.csv)
        return fail(failure, FAIL_USAGE, "--json and --csv exclude each other");
    if (report_form_is_data(form) && option != NULL)
        return fail(failure, FAIL_USAGE,
                    "%s - and %s both want standard output; name a file for %s", option,
                    form.json ? "--json" : "--csv", what);
    return FAIL_NONE;
}

enum failure_kind report_print_data(struct report_form form, json_t *value, const char *rows,
                                    struct failure *failure)
{
    if (form.json || value == NULL)
        return report_print_json(value, stdout, failure);
    report_print_csv(rows == NULL ? value : json_object_get(value, rows), stdout, failure);
    json_decref(value);
    return failure->kind;
}
