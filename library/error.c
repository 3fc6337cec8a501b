/* error.c - the seam of the error rule: an inner failure becomes a public error; the versions.
 *
 * Inner functions keep the first of several failures in one struct; a public function begins with an
 * empty one each time, so that a caller may use one error for all calls.
 */
#include "library/handle_private.h"

#include <assert.h>
#include <string.h>

static_assert(MESHCAST_OK == (int)FAIL_NONE && MESHCAST_CHECK == (int)FAIL_CHECK &&
                  MESHCAST_USAGE == (int)FAIL_USAGE && MESHCAST_INPUT == (int)FAIL_INPUT &&
                  MESHCAST_SYSTEM == (int)FAIL_SYSTEM &&
                  MESHCAST_INTERRUPTED == (int)FAIL_INTERRUPTED,
              "a status is a failure_kind");

const char *meshcast_version(void)
{
    return MESHCAST_VERSION;
}

uint32_t meshcast_abi(void)
{
    return MESHCAST_ABI;
}

void meshcast_memory_limit(uint64_t bytes)
{
    if (bytes == MESHCAST_AVAILABLE)
        memory_limit_default();
    else
        memory_limit(bytes);
}

enum meshcast_status error_give(struct meshcast_error *error, const struct failure *failure)
{
    static_assert(sizeof error->text == sizeof failure->text, "a text fits");
    enum meshcast_status status = (enum meshcast_status)failure->kind;
    if (status != MESHCAST_OK && error != NULL) {
        error->status = status;
        memcpy(error->topic, failure->topic, sizeof error->topic);
        if (failure->is_memory_limit)
            strcpy(error->topic, "memory");
        memcpy(error->text, failure->text, sizeof error->text);
    }
    return status;
}
