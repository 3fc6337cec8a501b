/* report_parts.h - the parts of reports: JSON objects, CSV. */
#ifndef MESHCAST_LIBRARY_REPORT_PARTS_H
#define MESHCAST_LIBRARY_REPORT_PARTS_H

#include "base/failure.h"
#include "machine/machine.h"
#include "network/topology/topology.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The names of figures that several kinds of results have: in JSON, CSV, databases. Each is written
 * only here. */
#define KEY_BUFFER_CAPACITY "buffer_capacity"
#define KEY_BUFFER_PEAK "buffer_peak"
#define KEY_CHANNEL_CROSSINGS "channel_crossings"
#define KEY_LOWER_BOUND "lower_bound"
#define KEY_MISSING "missing"
#define KEY_STEPS_PER_LOWER_BOUND "steps_per_lower_bound"
#define KEY_SYNC_STEPS "sync_steps"
#define KEY_WALL_SECONDS "wall_seconds"

/* ---- JSON: report_object.c ---- */

/* An object under construction. report_object_close() reports if memory was short. */
struct report_object {
    json_t *value;
    bool failed;
};

struct report_object report_object_open(void);
/* Begins the object of a result, with the version. */
struct report_object report_result_open(void);
/* Begins with the keys of `value`; NULL has none, which fails. */
struct report_object report_object_copy(const json_t *value);
/* Returns the object, which is the caller's; NULL: no memory. */
json_t *report_object_close(struct report_object *object);

/* Sets a key to `value`, which it takes over and which may be NULL for want of memory. */
void report_set(struct report_object *object, const char *key, json_t *value);
void report_set_count(struct report_object *object, const char *key, uint64_t count);
/* Appends `value`, which it takes over; either may be NULL for want of memory, and *array, which is
 * then freed, becomes NULL. */
void report_append(json_t **array, json_t *value);
/* Sets a count, null for 0. */
void report_set_nonzero(struct report_object *object, const char *key, uint64_t count);
/* Sets a count, null unless `has`. */
void report_set_if(struct report_object *object, const char *key, bool has, uint64_t count);
void report_set_real(struct report_object *object, const char *key, bool has, double value);
/* Sets a text, null for NULL. */
void report_set_word(struct report_object *object, const char *key, const char *word);
/* Sets "error" if there was a failure. */
void report_set_error(struct report_object *object, const struct failure *failure);
/* Sets a quotient, null if the divisor is 0. */
void report_set_ratio(struct report_object *object, const char *key, double dividend,
                      double divisor);
void report_set_seed(struct report_object *object, uint64_t seed);
/* Sets "topology", its kind, and "sizes", slowest dimension first. */
void report_set_shape(struct report_object *object, const struct shape *shape);

/* Prints a heading, bold on a terminal unless NO_COLOR is set (library/table.c). */
void report_print_heading(const char *text, FILE *out);

/* ---- data: report_object.c, report_csv.c ---- */

/* Returns a string that is valid in JSON for any bytes of a file's name; NULL: no memory. */
json_t *report_json_text(const char *text);

/* Prints `value` as JSON. FAIL_SYSTEM: no memory. Errors of `out` are found when that is closed. */
enum failure_kind report_write_json(const json_t *value, FILE *out, struct failure *failure);

/* Prints rows as CSV of RFC 4180, below a line with the names of columns. First come the keys of
 * rows, in their order; a key that only some rows have, after all others, such as "error", comes
 * last of them. Then comes one object of the rows after the other: a key in it is a column
 * OUTER.INNER. An array of numbers is a field with blanks between them; of any other array the
 * field is the number of its elements. True and false are 1 and 0; null, and a missing key, is an
 * empty field. */
enum failure_kind report_print_csv(const json_t *rows, FILE *out, struct failure *failure);

/* Prints a text as a field. */
void report_print_csv_text(const char *text, FILE *out);

#endif
