/* sweep_plan.c - which runs a sweep consists of.
 *
 * Method: two lists are made, of methods (a router with one choice of its constants) and of
 * workloads (a pattern on a mesh with d and c, or a file); the plan is the product of these with
 * copies, buffers and seeds, and run i is found from i by division. A constant goes to the routers
 * that have it, so a router never has two methods that are the same.
 *
 * Identity: a line of all that the figures of a run depend on. Threads are not among it, because
 * results do not depend on them; nor is the folder of a file, because its contents are (a 64-bit
 * FNV-1a hash of the set, comments and the order of lines aside). A file that a router's constant
 * names is known by its name alone.
 */
#include "cli/sweep_plan.h"

#include "cli/command.h"
#include "cli/run_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MOST_RUNS = 10000000;

enum { TYPICAL_CONGESTION = 16 }; /* of patterns' defaults, for the weight alone */

/* ---- hash ---- */

static const uint64_t HASH_BASIS = UINT64_C(0xcbf29ce484222325);

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t sweep_set_hash(const struct message_set *set)
{
    const uint32_t head[] = {set->mesh.rows, set->mesh.cols, set->messages};
    uint64_t hash = hash_bytes(HASH_BASIS, head, sizeof head);
    hash = hash_bytes(hash, set->source, set->messages * sizeof *set->source);
    hash = hash_bytes(hash, set->offset, (set->messages + (size_t)1) * sizeof *set->offset);
    return hash_bytes(hash, set->destination, set->deliveries * sizeof *set->destination);
}

uint64_t sweep_identity_hash(const char *identity)
{
    return hash_bytes(HASH_BASIS, identity, strlen(identity));
}

/* ---- methods ---- */

static int compare_parameters(const void *left, const void *right)
{
    const struct router_parameter *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* Choice `index` of the constants that the router has. */
static enum failure_kind fill_method(struct sweep_method *method, const struct router *router,
                                     const struct sweep_constants *constants, uint64_t index,
                                     struct failure *failure)
{
    *method = (struct sweep_method){.router = router};
    for (uint32_t i = 0; i < constants->count; i++) {
        const struct sweep_constant *constant = &constants->constant[i];
        if (!router_takes_parameter(router, constant->name))
            continue;
        method->parameter[method->parameters++] = (struct router_parameter){
            constant->name, constant->values.value[index % constant->values.count]};
        index /= constant->values.count;
    }
    qsort(method->parameter, method->parameters, sizeof *method->parameter, compare_parameters);
    size_t used = 0;
    for (uint32_t i = 0; i < method->parameters; i++) {
        used += (size_t)snprintf(method->text + used, sizeof method->text - used, "%s%s=%s",
                                 i == 0 ? "" : " ", method->parameter[i].name,
                                 method->parameter[i].value);
        if (used >= sizeof method->text)
            return fail(failure, FAIL_USAGE, "the values of --param are too long: at most %d bytes",
                        SWEEP_TEXT_SIZE - 1);
    }
    return FAIL_NONE;
}

/* How many choices of the constants a router has. */
static uint64_t count_choices(const struct router *router, const struct sweep_constants *constants)
{
    uint64_t choices = 1;
    for (uint32_t i = 0; i < constants->count && choices <= MOST_RUNS; i++)
        if (router_takes_parameter(router, constants->constant[i].name))
            choices *= constants->constant[i].values.count;
    return choices;
}

static uint32_t count_routers(const struct sweep_request *request)
{
    return request->routers.count == 0 ? router_count() : request->routers.count;
}

static const struct router *router_of(const struct sweep_request *request, uint32_t index)
{
    return request->routers.count == 0 ? router_at(index) : request->routers.value[index];
}

/* A constant that none of the routers has is a slip of the pen, not a wish for failed runs. */
static enum failure_kind check_constants(const struct sweep_request *request,
                                         struct failure *failure)
{
    for (uint32_t i = 0; i < request->constants.count; i++) {
        const char *name = request->constants.constant[i].name;
        bool taken = false;
        for (uint32_t r = 0; r < count_routers(request); r++)
            taken = taken || router_takes_parameter(router_of(request, r), name);
        if (!taken)
            return fail(failure, FAIL_USAGE, "none of the routers has a constant '%.40s'", name);
    }
    return FAIL_NONE;
}

static enum failure_kind fail_too_many(struct failure *failure)
{
    return fail(failure, FAIL_USAGE, "a sweep has at most %" PRIu64 " runs; make the lists shorter",
                MOST_RUNS);
}

static enum failure_kind make_methods(struct sweep_plan *plan, const struct sweep_request *request,
                                      struct failure *failure)
{
    uint64_t count = 0;
    if (check_constants(request, failure) != FAIL_NONE)
        return failure->kind;
    for (uint32_t r = 0; r < count_routers(request); r++)
        count += count_choices(router_of(request, r), &request->constants);
    if (count > MOST_RUNS)
        return fail_too_many(failure);
    plan->method = memory_allocate(count, sizeof *plan->method);
    if (plan->method == NULL)
        return fail_memory(failure, "the routers of the sweep");
    for (uint32_t r = 0; r < count_routers(request); r++) {
        const struct router *router = router_of(request, r);
        uint64_t choices = count_choices(router, &request->constants);
        for (uint64_t i = 0; i < choices; i++)
            if (fill_method(&plan->method[plan->methods++], router, &request->constants, i,
                            failure) != FAIL_NONE)
                return failure->kind;
    }
    return FAIL_NONE;
}

/* ---- workloads ---- */

static double weight_of(struct mesh mesh, uint32_t congestion)
{
    double nodes = mesh_nodes(mesh);
    return nodes * sqrt(nodes * (congestion == 0 ? TYPICAL_CONGESTION : congestion));
}

static void add_patterns(struct sweep_plan *plan, const struct sweep_request *request,
                         const struct pattern *pattern, struct mesh mesh)
{
    const struct sweep_numbers *degrees = &request->degrees, *congestions = &request->congestions;
    for (uint32_t d = 0; d == 0 || d < degrees->count; d++)
        for (uint32_t c = 0; c == 0 || c < congestions->count; c++) {
            uint32_t congestion = congestions->count == 0 ? 0 : congestions->value[c];
            plan->workload[plan->workloads++] =
                (struct sweep_workload){.name = pattern->name,
                                        .pattern = pattern,
                                        .mesh = mesh,
                                        .degree = degrees->count == 0 ? 0 : degrees->value[d],
                                        .congestion = congestion,
                                        .weight = weight_of(mesh, congestion)};
        }
}

static enum failure_kind add_file(struct sweep_plan *plan, const char *path,
                                  struct failure *failure)
{
    struct message_set set;
    const char *slash = strrchr(path, '/');
    struct sweep_workload workload = {.name = slash == NULL ? path : slash + 1, .file = path};
    if (strcmp(path, "-") == 0)
        return fail(failure, FAIL_USAGE, "--set takes files; standard input is read only once");
    if (strlen(workload.name) >= SWEEP_TEXT_SIZE)
        return fail(failure, FAIL_USAGE, "the name %.40s... is too long", workload.name);
    if (message_set_read(&set, path, failure) != FAIL_NONE)
        return failure->kind;
    workload.mesh = set.mesh;
    workload.file_hash = sweep_set_hash(&set);
    workload.weight = weight_of(set.mesh, message_set_congestion(&set));
    message_set_free(&set);
    for (uint32_t i = 0; i < plan->workloads; i++) {
        const struct sweep_workload *other = &plan->workload[i];
        if (other->file_hash == workload.file_hash && strcmp(other->name, workload.name) == 0)
            return FAIL_NONE;
    }
    plan->workload[plan->workloads++] = workload;
    return FAIL_NONE;
}

static enum failure_kind check_workloads(const struct sweep_request *request,
                                         struct failure *failure)
{
    if (request->patterns.count == 0 && request->files.count == 0)
        return fail(failure, FAIL_USAGE, "nothing to route: give --pattern and --side, or --set");
    if (request->patterns.count != 0 && request->meshes.count == 0)
        return fail(failure, FAIL_USAGE, "missing --side M,...: the meshes of the patterns");
    if (request->patterns.count == 0 &&
        (request->meshes.count != 0 || request->degrees.count != 0 ||
         request->congestions.count != 0))
        return fail(failure, FAIL_USAGE,
                    "--side, --degree and --congestion are for --pattern; a set has its own");
    return FAIL_NONE;
}

static enum failure_kind make_workloads(struct sweep_plan *plan,
                                        const struct sweep_request *request,
                                        struct failure *failure)
{
    if (check_workloads(request, failure) != FAIL_NONE)
        return failure->kind;
    uint32_t degrees = request->degrees.count == 0 ? 1 : request->degrees.count;
    uint32_t congestions = request->congestions.count == 0 ? 1 : request->congestions.count;
    uint64_t count =
        (uint64_t)request->patterns.count * request->meshes.count * degrees * congestions +
        request->files.count;
    if (count > MOST_RUNS)
        return fail_too_many(failure);
    plan->workload = memory_allocate(count, sizeof *plan->workload);
    if (plan->workload == NULL)
        return fail_memory(failure, "the workloads of the sweep");
    for (uint32_t m = 0; m < request->meshes.count; m++)
        for (uint32_t p = 0; p < request->patterns.count; p++)
            add_patterns(plan, request, request->patterns.value[p], request->meshes.value[m]);
    for (uint32_t f = 0; f < request->files.count; f++)
        if (add_file(plan, request->files.value[f], failure) != FAIL_NONE)
            return failure->kind;
    return FAIL_NONE;
}

/* ---- the plan ---- */

static void take_numbers(const struct sweep_numbers *list, uint32_t *count, uint32_t *value)
{
    *count = list->count == 0 ? 1 : list->count; /* the default is 0 */
    memcpy(value, list->value, sizeof list->value);
    if (list->count == 0)
        value[0] = 0;
}

enum failure_kind sweep_plan_make(struct sweep_plan *plan, const struct sweep_request *request,
                                  struct failure *failure)
{
    *plan = (struct sweep_plan){.first_seed = request->first_seed,
                                .seeds = request->seeds == 0 ? 1 : request->seeds};
    take_numbers(&request->copies, &plan->copies, plan->copy);
    take_numbers(&request->buffers, &plan->buffers, plan->buffer);
    if (request->first_seed > UINT64_MAX - (plan->seeds - 1))
        fail(failure, FAIL_USAGE, "--seed and --seeds lead beyond 2^64-1");
    else if (make_methods(plan, request, failure) == FAIL_NONE)
        make_workloads(plan, request, failure);

    double runs = (double)plan->methods * plan->workloads * plan->copies * plan->buffers;
    if (failure->kind == FAIL_NONE && runs * plan->seeds > (double)MOST_RUNS)
        fail_too_many(failure);
    plan->runs = (uint64_t)runs * plan->seeds;
    if (failure->kind != FAIL_NONE)
        sweep_plan_free(plan);
    return failure->kind;
}

void sweep_plan_free(struct sweep_plan *plan)
{
    free(plan->method);
    free(plan->workload);
    *plan = (struct sweep_plan){0};
}

struct sweep_case sweep_plan_case(const struct sweep_plan *plan, uint64_t index)
{
    struct sweep_case run;
    run.method = &plan->method[index % plan->methods];
    index /= plan->methods;
    run.buffer = plan->buffer[index % plan->buffers];
    index /= plan->buffers;
    run.copy = plan->copy[index % plan->copies];
    index /= plan->copies;
    run.seed = plan->first_seed + index % plan->seeds;
    index /= plan->seeds;
    run.workload = &plan->workload[index];
    return run;
}

static const char *copy_name(const struct sweep_case *run)
{
    return run_copy_name(&(struct run_options){.copy = run->copy});
}

void sweep_case_identity(const struct sweep_case *run, char identity[SWEEP_IDENTITY_SIZE])
{
    const struct sweep_workload *workload = run->workload;
    char input[32] = "pattern";
    if (workload->file != NULL)
        snprintf(input, sizeof input, "%016" PRIx64, workload->file_hash);
    snprintf(identity, SWEEP_IDENTITY_SIZE,
             "meshcast %s; router %s; parameters %s; copy %s; buffer %" PRIu32 "; workload %s; "
             "input %s; rows %" PRIu32 "; cols %" PRIu32 "; degree %" PRIu32 "; congestion %" PRIu32
             "; seed %" PRIu64,
             MESHCAST_VERSION, run->method->router->name, run->method->text, copy_name(run),
             run->buffer, workload->name, input, workload->mesh.rows, workload->mesh.cols,
             workload->degree, workload->congestion, run->seed);
}

void sweep_case_describe(const struct sweep_case *run, char *text, size_t size)
{
    const struct sweep_workload *workload = run->workload;
    char degree[32] = "", congestion[32] = "", buffer[32] = "";
    if (workload->degree != 0)
        snprintf(degree, sizeof degree, ", d = %" PRIu32, workload->degree);
    if (workload->congestion != 0)
        snprintf(congestion, sizeof congestion, ", c = %" PRIu32, workload->congestion);
    if (run->buffer != 0)
        snprintf(buffer, sizeof buffer, ", buffer %" PRIu32, run->buffer);
    snprintf(text, size, "%s%s%s, copies %s%s, %s %" PRIu32 " x %" PRIu32 "%s%s, seed %" PRIu64,
             run->method->router->name, *run->method->text == '\0' ? "" : " ", run->method->text,
             copy_name(run), buffer, workload->name, workload->mesh.rows, workload->mesh.cols,
             degree, congestion, run->seed);
}
