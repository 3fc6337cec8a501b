/* pattern_input_rows.h - options for what patterns are made from: experts, process groups, populations. */
#ifndef MESHCAST_LIBRARY_PATTERN_INPUT_ROWS_H
#define MESHCAST_LIBRARY_PATTERN_INPUT_ROWS_H

#include "library/option_table.h"
#include "workloads/pattern_inputs.h"

/* Of a struct pattern_inputs. The first row is --per-node, which every pattern takes. */
enum { PATTERN_INPUT_ROWS = 9 };
extern const struct meshcast_option pattern_input_rows[PATTERN_INPUT_ROWS];

/* Writes them as they are given again: " --per-node 4 ..", or nothing. */
void pattern_inputs_text(const struct pattern_inputs *inputs, char *text, size_t size);

#endif
