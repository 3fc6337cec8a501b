/* report_object.c - the JSON objects of reports.
 *
 * Method: every key is set through report_set(), in the order of the contract, which jansson keeps.
 * A failed allocation shows as a NULL value; jansson refuses it, report_set() remembers that, and
 * the whole object is given up at the end.
 *
 * Counts are JSON integers. A seed beyond 2^63-1 is written as a string, because readers of JSON do
 * not agree on such integers.
 */
#include "base/printable.h"
#include "library/report.h"
#include "library/report_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct report_object report_object_open(void)
{
    return (struct report_object){json_object(), false};
}

struct report_object report_result_open(void)
{
    struct report_object object = report_object_open();
    report_set(&object, "meshcast", json_string(MESHCAST_VERSION));
    return object;
}

struct report_object report_object_copy(const json_t *value)
{
    struct report_object copy = {json_copy((json_t *)value), false};
    copy.failed = json_object_size(copy.value) != json_object_size(value); /* jansson drops keys */
    return copy;
}

json_t *report_object_close(struct report_object *object)
{
    if (!object->failed)
        return object->value;
    json_decref(object->value);
    return NULL;
}

void report_set(struct report_object *object, const char *key, json_t *value)
{
    if (json_object_set_new(object->value, key, value) != 0)
        object->failed = true;
}

void report_set_count(struct report_object *object, const char *key, uint64_t count)
{
    report_set(object, key, json_integer((json_int_t)count));
}

void report_set_if(struct report_object *object, const char *key, bool has, uint64_t count)
{
    report_set(object, key, has ? json_integer((json_int_t)count) : json_null());
}

void report_set_nonzero(struct report_object *object, const char *key, uint64_t count)
{
    report_set_if(object, key, count != 0, count);
}

void report_set_real(struct report_object *object, const char *key, bool has, double value)
{
    report_set(object, key, has ? json_real(value) : json_null());
}

void report_set_word(struct report_object *object, const char *key, const char *word)
{
    report_set(object, key, word == NULL ? json_null() : json_string(word));
}

void report_set_error(struct report_object *object, const struct failure *failure)
{
    if (failure->kind != FAIL_NONE)
        report_set(object, "error", report_json_text(failure->text));
}

void report_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

void report_set_ratio(struct report_object *object, const char *key, double dividend,
                      double divisor)
{
    report_set(object, key, divisor == 0 ? json_null() : json_real(dividend / divisor));
}

void report_set_seed(struct report_object *object, uint64_t seed)
{
    report_set(object, "seed",
               seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_sprintf("%" PRIu64, seed));
}

void report_set_shape(struct report_object *object, const struct shape *shape)
{
    json_t *sizes = json_array();
    for (uint32_t i = shape->dimensions; i-- > 0;)
        object->failed |= json_array_append_new(sizes, json_integer(shape->size[i])) != 0;
    report_set(object, "topology", json_string(topology_kind_names[shape->kind]));
    report_set(object, "sizes", sizes);
}

json_t *report_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value != NULL)
        return value;
    char *copy = strdup(text);
    if (copy == NULL)
        return NULL;
    printable_make(copy);
    value = json_string(copy);
    free(copy);
    return value;
}

static int write_chunk(const char *buffer, size_t size, void *data)
{
    return fwrite(buffer, 1, size, data) == size ? 0 : -1;
}

enum failure_kind report_write_json(const json_t *value, FILE *out, struct failure *failure)
{
    int status =
        json_dump_callback(value, write_chunk, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    if (status == 0)
        fputc('\n', out);
    else if (!ferror(out)) /* a write error stays in `out`; closing it reports that */
        return fail_memory(failure, "the JSON result");
    return FAIL_NONE;
}
