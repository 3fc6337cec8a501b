/* command_ranks.c - a command that several ranks run: the work of each. The rest of the library
 * only passes ranks on to the machine.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "library/commands.h"
#include "machine/ranks/ranks.h"
#include "workloads/message_set.h"

void command_share_cores(const struct meshcast_command *command)
{
    parallel_share_cores(ranks_cores(command->ranks));
}

void command_share_memory(const struct meshcast_command *command)
{
    memory_limit_share(ranks_here(command->ranks));
}

uint32_t command_ranks(const struct meshcast_command *command)
{
    return ranks_size(command->ranks);
}

bool command_writes(const struct meshcast_command *command)
{
    return ranks_rank(command->ranks) == 0;
}

enum failure_kind command_check_rows(const struct meshcast_command *command, uint32_t rows,
                                     struct failure *failure)
{
    return ranks_check_count(command->ranks, rows, "rows of the mesh", failure);
}

struct byte_sharing command_sharing(const struct meshcast_command *command)
{
    return ranks_sharing(command->ranks);
}

enum failure_kind command_keep_own_rows(const struct meshcast_command *command,
                                        struct message_set *set, struct failure *failure)
{
    struct row_range own = ranks_rows(command->ranks, set->mesh.rows);
    if (command_ranks(command) == 1)
        return FAIL_NONE;
    return message_set_keep(set, own.first * set->mesh.cols, own.end * set->mesh.cols, failure);
}
