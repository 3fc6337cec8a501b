/* info_headers.h - what `info` tells of headers: the words that name a message's destinations. */
#ifndef MESHCAST_CLI_INFO_HEADERS_H
#define MESHCAST_CLI_INFO_HEADERS_H

#include "workloads/header_words.h"

#include <jansson.h>

void info_headers_print(const struct header_words *words);
json_t *info_headers_json(const struct header_words *words);

#endif
