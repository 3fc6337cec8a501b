/* completion.c - finds what could stand next on a command line.
 *
 * Method: the whole words are walked as option_parse() would walk them, so that it is known whether
 * the word that has begun is an option's value, an option, or the operand of some number. Its end,
 * behind `--name=`, the last comma of a list, or `NAME=`, is then compared with the names that the
 * tables have for it. The part before is printed with each candidate, so that candidates are words.
 *
 * Nothing fails: a line that is wrong gets no candidates.
 */
#include "cli/completion.h"

#include "cli/command.h"
#include "cli/command_table.h"
#include "library/run_options.h"
#include "routers/router.h"
#include "topology/topology.h"

#include <string.h>

/* ---- the words that are there ---- */

/* A walk over whole words. After a step `row` and `value` tell of an option, or row is NULL and
 * `value` is an operand. */
struct walk {
    const struct completion *completion;
    int next, operands; /* operands: so many were passed */
    bool ended;         /* by "--": what follows are operands */
    const struct meshcast_option *row;
    const char *value; /* NULL: a flag, or the value is still to come */
};

/* The option that `word` names, and its value if that is in the same word. */
static const struct meshcast_option *option_of(const struct command *command, const char *word,
                                               const char **value)
{
    size_t base, length = strcspn(word, "=");
    *value = NULL;
    if (word[1] != '-') {
        *value = word[1] != '\0' && word[2] != '\0' ? word + 2 : NULL;
        return option_find_letter(command->options, word[1], &base);
    }
    *value = word[length] == '=' ? word + length + 1 : NULL;
    return option_find(command->options, word + 2, length - 2, &base);
}

static bool walk_on(struct walk *walk)
{
    const struct completion *completion = walk->completion;
    while (walk->next < completion->words) {
        const char *word = completion->word[walk->next++];
        walk->row = NULL;
        if (walk->ended || word[0] != '-' || word[1] == '\0') {
            walk->value = word;
            walk->operands++;
            return true;
        }
        walk->ended = strcmp(word, "--") == 0;
        if (!walk->ended && (walk->row = option_of(completion->command, word, &walk->value))) {
            bool takes = walk->row->type != MESHCAST_OPTION_FLAG && walk->value == NULL;
            if (takes && walk->next < completion->words)
                walk->value = completion->word[walk->next++];
            return true;
        }
    }
    return false;
}

/* Whether `name` is an element of the list `text`. */
static bool is_listed(const char *text, const char *name)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        if (strncmp(text, name, length) == 0 && name[length] == '\0')
            return true;
        if (text[length] == '\0')
            return false;
        text += length + 1;
    }
}

bool completion_gives(const struct completion *completion, const struct name_family *names,
                      const char *name)
{
    struct walk walk = {.completion = completion};
    while (walk_on(&walk)) {
        const struct name_family *family =
            walk.row != NULL ? walk.row->names
                             : (walk.operands == 1 ? completion->command->operand_names : NULL);
        if (family == names && walk.value != NULL && (name == NULL || is_listed(walk.value, name)))
            return true;
    }
    return false;
}

/* ---- the word that has begun ---- */

/* Offers prefix and name together, where they go on from what has begun; `text`, if there is any, says
 * in its first line what they are. */
static void offer_with(const struct completion *completion, const char *prefix, const char *name,
                       const char *text)
{
    const char *rest = completion->begun + completion->at;
    size_t length = strlen(rest), before = strlen(prefix);
    size_t shared = length < before ? length : before;
    if (strncmp(rest, prefix, shared) == 0 && strncmp(rest + shared, name, length - shared) == 0)
        fprintf(completion->out, "%.*s%s%s%s%.*s\n", (int)completion->at, completion->begun, prefix,
                name, text != NULL ? "\t" : "", text != NULL ? (int)strcspn(text, "\n") : 0,
                text != NULL ? text : "");
}

static void offer(const struct completion *completion, const char *prefix, const char *name)
{
    offer_with(completion, prefix, name, NULL);
}

/* Whether the list that has begun names it already, before its last comma. */
static bool is_named_before(const struct completion *completion, const char *name)
{
    size_t length = strlen(name), at = completion->list;
    while (at < completion->at) {
        size_t word = strcspn(completion->begun + at, ",");
        if (word == length && strncmp(completion->begun + at, name, length) == 0)
            return true;
        at += word + 1;
    }
    return false;
}

static void offer_names(const struct completion *completion, const struct name_family *family)
{
    const char *name;
    for (uint32_t i = 0; (name = family->name_at(family->context, i)) != NULL; i++)
        if (!is_named_before(completion, name))
            offer(completion, family->prefix, name);
}

static void offer_commands(const struct completion *completion)
{
    const char *name;
    for (uint32_t i = 0; (name = command_names.name_at(NULL, i)) != NULL; i++)
        offer_with(completion, "", name,
                   completion->describes ? command_find(name)->summary : NULL);
}

static void offer_options(const struct completion *completion)
{
    const struct meshcast_option_table *tables = completion->command->options;
    struct name_family options = option_names(tables);
    const char *name;
    for (uint32_t i = 0; (name = options.name_at(options.context, i)) != NULL; i++) {
        size_t base;
        const struct meshcast_option *row = option_find(tables, name, strlen(name), &base);
        const char *help = row != NULL ? row->help : "print the command's help";
        offer_with(completion, options.prefix, name, completion->describes ? help : NULL);
    }
}

static void offer_files(const struct completion *completion)
{
    fprintf(completion->out, "FILE%s%.*s\n", completion->at == 0 ? "" : " ", (int)completion->at,
            completion->begun);
}

/* Moves behind the last comma, where there may be several values. */
static void pass_list(struct completion *completion)
{
    const char *comma = strrchr(completion->begun + completion->at, ',');
    completion->list = completion->at;
    if (comma != NULL)
        completion->at = (size_t)(comma - completion->begun) + 1;
}

void completion_offer_parameter(const struct completion *completion, const char *name)
{
    char word[80];
    snprintf(word, sizeof word, "%s=", name);
    if (strlen(completion->begun + completion->at) < strlen(word))
        offer(completion, "", word);
}

void completion_offer_value(const struct completion *completion, const char *name,
                            const char *value)
{
    struct completion behind = *completion;
    size_t length = strlen(name);
    const char *rest = completion->begun + completion->at;
    if (strncmp(rest, name, length) != 0 || rest[length] != '=')
        return;
    behind.at += length + 1;
    if (completion->row->is_list)
        pass_list(&behind);
    if (value[0] >= 'A' && value[0] <= 'Z')
        offer_files(&behind);
    else
        offer(&behind, "", value);
}

/* Kinds with their colons; behind "graph:" files. */
static void offer_topologies(const struct completion *completion)
{
    static const char graph[] = "graph:";
    const char *rest = completion->begun + completion->at;
    if (strncmp(rest, graph, strlen(graph)) == 0) {
        struct completion behind = *completion;
        behind.at += strlen(graph);
        offer_files(&behind);
        return;
    }
    for (int kind = 0; kind < TOPOLOGY_KINDS; kind++) {
        char word[TOPOLOGY_TEXT_SIZE];
        snprintf(word, sizeof word, "%s:", topology_kind_names[kind]);
        offer(completion, "", word);
    }
}

static bool gives(const void *line, const struct name_family *names, const char *value)
{
    return completion_gives(line, names, value);
}

static void offer_named(const void *line, const char *name, const char *value)
{
    if (value == NULL)
        completion_offer_parameter(line, name);
    else
        completion_offer_value(line, name, value);
}

static void offer_of_row(struct completion *completion, const struct meshcast_option *row)
{
    struct name_family choices = {"", "", "", name_of_array, row->choices};
    completion->row = row;
    if (row->is_list && !row->is_parameter)
        pass_list(completion);
    if (row->choices != NULL)
        offer_names(completion, &choices);
    if (row->names != NULL)
        offer_names(completion, row->names);
    bool is_plugin =
        row->names == &router_names && strchr(completion->begun + completion->at, '/') != NULL;
    if (row->is_file || is_plugin)
        offer_files(completion);
    if (row->is_topology)
        offer_topologies(completion);
    const struct meshcast_command_row *of_library = completion->command->row;
    if (row->is_parameter && completion->command->offer_parameters != NULL)
        completion->command->offer_parameters(completion);
    if (row->is_parameter && of_library != NULL && of_library->offer_parameters != NULL)
        of_library->offer_parameters(&(struct meshcast_offers){completion, gives, offer_named});
}

static void offer_second(const struct completion *completion)
{
    struct walk walk = {.completion = completion};
    while (walk_on(&walk) && walk.operands == 0)
        continue;
    const struct name_family *names = completion->command->second_names(walk.value);
    if (names != NULL)
        offer_names(completion, names);
}

static void offer_operand(const struct completion *completion, int number)
{
    const struct command *command = completion->command;
    if (number == 0 && command->operand_names != NULL)
        offer_names(completion, command->operand_names);
    else if (number == 1 && command->second_names != NULL)
        offer_second(completion);
    else if (number < command->most)
        offer_files(completion);
    else if (completion->begun[0] == '\0')
        offer_options(completion);
}

static void complete_argument(struct completion *completion)
{
    struct walk walk = {.completion = completion};
    const char *value;
    bool is_pending = false;
    while (walk_on(&walk))
        is_pending =
            walk.row != NULL && walk.row->type != MESHCAST_OPTION_FLAG && walk.value == NULL;
    bool is_option = !walk.ended && completion->begun[0] == '-' && !is_pending;
    const struct meshcast_option *row =
        is_option ? option_of(completion->command, completion->begun, &value) : NULL;
    if (is_pending) {
        offer_of_row(completion, walk.row);
    } else if (row != NULL && value != NULL) {
        completion->at = (size_t)(value - completion->begun);
        offer_of_row(completion, row);
    } else if (is_option) {
        offer_options(completion);
    } else {
        offer_operand(completion, walk.operands);
    }
}

void completion_print(char *const *word, int words, bool describes, FILE *out)
{
    struct completion completion = {.begun = word[words - 1], .describes = describes, .out = out};
    if (words == 1) {
        offer_commands(&completion);
        offer(&completion, "--", "help");
        offer(&completion, "--", "version");
        return;
    }
    completion.command = command_find(word[0]);
    completion.word = word + 1;
    completion.words = words - 2;
    if (completion.command != NULL)
        complete_argument(&completion);
}

/* Of the routers that the line names so far, or of all if it names none. */
void completion_offer_router_parameters(const struct completion *completion)
{
    run_offer_parameters(&(struct meshcast_offers){completion, gives, offer_named});
}
