/* set_options.h - the options of commands that make sets: the shape of a set, the inputs of
 * patterns (experts, process groups, populations), and the volume of a message.
 */
#ifndef MESHCAST_LIBRARY_SET_OPTIONS_H
#define MESHCAST_LIBRARY_SET_OPTIONS_H

#include "library/option_table.h"
#include "network/topology/topology.h"
#include "workloads/pattern_inputs.h"
#include "workloads/volume.h"

struct mesh_options {
    uint32_t rows, cols;  /* 0: not given */
    struct mesh side;     /* 0 rows: not given */
    const char *topology; /* NULL: not given */
};

/* Rows of a struct mesh_options. */
enum { MESH_OPTION_ROWS = 4 };
extern const struct meshcast_option mesh_option_rows[MESH_OPTION_ROWS];

/* Finds the shape that the options name; without any it has no dimensions. FAIL_USAGE: the options
 * exclude each other, one is missing, or the shape is not valid; else as topology_parse(). */
enum failure_kind mesh_options_shape(const struct mesh_options *options, struct shape *shape,
                                     struct failure *failure);

/* The files of --parts: each a node number per item and line. The texts are the option's. */
enum { PARTS_MOST = 16 };
struct part_list {
    uint32_t count;
    const char *file[PARTS_MOST];
};
int option_parse_parts(void *list, char *value, struct failure *failure);

#define OPTION_PARTS(shown, of, field, text)                                                       \
    {                                                                                              \
        OPTION_ROW("parts", "A,B,...", shown, of, field, OTHER, text),                             \
            .alias = "part", .accept = option_parse_parts, .is_file = true, .is_list = true        \
    }

/* Option rows of a struct pattern_inputs. The first row is --per-node, which every pattern accepts,
 * the last --algorithm, for sets that the network runs. */
enum { PATTERN_INPUT_ROWS = 10 };
extern const struct meshcast_option pattern_input_rows[PATTERN_INPUT_ROWS];

/* The options that fill a struct volume_options. Commands that read no file leave out the first,
 * --weights. */
enum { VOLUME_ROWS = 4 };
extern const struct meshcast_option volume_rows[VOLUME_ROWS];

#endif
