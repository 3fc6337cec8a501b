/* gunzip.h - inflates gzip data. */
#ifndef MESHCAST_BASE_GUNZIP_H
#define MESHCAST_BASE_GUNZIP_H

#include "base/byte_layer.h"

struct gunzip;

/* True if the bytes at the begin of a file are those of gzip. */
bool gunzip_begins(const unsigned char *bytes, size_t length);

/* Starts on the input, whose block is freed with the layer (or now, if this fails). `place` must outlive it. The caller
 * closes it. */
enum failure_kind gunzip_open(struct gunzip **gunzip, const struct byte_input *input,
                              const struct byte_place *place, struct failure *failure);

/* A byte_reader. FAIL_INPUT: the data are cut off or corrupt. */
byte_reader gunzip_read;

/* Frees; NULL is fine. */
void gunzip_close(struct gunzip *gunzip);

#endif
