/* message_set_write.c - the writer of message sets.
 *
 * Text is collected in a block and written block by block; the first error ends the writing.
 *
 * Cost: O(bytes) time, one block of 16 KiB on the stack.
 */
#include "base/printable.h"
#include "workloads/message_set.h"

#include <stdbool.h>

enum { BLOCK = 1 << 14 /* bytes */, NUMBER_ROOM = 24 };

struct writer {
    FILE *file;
    size_t used;
    bool failed;
    char block[BLOCK];
};

static void flush_block(struct writer *writer)
{
    if (!writer->failed && fwrite(writer->block, 1, writer->used, writer->file) < writer->used)
        writer->failed = true;
    writer->used = 0;
}

static inline void put_byte(struct writer *writer, char byte)
{
    if (writer->used == BLOCK)
        flush_block(writer);
    writer->block[writer->used++] = byte;
}

static inline void put_number(struct writer *writer, uint64_t number)
{
    char digits[NUMBER_ROOM];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        put_byte(writer, digits[--count]);
}

/* Writes the comment, a `#` before each of its lines; a name in it may hold anything. */
static void put_comment(struct writer *writer, const char *comment)
{
    for (bool starts = true; *comment != '\0'; comment++) {
        size_t bytes = *comment == '\n' ? 1 : printable_bytes(comment);
        if (starts) {
            put_byte(writer, '#');
            if (*comment != '\n')
                put_byte(writer, ' ');
        }
        put_byte(writer, bytes == 0 ? '?' : *comment);
        for (; bytes > 1; bytes--)
            put_byte(writer, *++comment);
        starts = *comment == '\n';
        if (comment[1] == '\0' && !starts)
            put_byte(writer, '\n');
    }
}

static void put_text(struct writer *writer, const char *text)
{
    for (; *text != '\0'; text++)
        put_byte(writer, *text);
}

static void put_header(struct writer *writer, const struct message_set *set, int version)
{
    const struct shape *shape = &set->shape;
    put_text(writer, "mcast ");
    put_number(writer, (uint64_t)version);
    if (version > 1) {
        put_byte(writer, ' ');
        put_text(writer, topology_kind_names[shape->kind]);
    }
    for (uint32_t i = shape->dimensions; i-- > 0;) {
        put_byte(writer, ' ');
        put_number(writer, shape->size[i]);
    }
    put_byte(writer, '\n');
}

/* Writes the start and the waits of a message, if it has any. */
static void put_time(struct writer *writer, const struct message_set *set, uint32_t message)
{
    if (set->wait_offset != NULL)
        for (uint64_t first = set->wait_offset[message], j = first;
             j < set->wait_offset[message + 1]; j++) {
            put_byte(writer, j == first ? '>' : ',');
            put_number(writer, set->wait_on[j]);
        }
    if (set->start != NULL && set->start[message] > 0) {
        put_byte(writer, '@');
        put_number(writer, set->start[message]);
    }
}

static void put_messages(struct writer *writer, const struct message_set *set,
                         const struct message_set_watch *watch)
{
    enum { LOOK = 1 << 16 }; /* messages */
    for (uint32_t i = 0; i < set->messages && !writer->failed; i++) {
        put_number(writer, set->source[i]);
        if (set->length != NULL && set->length[i] > 0) {
            put_byte(writer, ':');
            put_number(writer, set->length[i]);
        }
        if (message_set_is_timed(set))
            put_time(writer, set, i);
        for (uint64_t j = set->offset[i]; j < set->offset[i + 1]; j++) {
            put_byte(writer, ' ');
            put_number(writer, set->destination[j]);
        }
        put_byte(writer, '\n');
        if (watch != NULL && i % LOOK == LOOK - 1)
            watch->written(watch->context, set->offset[i + 1]);
    }
}

static void put_set(struct writer *writer, const struct message_set *set, const char *comment,
                    const struct message_set_watch *watch)
{
    int version = message_set_version(set);
    put_header(writer, set, version);
    if (comment != NULL)
        put_comment(writer, comment);
    put_messages(writer, set, watch);
    if (version > 1) {
        put_text(writer, "end ");
        put_number(writer, set->messages);
        put_byte(writer, '\n');
    }
    flush_block(writer);
}

bool message_set_write(const struct message_set *set, const char *comment, FILE *out,
                       const struct message_set_watch *watch)
{
    struct writer writer = {.file = out};
    put_set(&writer, set, comment, watch);
    return fflush(out) == 0 && !writer.failed && !ferror(out);
}
