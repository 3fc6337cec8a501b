/* byte_layer.h - what base/byte_source.c and the layers below its text agree on: who reads bytes from whom, and the
 * place that messages name.
 *
 * A layer (base/gunzip.h, base/archive_member.h) takes bytes from the one below it and gives others, as a byte_reader.
 */
#ifndef MESHCAST_BASE_BYTE_LAYER_H
#define MESHCAST_BASE_BYTE_LAYER_H

#include "base/failure.h"

enum { BYTE_BLOCK = 1 << 18, BYTE_NAME = 304 };

/* Reads up to `size` bytes, at least one, and their number into *got; 0 only after the last byte. */
typedef enum failure_kind byte_reader(void *from, unsigned char *bytes, size_t size, size_t *got,
                                      struct failure *failure);

/* Input of a layer: `length` bytes at the front of `block`, which has room for BYTE_BLOCK, then what `read` gives. */
struct byte_input {
    byte_reader *read;
    void *from;
    unsigned char *block;
    size_t length;
};

/* Where the reading is. */
struct byte_place {
    char name[BYTE_NAME]; /* of the source */
    uint64_t line;        /* ends of lines handed out */
};

#endif
