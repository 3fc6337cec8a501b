/* pattern.c - looking up a pattern, and the one call that makes a set.
 *
 * The call fills in a row's defaults (workloads/pattern_table.c), clips degree and congestion to the number of nodes (no
 * message has more destinations, no node receives more messages) and leaves the rest to the maker, which keeps the
 * contract for every d and c that remain. Several messages per node are layers, unless the maker makes them itself.
 *
 * Cost: stated with each maker; none is worse than O(n log n + deliveries) but for the deals.
 */
#include "workloads/pattern_private.h"

#include "base/numbers.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LAYER_NODE_BYTES = 12 };

const struct pattern *pattern_at(uint32_t index)
{
    assert(index < pattern_count());
    return &pattern_row_at(index)->pattern;
}

const struct pattern *pattern_find(const char *name)
{
    for (uint32_t i = 0; i < pattern_count(); i++)
        if (strcmp(pattern_at(i)->name, name) == 0)
            return pattern_at(i);
    return NULL;
}

static const char *pattern_name_at(const void *context, uint32_t index)
{
    (void)context;
    return index < pattern_count() ? pattern_at(index)->name : NULL;
}

const struct name_family pattern_names = {"pattern", "patterns", "", pattern_name_at, NULL};

enum failure_kind pattern_look_up(const char *name, const struct pattern **pattern,
                                  struct failure *failure)
{
    *pattern = pattern_find(name);
    return *pattern != NULL ? FAIL_NONE : fail_unknown_name(failure, &pattern_names, name);
}

static struct shape shape_of_options(const struct pattern_options *options)
{
    return options->shape.dimensions > 0 ? options->shape : shape_of_mesh(options->mesh);
}

/* The nodes in rows and columns; those of other than two dimensions in one row. */
static struct mesh mesh_of_nodes(const struct shape *shape)
{
    if (shape->dimensions == 2)
        return (struct mesh){shape->size[1], shape->size[0]};
    return (struct mesh){1, shape_nodes(shape)};
}

/* The options with the row's defaults, clipped to what there can be; mesh and shape are both set. Of a pattern that
 * is made in layers they are those of a layer. */
static struct pattern_options options_whole(const struct pattern_row *row,
                                            const struct pattern_options *options)
{
    struct pattern_options full = *options;
    full.shape = shape_of_options(options);
    full.mesh = mesh_of_nodes(&full.shape);
    full.per_node = max_u32(options->per_node, 1);
    uint64_t most = mesh_nodes(full.mesh);
    if (row->makes_all)
        most = min_u64(most * full.per_node, UINT32_MAX);
    else
        full.congestion /= full.per_node;
    if (full.degree == 0)
        full.degree = row->paired && full.congestion != 0 ? full.congestion : row->degree;
    if (full.congestion == 0)
        full.congestion = row->paired ? full.degree : row->congestion;
    if (full.congestion == PATTERN_NO_LIMIT && row->makes_all)
        full.congestion = (uint32_t)most;
    if (full.active == 0)
        full.active = 1;
    full.degree = min_u32(full.degree, mesh_nodes(full.mesh));
    full.congestion = (uint32_t)min_u64(full.congestion, most);
    return full;
}

static bool options_are_valid(const struct pattern_options *options)
{
    struct shape shape = shape_of_options(options);
    return options->shape.dimensions > 0 ? shape_is_valid(&shape)
                                         : mesh_is_valid(options->mesh.rows, options->mesh.cols);
}

static bool is_on(const struct pattern *pattern, const struct shape *shape)
{
    bool is_plane = shape->dimensions == 2;
    return pattern->domain == PATTERN_ON_ALL ||
           (pattern->domain == PATTERN_ON_PLANES && is_plane) || mesh_of_shape(shape).rows > 0;
}

enum failure_kind pattern_check_shape(const struct pattern *pattern, const struct shape *shape,
                                      struct failure *failure)
{
    char text[TOPOLOGY_TEXT_SIZE], names[240] = "";
    size_t used = 0;
    if (is_on(pattern, shape))
        return FAIL_NONE;
    shape_text(shape, text);
    for (uint32_t i = 0; i < pattern_count(); i++)
        if (is_on(pattern_at(i), shape))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", pattern_at(i)->name);
    return fail(failure, FAIL_USAGE,
                "pattern %s is for meshes%s of two dimensions; on %s there are: %s", pattern->name,
                pattern->domain == PATTERN_ON_PLANES ? " and tori" : "", text, names);
}

/* What the pattern lacks. */
static enum failure_kind check_needs(const struct pattern *pattern,
                                     const struct pattern_options *options, struct failure *failure)
{
    if ((pattern->needs & PATTERN_GRAPH) && options->adversary == NULL)
        return fail(failure, FAIL_USAGE, "pattern %s needs a graph (--against)", pattern->name);
    if ((pattern->needs & PATTERN_POPULATIONS) && options->populations == NULL)
        return fail(failure, FAIL_USAGE, "pattern %s needs populations (--matrix)", pattern->name);
    return FAIL_NONE;
}

static enum failure_kind make(const struct pattern_row *row, const struct pattern_options *options,
                              struct message_set *set, struct failure *failure)
{
    struct pattern_options full = options_whole(row, options);
    if (row->makes_all || full.per_node == 1)
        return row->make(&full, set, failure);
    if (options->congestion != 0 && options->congestion < full.per_node)
        return fail(failure, FAIL_USAGE,
                    "a congestion of %lu is less than the %lu messages that each node sends",
                    (unsigned long)options->congestion, (unsigned long)full.per_node);
    return pattern_layers(&full, row->make, set, failure);
}

enum failure_kind pattern_generate(const struct pattern *pattern,
                                   const struct pattern_options *options, struct message_set *set,
                                   struct failure *failure)
{
    const struct pattern_row *row = (const struct pattern_row *)pattern;
    memset(set, 0, sizeof *set);
    if (!options_are_valid(options))
        return fail(failure, FAIL_USAGE,
                    "a mesh of %lu x %lu nodes: each side must be 1 to %d, the nodes at most %d",
                    (unsigned long)options->mesh.rows, (unsigned long)options->mesh.cols,
                    MESH_MAX_SIDE, MESH_MAX_NODES);
    struct pattern_options full = options_whole(row, options);
    if (pattern_check_shape(pattern, &full.shape, failure) != FAIL_NONE ||
        check_needs(pattern, options, failure) != FAIL_NONE)
        return failure->kind;
    return make(row, options, set, failure);
}
