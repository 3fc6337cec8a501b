/* command_set.h - the message sets that a command works on: operands that are files, or sets that
 * were given. */
#ifndef MESHCAST_LIBRARY_COMMAND_SET_H
#define MESHCAST_LIBRARY_COMMAND_SET_H

#include "library/commands.h"
#include "library/report_parts.h"
#include "library/set_options.h"
#include "workloads/import.h"
#include "workloads/instance.h"

/* A set for the mesh machine, with its figures but without its bounds. */
struct command_instance {
    struct instance instance;
    bool is_given;          /* its contents belong to the caller of the command */
    struct topology broken; /* instance.broken points to it; zeroed if the mesh is whole */
};

/* Reads operand `index`, or uses the set that was given instead; command_instance_free() when done.
 * Notes a file that may be cut, and one that is imported. A failure leaves nothing to free. */
enum failure_kind command_read_instance(const struct meshcast_command *command, int index,
                                        struct command_instance *set, struct failure *failure);
void command_instance_free(struct command_instance *set);

/* Breaks the set's mesh by the file of --without, if `path` is not NULL, and checks that all
 * messages can be sent. `set` must not be moved afterwards. FAIL_USAGE: there are several ranks. */
enum failure_kind command_break_instance(const struct meshcast_command *command,
                                         struct command_instance *set, const char *path,
                                         struct failure *failure);

/* Returns the part of a set that routers send, without messages from nodes to themselves; the set
 * owns it. */
const struct message_set *set_routed(const struct meshcast_set *set);

/* Computes the largest bounds of the instance that was read as operand `index`; a set that was
 * given keeps those of a whole mesh. */
enum failure_kind command_bound_instance(const struct meshcast_command *command, int index,
                                         struct command_instance *set, struct failure *failure);

/* Reads operand `index` as it is, or copies the set that was given instead; message_set_free() when
 * done. Notes a file that may be cut. */
enum failure_kind command_read_set(const struct meshcast_command *command, int index,
                                   struct message_set *set, struct failure *failure);

/* The set of operand `index` for the network: with lengths, without messages from nodes to
 * themselves. */
struct command_traffic {
    struct message_set set;
    const char *name; /* the operand, or "set" */
    bool is_given;
};
enum failure_kind command_read_traffic(const struct meshcast_command *command, int index,
                                       struct command_traffic *traffic, struct failure *failure);

/* Does the same for a set that is a file `path` unless it was given as number `index`. */
enum failure_kind command_read_traffic_file(const struct meshcast_command *command, int index,
                                            const char *path, struct command_traffic *traffic,
                                            struct failure *failure);
void command_traffic_free(struct command_traffic *traffic);

/* Sets *topology to the one that was given to the command, or else to the one in `text`;
 * command_topology_free() when done. */
enum failure_kind command_read_topology(const struct meshcast_command *command, const char *text,
                                        struct topology *topology, struct failure *failure);

/* Does the same for a set, whose topology it must be; without `text` it is the set's mesh or
 * torus. */
enum failure_kind command_set_topology(const struct meshcast_command *command,
                                       const struct message_set *set, const char *text,
                                       struct topology *topology, struct failure *failure);

/* Breaks the topology by the file of --without, if `path` is not NULL; with `needs_labels` also
 * finds labels. */
enum failure_kind command_break_topology(const char *path, bool needs_labels,
                                         struct topology *topology, struct failure *failure);

/* Notes that a broken topology falls into parts, for commands that use the main part alone. */
void command_note_parts(const struct meshcast_command *command, const struct topology *topology);

/* Does as command_break_topology(), and checks that all messages of the set, which is called `name`, can be sent. A
 * failure frees the topology. */
enum failure_kind command_break_set_topology(const struct meshcast_command *command,
                                             const struct message_set *set, const char *name,
                                             const char *path, bool needs_labels,
                                             struct topology *topology, struct failure *failure);
void command_topology_free(const struct meshcast_command *command, struct topology *topology);

/* ---- sets that a command makes ---- */

/* Finds the shape that the options name, or that of the topology that was given; without any it has
 * no dimensions. Fails as mesh_options_shape(). */
enum failure_kind command_shape(const struct meshcast_command *command,
                                const struct mesh_options *options, struct shape *shape,
                                struct failure *failure);

/* d, c and l of a set. */
struct set_figures {
    uint32_t degree, congestion, most_sent;
};
enum failure_kind set_figures_measure(const struct message_set *set, struct set_figures *figures,
                                      struct failure *failure);

/* Writes "d = 4, c = 8", and ", l = 2" if nodes have several messages. */
enum { SET_FIGURES_SIZE = 64 };
const char *set_figures_text(const struct set_figures *figures, char text[SET_FIGURES_SIZE]);

/* Sets "topology" and "sizes", "nodes", "messages", "degree", "congestion", "messages_per_node",
 * "deliveries". */
void report_set_figures(struct report_object *object, const struct message_set *set,
                        const struct set_figures *figures);

/* Writes the set to the file `path`, or, if that is NULL, to the command's table, if there is one.
 * FAIL_SYSTEM also if `comment`, that of command_comment(), is NULL. */
enum failure_kind command_write_set(const struct meshcast_command *command,
                                    const struct message_set *set, const char *comment,
                                    const char *path, struct failure *failure);

/* Makes `set` the report's, in the form for routers, with its bounds; the program never asks for it
 * and does without them. */
enum failure_kind report_take_set(const struct meshcast_command *command,
                                  struct meshcast_report *report, struct message_set *set,
                                  struct failure *failure);

/* Writes a line on an import: the facts found, and the set made; `path` is the file's, or "-". */
enum { SET_NOTE_SIZE = 512 };
void import_text(const struct import_summary *summary, const struct message_set *set,
                 const struct set_figures *figures, const char *path, char text[SET_NOTE_SIZE]);

/* Writes a line on a file that was read: that a set's text had no end line, since it may be cut, or
 * the facts of an import. False: nothing to report. */
bool set_file_note(const struct message_set *set, const struct import_summary *summary,
                   const char *path, char note[SET_NOTE_SIZE]);

#endif
