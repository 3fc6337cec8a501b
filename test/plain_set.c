/* plain_set.c - message sets as arrays. */
#include "test/plain_set.h"

#include "test/library_case.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(uint64_t count, size_t size)
{
    void *room = calloc(count + 1, size);
    ck_assert_ptr_nonnull(room);
    return room;
}

/* Counts d, c and l. */
static void measure(struct plain_set *set)
{
    uint32_t nodes = meshcast_set_nodes(set->handle);
    uint32_t *received = allocate(nodes, sizeof *received), *sent = allocate(nodes, sizeof *sent);
    for (uint32_t i = 0; i < set->messages; i++) {
        uint32_t away = 0, source = set->source[i];
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            uint32_t node = set->destination[j];
            if (node == source)
                continue;
            away++;
            received[node]++;
            set->congestion = received[node] > set->congestion ? received[node] : set->congestion;
        }
        set->deliveries_at_home += set->offset[i + 1] - set->offset[i] - away;
        set->degree = away > set->degree ? away : set->degree;
        sent[source] += away > 0;
        set->most_sent = sent[source] > set->most_sent ? sent[source] : set->most_sent;
    }
    free(received);
    free(sent);
}

void plain_set_of(struct plain_set *set, struct meshcast_set *handle)
{
    uint64_t count;
    ck_assert_ptr_nonnull(handle);
    *set = (struct plain_set){.handle = handle, .messages = meshcast_set_messages(handle)};
    const char *topology = meshcast_set_topology(handle);
    if (sscanf(topology, "mesh:%" SCNu32 "x%" SCNu32, &set->mesh.rows, &set->mesh.cols) != 2)
        set->mesh = (struct grid){1, meshcast_set_nodes(handle)};
    set->source = allocate(set->messages, sizeof *set->source);
    set->flits = allocate(set->messages, sizeof *set->flits);
    set->offset = allocate(set->messages + (uint64_t)1, sizeof *set->offset);
    for (uint32_t i = 0; i < set->messages; i++) {
        meshcast_set_message(handle, i, &set->source[i], &count);
        set->flits[i] = meshcast_set_flits(handle, i);
        set->offset[i + 1] = set->offset[i] + count;
    }
    set->deliveries = set->offset[set->messages];
    set->destination = allocate(set->deliveries, sizeof *set->destination);
    for (uint32_t i = 0; i < set->messages; i++) {
        const uint32_t *to = meshcast_set_message(handle, i, &set->source[i], &count);
        memcpy(set->destination + set->offset[i], to, count * sizeof *to);
    }
    measure(set);
}

void plain_set_parse(struct plain_set *set, const char *text)
{
    struct meshcast_error error = {0};
    struct meshcast_set *handle = meshcast_set_parse(text, strlen(text), "set", &error);
    ck_assert_msg(handle != NULL, "%s", error.text);
    plain_set_of(set, handle);
}

static struct meshcast_topology *topology_of(struct grid mesh)
{
    char text[64];
    snprintf(text, sizeof text, "mesh:%" PRIu32 "x%" PRIu32, mesh.rows, mesh.cols);
    return case_topology(text);
}

void plain_set_make(struct plain_set *set, struct grid mesh, uint32_t messages,
                    const uint32_t *source, const uint64_t *offset, const uint32_t *destination)
{
    struct meshcast_error error = {0};
    struct meshcast_topology *topology = topology_of(mesh);
    struct meshcast_set *handle =
        meshcast_set_from_messages(topology, messages, source, offset, destination, NULL, &error);
    ck_assert_msg(handle != NULL, "%s", error.text);
    meshcast_topology_free(topology);
    plain_set_of(set, handle);
}

void plain_set_pairs(struct plain_set *set, struct grid mesh, uint64_t pairs, const uint32_t *from,
                     const uint32_t *to)
{
    struct meshcast_error error = {0};
    struct meshcast_topology *topology = topology_of(mesh);
    struct meshcast_set *handle = meshcast_set_from_pairs(topology, pairs, from, to, &error);
    ck_assert_msg(handle != NULL, "%s", error.text);
    meshcast_topology_free(topology);
    plain_set_of(set, handle);
}

void plain_set_leave_home(struct plain_set *set)
{
    struct plain_set away;
    uint32_t *source = allocate(set->messages, sizeof *source), messages = 0;
    uint32_t *destination = allocate(set->deliveries, sizeof *destination);
    uint64_t *offset = allocate(set->messages + (uint64_t)1, sizeof *offset), end = 0;
    for (uint32_t i = 0; i < set->messages; i++) {
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++)
            if (set->destination[j] != set->source[i])
                destination[end++] = set->destination[j];
        if (end == offset[messages])
            continue;
        source[messages++] = set->source[i];
        offset[messages] = end;
    }
    plain_set_make(&away, set->mesh, messages, source, offset, destination);
    free(source);
    free(destination);
    free(offset);
    plain_set_free(set);
    *set = away;
}

bool plain_set_gen(struct plain_set *set, const char *pattern, struct grid mesh, uint32_t degree,
                   uint32_t congestion, uint64_t seed, const char *options)
{
    char words[512];
    struct meshcast_error error = {0};
    int length = snprintf(words, sizeof words, "rows=%" PRIu32 " cols=%" PRIu32 " seed=%" PRIu64,
                          mesh.rows, mesh.cols, seed);
    if (degree > 0)
        length +=
            snprintf(words + length, sizeof words - (size_t)length, " degree=%" PRIu32, degree);
    if (congestion > 0)
        length += snprintf(words + length, sizeof words - (size_t)length, " congestion=%" PRIu32,
                           congestion);
    snprintf(words + length, sizeof words - (size_t)length, " pattern=%s %s", pattern,
             options == NULL ? "" : options);
    struct meshcast_report *report = case_run(case_command("gen", NULL, words), &error);
    ck_assert_msg(report != NULL || error.status == MESHCAST_USAGE, "%s: %s", words, error.text);
    if (report == NULL)
        return false;
    plain_set_of(set, meshcast_report_take_set(report));
    meshcast_report_free(report);
    return true;
}

uint32_t plain_set_name(const struct plain_set *set, uint32_t index)
{
    for (uint32_t i = 0; i + 1 < set->messages; i++)
        if (set->source[i] >= set->source[i + 1])
            return index;
    return set->source[index];
}

void plain_set_free(struct plain_set *set)
{
    meshcast_set_free(set->handle);
    free(set->source);
    free(set->destination);
    free(set->flits);
    free(set->offset);
    *set = (struct plain_set){.handle = NULL};
}
