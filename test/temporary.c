/* temporary.c - files and folders of tests, below TMPDIR, or /tmp. */
#include "test/temporary.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static void name(char path[TEMPORARY_PATH])
{
    const char *parent = getenv("TMPDIR");
    bool is_set = parent != NULL && *parent != '\0';
    snprintf(path, TEMPORARY_PATH, "%.200s/meshcast-test-XXXXXX", is_set ? parent : "/tmp");
}

void temporary_folder(char path[TEMPORARY_PATH])
{
    name(path);
    ck_assert_msg(mkdtemp(path) != NULL, "cannot make the folder %s", path);
}

FILE *temporary_file(char path[TEMPORARY_PATH])
{
    name(path);
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w+");
    ck_assert_msg(file != NULL, "cannot make the file %s", path);
    return file;
}

FILE *temporary_stream(void)
{
    char path[TEMPORARY_PATH];
    name(path);
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return NULL;
    unlink(path);
    return fdopen(descriptor, "w+");
}
