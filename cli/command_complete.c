/* command_complete.c - `meshcast complete`: the candidates for the next word of a command line, for
 * shells.
 *
 * cli/completion.bash, .zsh and .fish call it at every press of the key; people may call it to see
 * the candidates.
 *
 * Method: the complete words are walked as command_line_read() would walk them. So it is known if
 * the begun word is an option's value, an option, or the operand of some number. Its end, after
 * `--name=`, the last comma of a list, or `NAME=`, is then compared with the names that the tables
 * have for it. The part before is printed with each candidate, so that candidates are words.
 *
 * Nothing fails: a wrong line gets no candidates.
 */
#include "cli/command.h"

#include <string.h>

/* A line after the command's name: complete words, and one that is only begun, perhaps "". */
struct completion {
    const struct command *command;
    char *const *word;
    int words;
    const char *begun;
    size_t at;                         /* where the part to be completed begins in `begun` */
    size_t list;                       /* where the list of that element begins */
    const struct meshcast_option *row; /* the option of the value to be completed; NULL: none */
    bool describes;                    /* a command or an option is followed by its description */
};

/* ---- the complete words ---- */

/* A walk over complete words. After a step either `row` and `value` are an option, or row is NULL
 * and `value` is an operand. */
struct walk {
    const struct completion *completion;
    int next, operands; /* operands: number of operands passed */
    bool ended;         /* by "--": the rest are operands */
    const struct meshcast_option *row;
    const char *value; /* NULL: a flag, or the value is the next word */
};

/* Returns the option that `word` names, and its value if that is in the same word. */
static const struct meshcast_option *option_of(const struct command *command, const char *word,
                                               const char **value)
{
    size_t length = strcspn(word, "=");
    *value = NULL;
    if (word[1] != '-') {
        *value = word[1] != '\0' && word[2] != '\0' ? word + 2 : NULL;
        return command_find_letter(command, word[1], NULL);
    }
    *value = word[length] == '=' ? word + length + 1 : NULL;
    return command_find_option(command, word + 2, length - 2, NULL);
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

/* True if `name` is an element of the list `text`. */
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

/* True if an option or operand that accepts these names was given `name`, by itself or in a list;
 * NULL: any name. */
static bool gives(const void *line, const struct name_family *names, const char *name)
{
    const struct completion *completion = line;
    struct walk walk = {.completion = completion};
    while (walk_on(&walk)) {
        const struct name_family *family =
            walk.row != NULL
                ? walk.row->names
                : (walk.operands == 1 ? command_row(completion->command)->operand_names : NULL);
        if (family == names && walk.value != NULL && (name == NULL || is_listed(walk.value, name)))
            return true;
    }
    return false;
}

/* ---- the begun word ---- */

/* Offers prefix and name together if they continue the begun word; `text`, if any, describes them
 * in its first line. */
static void offer_with(const struct completion *completion, const char *prefix, const char *name,
                       const char *text)
{
    const char *rest = completion->begun + completion->at;
    size_t length = strlen(rest), before = strlen(prefix);
    size_t shared = length < before ? length : before;
    if (strncmp(rest, prefix, shared) == 0 && strncmp(rest + shared, name, length - shared) == 0)
        printf("%.*s%s%s%s%.*s\n", (int)completion->at, completion->begun, prefix, name,
               text != NULL ? "\t" : "", text != NULL ? (int)strcspn(text, "\n") : 0,
               text != NULL ? text : "");
}

static void offer(const struct completion *completion, const char *prefix, const char *name)
{
    offer_with(completion, prefix, name, NULL);
}

/* True if the list that is being typed has `name` before its last comma. */
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
                   completion->describes ? command_row(command_find(name))->summary : NULL);
}

static void offer_options(const struct completion *completion)
{
    const struct command *command = completion->command;
    struct name_family options = command_option_names(command);
    const char *name;
    for (uint32_t i = 0; (name = options.name_at(options.context, i)) != NULL; i++) {
        const struct meshcast_option *row = command_find_option(command, name, strlen(name), NULL);
        const char *help = row != NULL ? row->help : "print the command's help";
        offer_with(completion, options.prefix, name, completion->describes ? help : NULL);
    }
}

static void offer_files(const struct completion *completion)
{
    printf("FILE%s%.*s\n", completion->at == 0 ? "" : " ", (int)completion->at, completion->begun);
}

/* Passes the last comma of a list of values. */
static void pass_list(struct completion *completion)
{
    const char *comma = strrchr(completion->begun + completion->at, ',');
    completion->list = completion->at;
    if (comma != NULL)
        completion->at = (size_t)(comma - completion->begun) + 1;
}

/* Offers "NAME=" if it continues the begun word, or the value "NAME=VALUE" if "NAME=" is complete.
 * A VALUE in capitals is a file. */
static void offer_named(const void *line, const char *name, const char *value)
{
    struct completion behind = *(const struct completion *)line;
    const char *rest = behind.begun + behind.at;
    char word[80];
    size_t length = (size_t)snprintf(word, sizeof word, "%s=", name);
    if (value == NULL && strlen(rest) < length)
        offer(&behind, "", word);
    if (value == NULL || strncmp(rest, word, length) != 0)
        return;
    behind.at += length;
    if (behind.row->is_list)
        pass_list(&behind);
    if (value[0] >= 'A' && value[0] <= 'Z')
        offer_files(&behind);
    else
        offer(&behind, "", value);
}

/* Offers kinds of topologies with their colons; after "graph:" files. */
static void offer_topologies(const struct completion *completion)
{
    static const char *const kinds[] = {"mesh:", "torus:", "graph:", NULL};
    static const struct name_family family = {"", "", "", name_of_array, kinds};
    struct completion behind = *completion;
    behind.at += strlen("graph:");
    if (strncmp(completion->begun + completion->at, "graph:", strlen("graph:")) == 0)
        offer_files(&behind);
    else
        offer_names(completion, &family);
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
    bool is_plugin = row->names != NULL && strcmp(row->names->singular, "router") == 0 &&
                     strchr(completion->begun + completion->at, '/') != NULL;
    if (row->is_file || is_plugin)
        offer_files(completion);
    if (row->is_topology)
        offer_topologies(completion);
    const struct meshcast_command_row *command = command_row(completion->command);
    if (row->is_parameter && command->offer_parameters != NULL)
        command->offer_parameters(&(struct meshcast_offers){completion, gives, offer_named});
}

static void offer_second(const struct completion *completion)
{
    struct walk walk = {.completion = completion};
    while (walk_on(&walk) && walk.operands == 0)
        continue;
    const struct name_family *names = command_row(completion->command)->second_names(walk.value);
    if (names != NULL)
        offer_names(completion, names);
}

static void offer_operand(const struct completion *completion, int number)
{
    const struct meshcast_command_row *command = command_row(completion->command);
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

struct complete_options {
    bool describe;
};

static const struct meshcast_option rows[] = {
    {.name = "describe",
     .help = "after each command and option a tab and its description",
     .type = MESHCAST_OPTION_FLAG,
     .offset = offsetof(struct complete_options, describe)},
};

/* Prints the candidates for the last operand, a line each. The first operand is the command's name,
 * unless it is the word to be completed. */
enum failure_kind command_complete_run(void *options, const struct operands *operands,
                                       struct failure *failure)
{
    const struct complete_options *complete = options;
    struct completion completion = {.begun = operands->operand[operands->count - 1],
                                    .describes = complete->describe};
    (void)failure;
    if (operands->count == 1) {
        offer_commands(&completion);
        offer(&completion, "--", "help");
        offer(&completion, "--", "version");
        return FAIL_NONE;
    }
    completion.command = command_find(operands->operand[0]);
    completion.word = operands->operand + 1;
    completion.words = operands->count - 2;
    if (completion.command != NULL)
        complete_argument(&completion);
    return FAIL_NONE;
}

static void print_more(FILE *out)
{
    fputs(
        "\nWORDs are a command line without its first word; the last of them has only begun, and\n"
        "may be empty. The words that may take its place are printed, one per line. A line FILE\n"
        "stands for the names of files; with a text after it, for this text and names of\n"
        "files. Nothing to offer is no failure.\n",
        out);
}

const struct meshcast_command_row command_complete = {
    .name = "complete",
    .summary = "the possible next words of a command line, for shells",
    .examples = "  meshcast complete -- ro\n"
                "  meshcast complete --describe -- route --he\n"
                "  meshcast complete -- route set.mcast --router ''\n"
                "  meshcast complete -- route set.mcast --router trees --param ''\n",
    .synopsis = "[options] -- WORD...",
    .operands = "the words of a command line",
    .least = 1,
    .most = 1000000,
    .options_size = sizeof(struct complete_options),
    .options = {{rows, sizeof rows / sizeof rows[0], 0}},
    .print_more = print_more,
};
