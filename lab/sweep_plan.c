/* sweep_plan.c - the runs of a sweep.
 *
 * Method: two lists are made, of methods (a router with one choice of those constants that it has)
 * and of subjects; the plan is their product with the lists of the request, and run i is found from
 * i by division. Degree, congestion, messages per node and mesh belong to patterns; a set has its
 * own.
 *
 * Identity: a line of everything on which the figures of a run depend. Threads are not in it,
 * because results do not depend on them; nor is the folder of a file, because its contents are:
 * those of a set, of a graph that a pattern is made against, of a pattern's inputs, of a file that
 * a router's constant names. A message set's numbers are hashed (64-bit FNV-1a), not its file:
 * comments and the order of lines do not change the routing. Of other files the bytes are hashed.
 * Messages per node are no part of a workload's name, like degree and congestion: fits go over
 * them.
 */
#include "lab/sweep.h"

#include "library/adversary_graph.h"
#include "library/command_set.h"
#include "library/run_options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TYPICAL_CONGESTION = 16 }; /* default of patterns, only for the weight */

/* ---- contents ---- */

static const uint64_t HASH_BASIS = UINT64_C(0xcbf29ce484222325);

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t sweep_hash_text(const char *text)
{
    return hash_bytes(HASH_BASIS, text, strlen(text));
}

uint64_t sweep_hash_set(const struct message_set *set)
{
    const uint32_t head[] = {set->mesh.rows, set->mesh.cols, set->messages};
    uint64_t hash = hash_bytes(HASH_BASIS, head, sizeof head);
    hash = hash_bytes(hash, set->source, set->messages * sizeof *set->source);
    hash = hash_bytes(hash, set->offset, (set->messages + (size_t)1) * sizeof *set->offset);
    hash = hash_bytes(hash, set->destination, set->deliveries * sizeof *set->destination);
    if (set->start != NULL)
        hash = hash_bytes(hash, set->start, set->messages * sizeof *set->start);
    if (set->wait_offset == NULL)
        return hash;
    hash =
        hash_bytes(hash, set->wait_offset, (set->messages + (size_t)1) * sizeof *set->wait_offset);
    if (set->first_packet != NULL)
        hash = hash_bytes(hash, set->first_packet, set->messages * sizeof *set->first_packet);
    return hash_bytes(hash, set->wait_on, message_set_waits(set) * sizeof *set->wait_on);
}

static uint64_t hash_both(uint64_t first, uint64_t second)
{
    return hash_bytes(first, &second, sizeof second);
}

/* Hashes a file's bytes. FAIL_USAGE: the path is "-"; FAIL_SYSTEM: it cannot be read. */
static enum failure_kind hash_file(const char *path, uint64_t *hash, struct failure *failure)
{
    char part[16384];
    size_t got;
    *hash = HASH_BASIS;
    if (strcmp(path, "-") == 0)
        return fail(failure, FAIL_USAGE, "a sweep takes files; standard input is read only once");
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return fail(failure, FAIL_SYSTEM, "cannot open %.300s: %s", path, strerror(errno));
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        *hash = hash_bytes(*hash, part, got);
    if (ferror(file))
        fail(failure, FAIL_SYSTEM, "cannot read %.300s: %s", path, strerror(errno));
    fclose(file);
    return failure->kind;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Appends to a text of SWEEP_TEXT_SIZE bytes. */
static void __attribute__((format(printf, 3, 4)))
append(char *text, struct failure *failure, const char *format, ...)
{
    size_t used = strlen(text), room = SWEEP_TEXT_SIZE - used;
    va_list list;
    va_start(list, format);
    if ((size_t)vsnprintf(text + used, room, format, list) >= room)
        fail(failure, FAIL_USAGE, "%.40s... is too long: at most %d bytes", text,
             SWEEP_TEXT_SIZE - 1);
    va_end(list);
}

/* Appends a file's label after `before`, and hashes it. */
static void append_file(char *text, const char *before, const char *path, uint64_t *hash,
                        struct failure *failure)
{
    if (hash_file(path, hash, failure) == FAIL_NONE)
        append(text, failure, "%s%s@%08x", before, file_name(path),
               (unsigned)(*hash ^ *hash >> 32));
}

/* ---- methods ---- */

static int compare_constants(const void *left, const void *right)
{
    const struct constant_values *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* True if the router accepts the value of its parameter as the name of a file: it is none of its
 * words. */
static bool is_file(const struct router *router, const char *name, const char *value)
{
    char word[ROUTER_NAME_SIZE];
    uint32_t p = 0;
    bool has_files = false;
    while (strcmp(router_parameter_name(router, p), name) != 0)
        p++;
    for (uint32_t v = 0; router_parameter_choice(router, p, v, word); v++) {
        if (strcmp(word, value) == 0)
            return false;
        has_files |= strcmp(word, "FILE") == 0;
    }
    return has_files;
}

/* Sets the method's text, and the hash of its files. */
static enum failure_kind describe_method(struct sweep_method *method, struct failure *failure)
{
    const char *plugin = plugin_path(method->router);
    uint64_t hash;
    method->text[0] = '\0';
    method->files = 0;
    for (uint32_t i = 0; i < method->parameters; i++) {
        const struct router_parameter *own = &method->parameter[i];
        append(method->text, failure, "%s%s=", i == 0 ? "" : " ", own->name);
        if (is_file(method->router, own->name, own->value)) {
            append_file(method->text, "", own->value, &hash, failure);
            method->files = hash_both(method->files, hash);
        } else {
            append(method->text, failure, "%s", own->value);
        }
    }
    if (plugin != NULL && hash_file(plugin, &hash, failure) == FAIL_NONE)
        method->files = hash_both(method->files, hash);
    return failure->kind;
}

enum failure_kind sweep_check_method(const struct sweep_method *method, struct failure *failure)
{
    struct sweep_method now = *method;
    if (method->files != 0 && describe_method(&now, failure) == FAIL_NONE &&
        now.files != method->files)
        fail(failure, FAIL_INPUT, "a file of router %s has changed since the sweep began",
             method->router->name);
    return failure->kind;
}

/* FAIL_USAGE: none of the routers that have the constant accepts the value, which is a typing error
 * and not a request for failed runs. */
static enum failure_kind check_value(const struct router *const *router, uint32_t routers,
                                     const char *name, const char *value, struct failure *failure)
{
    struct failure refusal = {0};
    for (uint32_t r = 0; r < routers; r++) {
        if (!router_takes_parameter(router[r], name))
            continue;
        refusal = (struct failure){0};
        if (router_check_value(router[r], name, value, &refusal) == FAIL_NONE)
            return FAIL_NONE;
    }
    return fail_as(failure, &refusal);
}

static enum failure_kind fail_too_many(struct failure *failure)
{
    return fail(failure, FAIL_USAGE, "a sweep has at most %d runs; make the lists shorter",
                SWEEP_MOST_RUNS);
}

/* Returns the number of choices of the constants that a router has. */
static double count_choices(const struct router *router, const struct constant_list *constants)
{
    double choices = 1;
    for (uint32_t i = 0; i < constants->count; i++)
        if (router_takes_parameter(router, constants->constant[i].name))
            choices *= constants->constant[i].values.count;
    return choices;
}

/* Adds a router's methods: the product of the lists of those constants that it has. Two paths may
 * lead to one file: a repeated method is left out. */
static enum failure_kind add_methods(struct sweep_plan *plan, const struct router *router,
                                     const struct constant_list *constants, struct failure *failure)
{
    uint64_t choices = (uint64_t)count_choices(router, constants);
    for (uint64_t c = 0; c < choices; c++) {
        struct sweep_method *method = &plan->method[plan->methods++];
        uint64_t index = c;
        bool is_double = false;
        method->router = router;
        for (uint32_t i = 0; i < constants->count; i++) {
            const struct constant_values *constant = &constants->constant[i];
            if (!router_takes_parameter(router, constant->name))
                continue;
            method->parameter[method->parameters++] = (struct router_parameter){
                constant->name, constant->values.value[index % constant->values.count]};
            index /= constant->values.count;
        }
        if (describe_method(method, failure) != FAIL_NONE)
            return failure->kind;
        for (uint32_t i = 0; method->files != 0 && i + 1 < plan->methods; i++)
            is_double |= plan->method[i].router == router &&
                         strcmp(plan->method[i].text, method->text) == 0 &&
                         plan->method[i].files == method->files;
        if (is_double)
            plan->method[--plan->methods] = (struct sweep_method){0};
    }
    return FAIL_NONE;
}

static enum failure_kind make_methods(struct sweep_plan *plan, struct failure *failure)
{
    const struct word_list *names = &plan->request->list[SWEEP_ROUTERS];
    struct constant_list list = plan->request->constants;
    uint32_t routers = names->count == 0 ? router_count() : names->count;
    const struct router *router[OPTION_LIST_MAX];
    double count = 0;
    for (uint32_t r = 0; r < routers; r++)
        if (names->count == 0)
            router[r] = router_at(r);
        else if (run_find_router(names->value[r], &router[r], failure) != FAIL_NONE)
            return failure->kind;
    qsort(list.constant, list.count, sizeof list.constant[0], compare_constants);
    for (uint32_t i = 0; i < list.count && failure->kind == FAIL_NONE; i++) {
        const struct constant_values *constant = &list.constant[i];
        run_check_parameter(router, routers, constant->name, failure);
        for (uint32_t v = 0; v < constant->values.count && failure->kind == FAIL_NONE; v++)
            check_value(router, routers, constant->name, constant->values.value[v], failure);
    }
    for (uint32_t r = 0; r < routers; r++)
        count += count_choices(router[r], &list);
    if (failure->kind != FAIL_NONE)
        return failure->kind;
    if (count > SWEEP_MOST_RUNS)
        return fail_too_many(failure);
    plan->method = memory_allocate((size_t)count, sizeof *plan->method);
    if (plan->method == NULL)
        return fail_memory(failure, "the routers of the sweep");
    for (uint32_t r = 0; r < routers && failure->kind == FAIL_NONE; r++)
        add_methods(plan, router[r], &list, failure);
    return failure->kind;
}

/* ---- subjects ---- */

static uint32_t values_of(const struct word_list *list)
{
    return list->count == 0 ? 1 : list->count;
}

static void append_count(char *name, const char *what, uint32_t count, struct failure *failure)
{
    if (count != 0)
        append(name, failure, ":%s=%" PRIu32, what, count);
}

/* Appends the label of an input's file to the subject's name, and its hash to the subject's. */
static void append_input(struct sweep_subject *subject, const char *before, const char *path,
                         struct failure *failure)
{
    uint64_t hash = 0;
    append_file(subject->name, before, path, &hash, failure);
    subject->hash = hash_both(hash, subject->hash);
    subject->bytes = hash_both(hash, subject->bytes);
}

/* Appends the inputs that the pattern uses. */
static void append_inputs(struct sweep_subject *subject, const struct sweep_plan *plan,
                          struct failure *failure)
{
    const struct pattern_inputs *inputs = &plan->inputs;
    unsigned takes = subject->pattern->takes;
    enum expert_order order;
    if (takes & PATTERN_EXPERTS) {
        append_count(subject->name, "experts", inputs->experts, failure);
        if (!expert_order_find(inputs->place, &order))
            append_input(subject, ":place=", inputs->place, failure);
        else if (order != EXPERTS_SPREAD)
            append(subject->name, failure, ":place=%s", expert_order_names[order]);
        if (plan->files.load.count != NULL)
            append_input(subject, ":skew=", inputs->skew, failure);
        else if (inputs->skew != NULL)
            append(subject->name, failure, ":skew=%.9g", plan->files.load.exponent);
        append_count(subject->name, "layer", inputs->layer, failure);
    }
    if (takes & PATTERN_GROUPS) {
        append_count(subject->name, "groups", inputs->groups, failure);
        append_count(subject->name, "stride", inputs->stride, failure);
        if (inputs->group_file != NULL)
            append_input(subject, ":groups=", inputs->group_file, failure);
    }
    if ((takes & PATTERN_POPULATIONS) && inputs->matrix != NULL)
        append_input(subject, ":matrix=", inputs->matrix, failure);
    if ((takes & PATTERN_POPULATIONS) && inputs->active != 0)
        append(subject->name, failure, ":active=%.9g", inputs->active);
}

/* Fails unless the subject's file of missing parts fits all its meshes and, for a set that is not
 * NULL, every message can be sent on what remains. */
static void check_broken(const struct sweep_plan *plan, const struct sweep_subject *subject,
                         const struct message_set *set, struct failure *failure)
{
    const struct word_list *meshes = &plan->request->list[SWEEP_MESHES];
    for (uint32_t m = 0; m < (set != NULL ? 1 : meshes->count) && failure->kind == FAIL_NONE; m++) {
        struct mesh mesh = subject->mesh;
        if (set == NULL)
            option_take_mesh("side", meshes->value[m], &mesh, failure);
        const struct shape shape = shape_of_mesh(mesh);
        struct topology topology = topology_of_shape(&shape);
        if (command_break_topology(subject->broken, false, &topology, failure) == FAIL_NONE &&
            set != NULL)
            message_set_check_parts(set, subject->path, &topology, subject->broken, failure);
        topology_free(&topology);
    }
}

/* Adds the subject on each of the requested meshes, whole and broken, unless there is one of the
 * same name and contents: two paths may lead to one file. `set` is the subject's, NULL of a
 * pattern. */
static void add_subject(struct sweep_plan *plan, const struct sweep_subject *subject,
                        const struct message_set *set, struct failure *failure)
{
    const struct word_list *list = &plan->request->list[SWEEP_BROKEN];
    for (uint32_t b = 0; b < values_of(list) && failure->kind == FAIL_NONE; b++) {
        struct sweep_subject one = *subject;
        bool is_double = false;
        if (list->count > 0 && strcmp(list->value[b], "none") != 0) {
            one.broken = list->value[b];
            append_input(&one, ":without=", one.broken, failure);
            check_broken(plan, &one, set, failure);
        }
        for (uint32_t i = 0; i < plan->subjects && one.bytes != 0; i++)
            is_double |=
                plan->subject[i].hash == one.hash && strcmp(plan->subject[i].name, one.name) == 0;
        if (!is_double)
            plan->subject[plan->subjects++] = one;
    }
}

static enum failure_kind add_set(struct sweep_plan *plan, const char *path,
                                 const struct meshcast_command *command, struct failure *failure)
{
    struct message_set set;
    struct sweep_subject subject = {.path = path};
    struct import_summary summary;
    char note[SET_NOTE_SIZE];
    append(subject.name, failure, "%s", file_name(path));
    if (failure->kind != FAIL_NONE || hash_file(path, &subject.bytes, failure) != FAIL_NONE ||
        set_file_read(&set, &summary, path, NULL, failure) != FAIL_NONE)
        return failure->kind;
    if (message_set_fit_machine(&set, path, failure) == FAIL_NONE) {
        if (set_file_note(&set, &summary, path, note))
            command_note(command, "%s", note);
        subject.mesh = set.mesh;
        subject.hash = sweep_hash_set(&set);
        subject.congestion = message_set_congestion(&set);
        subject.per_node = message_set_most_sent(&set);
        add_subject(plan, &subject, &set, failure);
    }
    message_set_free(&set);
    return failure->kind;
}

static enum failure_kind add_graph(struct sweep_plan *plan, const struct pattern *pattern,
                                   const char *path, const char *share, struct failure *failure)
{
    share = share == NULL || strcmp(share, adversary_share_names[0]) == 0 ? NULL : share;
    struct sweep_subject subject = {.pattern = pattern, .path = path, .share = share};
    struct expander read = {0};
    append(subject.name, failure, "%s", pattern->name);
    append_file(subject.name, ":", path, &subject.hash, failure);
    subject.bytes = subject.hash;
    if (share != NULL)
        append(subject.name, failure, ":%s", share);
    if (failure->kind == FAIL_NONE)
        expander_read(&read, path, failure); /* so that a bad file is found before the first run */
    expander_free(&read);
    add_subject(plan, &subject, NULL, failure);
    return failure->kind;
}

/* Adds a pattern, of a collective one for each algorithm, or, if it needs a graph, the pattern
 * against each of them, with every share. */
static enum failure_kind add_pattern(struct sweep_plan *plan, const struct pattern *pattern,
                                     struct failure *failure)
{
    const struct word_list *graphs = &plan->request->list[SWEEP_GRAPHS];
    const struct word_list *shares = &plan->request->list[SWEEP_SHARES];
    const struct word_list *algorithms = &plan->request->list[SWEEP_ALGORITHMS];
    uint32_t count = pattern->takes & PATTERN_ALGORITHM ? algorithms->count : 0;
    for (uint32_t a = 0; !(pattern->needs & PATTERN_GRAPH) && (a == 0 || a < count); a++) {
        struct sweep_subject subject = {.pattern = pattern,
                                        .algorithm = count > 0 ? algorithms->value[a] : NULL};
        append(subject.name, failure, "%s%s%s", pattern->name, count > 0 ? ":" : "",
               count > 0 ? subject.algorithm : "");
        append_inputs(&subject, plan, failure);
        add_subject(plan, &subject, NULL, failure);
    }
    if (!(pattern->needs & PATTERN_GRAPH))
        return failure->kind;
    for (uint32_t g = 0; g < graphs->count; g++)
        for (uint32_t s = 0; s == 0 || s < shares->count; s++)
            if (add_graph(plan, pattern, graphs->value[g], shares->value[s], failure) != FAIL_NONE)
                return failure->kind;
    return FAIL_NONE;
}

static enum failure_kind check_request(const struct sweep_request *request,
                                       const struct pattern *const *pattern,
                                       struct failure *failure)
{
    const struct pattern *against = NULL;
    const struct word_list *list = request->list;
    uint32_t patterns = list[SWEEP_PATTERNS].count, of_patterns = 0;
    for (uint32_t p = 0; p < patterns; p++)
        if (pattern[p]->needs & PATTERN_GRAPH)
            against = pattern[p];
    for (int axis = SWEEP_PER_NODES; axis <= SWEEP_MESHES; axis++)
        of_patterns += list[axis].count;
    if (patterns == 0 && list[SWEEP_FILES].count == 0)
        return fail(failure, FAIL_USAGE, "nothing to route: give --pattern and --side, or --set");
    if (patterns != 0 && list[SWEEP_MESHES].count == 0)
        return fail(failure, FAIL_USAGE, "missing --side M,...: the meshes of the patterns");
    if (patterns == 0 && of_patterns != 0)
        return fail(failure, FAIL_USAGE,
                    "--side, --degree, --congestion and --per-node are for --pattern; a set has "
                    "its own");
    struct pattern_inputs inputs = request->inputs;
    inputs.algorithm = list[SWEEP_ALGORITHMS].count > 0 ? ALGORITHM_DIRECT : ALGORITHM_NONE;
    if (pattern_inputs_check(&inputs, pattern, patterns, failure) != FAIL_NONE)
        return failure->kind;
    if (against == NULL && list[SWEEP_GRAPHS].count + list[SWEEP_SHARES].count != 0)
        return fail(failure, FAIL_USAGE, "--against and --against-share are for pattern adversary");
    if (against != NULL && list[SWEEP_GRAPHS].count == 0)
        return fail(failure, FAIL_USAGE,
                    "pattern %s needs --against GRAPHFILE,..., from 'meshcast expander make'",
                    against->name);
    return FAIL_NONE;
}

static enum failure_kind make_subjects(struct sweep_plan *plan,
                                       const struct meshcast_command *command,
                                       struct failure *failure)
{
    const struct sweep_request *request = plan->request;
    const struct word_list *names = &request->list[SWEEP_PATTERNS];
    const struct word_list *files = &request->list[SWEEP_FILES];
    size_t most = names->count * (1 + (size_t)request->list[SWEEP_ALGORITHMS].count) +
                  files->count + (size_t)request->list[SWEEP_GRAPHS].count * ADVERSARY_SHARES;
    const struct pattern *pattern[OPTION_LIST_MAX];
    plan->inputs = request->inputs;
    most *= values_of(&request->list[SWEEP_BROKEN]);
    for (uint32_t p = 0; p < names->count; p++)
        pattern_look_up(names->value[p], &pattern[p], failure);
    if (failure->kind != FAIL_NONE || check_request(request, pattern, failure) != FAIL_NONE ||
        pattern_inputs_read(&plan->inputs, &plan->files, failure) != FAIL_NONE)
        return failure->kind;
    plan->subject = memory_allocate(most, sizeof *plan->subject);
    if (plan->subject == NULL)
        return fail_memory(failure, "the workloads of the sweep");
    for (uint32_t p = 0; p < names->count && failure->kind == FAIL_NONE; p++)
        add_pattern(plan, pattern[p], failure);
    plan->patterns = plan->subjects;
    for (uint32_t f = 0; f < files->count && failure->kind == FAIL_NONE; f++)
        add_set(plan, files->value[f], command, failure);
    return failure->kind;
}

enum failure_kind sweep_check_subject(const struct sweep_plan *plan,
                                      const struct sweep_subject *subject, struct failure *failure)
{
    struct sweep_subject now = {.pattern = subject->pattern};
    if (subject->path == NULL)
        append_inputs(&now, plan, failure);
    else
        hash_file(subject->path, &now.bytes, failure);
    if (subject->broken != NULL)
        append_input(&now, "", subject->broken, failure);
    if (failure->kind == FAIL_NONE && now.bytes != subject->bytes)
        fail(failure, FAIL_INPUT, "a file of workload %.200s has changed since the sweep began",
             subject->name);
    return failure->kind;
}

/* ---- the plan ---- */

/* The axes whose values an option of the library checks. */
static const struct {
    const char *command, *option;
} CHECKS[SWEEP_AXES] = {
    [SWEEP_BUFFERS] = {"route", "buffer"},   [SWEEP_COPIES] = {"route", "copy"},
    [SWEEP_PER_NODES] = {"gen", "per-node"}, [SWEEP_CONGESTIONS] = {"gen", "congestion"},
    [SWEEP_DEGREES] = {"gen", "degree"},     [SWEEP_MESHES] = {"gen", "side"},
};

/* FAIL_USAGE: a word of a list is not accepted by its option in `gen` or `route`. */
static enum failure_kind check_words(const struct sweep_request *request, struct failure *failure)
{
    struct meshcast_error error = {.status = MESHCAST_OK};
    uint32_t place;
    for (int axis = 0; axis < SWEEP_AXES && failure->kind == FAIL_NONE; axis++) {
        const struct word_list *list = &request->list[axis];
        struct meshcast_command *command = meshcast_command_new(CHECKS[axis].command, &error);
        if (command != NULL)
            meshcast_command_set_program(command, NULL, NULL);
        for (uint32_t i = 0; i < list->count && error.status == MESHCAST_OK; i++)
            meshcast_command_set(command, CHECKS[axis].option, list->value[i], &error);
        meshcast_command_free(command);
        if (error.status != MESHCAST_OK)
            fail(failure, (enum failure_kind)error.status, "%s", error.text);
    }
    for (uint32_t i = 0; i < request->list[SWEEP_SHARES].count && failure->kind == FAIL_NONE; i++)
        option_take_choice("against-share", adversary_share_names,
                           request->list[SWEEP_SHARES].value[i], &place, failure);
    for (uint32_t i = 0; i < request->list[SWEEP_ALGORITHMS].count; i++)
        option_take_choice("algorithm", collective_algorithm_names + 1,
                           request->list[SWEEP_ALGORITHMS].value[i], &place, failure);
    return failure->kind;
}

static uint32_t seeds_of(const struct sweep_request *request)
{
    return request->seeds == 0 ? 1 : request->seeds;
}

/* Returns the place among all runs of run `index` of a part. Each group of `parts` consecutive runs
 * has one of each part, in an order that rotates from group to group, so that no part has runs of
 * only one router. */
static uint64_t place_in_all(const struct sweep_plan *plan, uint64_t index)
{
    uint64_t parts = plan->request->parts == 0 ? 1 : plan->request->parts;
    return index * parts + (plan->request->part + index) % parts;
}

enum failure_kind sweep_plan_make(struct sweep_plan *plan, const struct sweep_request *request,
                                  const struct meshcast_command *command, struct failure *failure)
{
    *plan = (struct sweep_plan){.request = request};
    if (request->first_seed > UINT64_MAX - (seeds_of(request) - 1))
        fail(failure, FAIL_USAGE, "--seed and --seeds lead beyond 2^64-1");
    else if (check_words(request, failure) == FAIL_NONE && make_methods(plan, failure) == FAIL_NONE)
        make_subjects(plan, command, failure);
    plan->of_patterns = plan->patterns;
    for (int axis = SWEEP_PER_NODES; axis < SWEEP_MESHES; axis++)
        plan->of_patterns *= values_of(&request->list[axis]);
    plan->of_patterns *= request->list[SWEEP_MESHES].count;
    double runs = (plan->of_patterns + (plan->subjects - plan->patterns)) * plan->methods *
                  values_of(&request->list[SWEEP_COPIES]) *
                  values_of(&request->list[SWEEP_BUFFERS]) * seeds_of(request);
    if (failure->kind == FAIL_NONE && runs > SWEEP_MOST_RUNS)
        fail_too_many(failure);
    uint64_t groups = (uint64_t)runs / (request->parts == 0 ? 1 : request->parts);
    plan->runs = groups + (place_in_all(plan, groups) < (uint64_t)runs);
    if (failure->kind != FAIL_NONE)
        sweep_plan_free(plan);
    return failure->kind;
}

void sweep_plan_free(struct sweep_plan *plan)
{
    free(plan->method);
    free(plan->subject);
    pattern_files_free(&plan->files);
    *plan = (struct sweep_plan){0};
}

/* Returns the place in a list with so many values that the index of a product has, and removes it
 * from the index. */
static uint32_t next_place(uint64_t *index, uint32_t values)
{
    uint32_t place = (uint32_t)(*index % values);
    *index /= values;
    return place;
}

/* Returns a value of a list in the same way; NULL if it was not given. */
static const char *next_value(uint64_t *index, const struct word_list *list)
{
    return list->count == 0 ? NULL : list->value[next_place(index, list->count)];
}

struct sweep_case sweep_plan_case(const struct sweep_plan *plan, uint64_t index)
{
    const struct sweep_request *request = plan->request;
    struct sweep_case run = {0};
    struct failure none = {0};
    index = place_in_all(plan, index);
    run.method = &plan->method[next_place(&index, plan->methods)];
    run.value[SWEEP_BUFFERS] = next_value(&index, &request->list[SWEEP_BUFFERS]);
    run.value[SWEEP_COPIES] = next_value(&index, &request->list[SWEEP_COPIES]);
    if (run.value[SWEEP_COPIES] == NULL)
        run.value[SWEEP_COPIES] = run_copy_names[0];
    run.seed = request->first_seed + next_place(&index, seeds_of(request));
    run.workload = index;
    if ((double)index >= plan->of_patterns) {
        run.subject = &plan->subject[plan->patterns + index - (uint64_t)plan->of_patterns];
        run.mesh = run.subject->mesh;
        return run;
    }
    for (int axis = SWEEP_PER_NODES; axis < SWEEP_MESHES; axis++)
        run.value[axis] = next_value(&index, &request->list[axis]);
    if (run.value[SWEEP_PER_NODES] != NULL && strcmp(run.value[SWEEP_PER_NODES], "1") == 0)
        run.value[SWEEP_PER_NODES] = NULL; /* the default is not set */
    run.subject = &plan->subject[next_place(&index, plan->patterns)];
    option_take_mesh("side", request->list[SWEEP_MESHES].value[index], &run.mesh, &none);
    return run;
}

double sweep_case_weight(const struct sweep_case *run)
{
    const struct sweep_subject *subject = run->subject;
    const char *congestion = run->value[SWEEP_CONGESTIONS], *per_node = run->value[SWEEP_PER_NODES];
    double nodes = mesh_nodes(run->mesh);
    double c = congestion == NULL ? TYPICAL_CONGESTION : atof(congestion);
    double l = per_node == NULL ? 1 : atof(per_node);
    if (subject->pattern == NULL) {
        c = subject->congestion;
        l = subject->per_node;
    }
    return nodes * sqrt(l * nodes * c);
}

/* ---- texts ---- */

/* Writes a value of the run after `before`, or nothing if there is none; returns the text. */
static const char *value_text(char text[40], const char *before, const char *value)
{
    snprintf(text, 40, "%s%s", value == NULL ? "" : before, value == NULL ? "" : value);
    return text;
}

static const char *or_zero(const char *value)
{
    return value == NULL ? "0" : value;
}

void sweep_case_identity(const struct sweep_case *run, char identity[SWEEP_IDENTITY_SIZE])
{
    const struct sweep_subject *subject = run->subject;
    const char *const *value = run->value;
    char input[32] = "pattern", files[32] = "", per_node[40];
    if (subject->hash != 0)
        snprintf(input, sizeof input, "%016" PRIx64, subject->hash);
    if (run->method->files != 0)
        snprintf(files, sizeof files, "; files %016" PRIx64, run->method->files);
    snprintf(identity, SWEEP_IDENTITY_SIZE,
             "meshcast %s; router %s; parameters %s%s; copy %s; buffer %s; workload %s; "
             "input %s; rows %" PRIu32 "; cols %" PRIu32 "; degree %s; congestion %s%s; seed "
             "%" PRIu64,
             MESHCAST_VERSION, run->method->router->name, run->method->text, files,
             value[SWEEP_COPIES], or_zero(value[SWEEP_BUFFERS]), subject->name, input,
             run->mesh.rows, run->mesh.cols, or_zero(value[SWEEP_DEGREES]),
             or_zero(value[SWEEP_CONGESTIONS]),
             value_text(per_node, "; per node ", value[SWEEP_PER_NODES]), run->seed);
}

void sweep_case_describe(const struct sweep_case *run, char *text, size_t size)
{
    const char *const *value = run->value;
    char number[4][40];
    snprintf(text, size, "%s%s%s, copies %s%s, %s %" PRIu32 " x %" PRIu32 "%s%s%s, seed %" PRIu64,
             run->method->router->name, *run->method->text == '\0' ? "" : " ", run->method->text,
             value[SWEEP_COPIES], value_text(number[0], ", buffer ", value[SWEEP_BUFFERS]),
             run->subject->name, run->mesh.rows, run->mesh.cols,
             value_text(number[1], ", d = ", value[SWEEP_DEGREES]),
             value_text(number[2], ", c = ", value[SWEEP_CONGESTIONS]),
             value_text(number[3], ", l = ", value[SWEEP_PER_NODES]), run->seed);
}
