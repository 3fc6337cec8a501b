/* temporary.h - files and folders of tests, below TMPDIR. */
#ifndef MESHCAST_TEST_TEMPORARY_H
#define MESHCAST_TEST_TEMPORARY_H

#include <stdio.h>

enum { TEMPORARY_PATH = 256 };

/* Makes a folder, or a file that is open for reading and writing, and writes its path; the caller
 * removes it. A test that cannot have it fails. */
void temporary_folder(char path[TEMPORARY_PATH]);
FILE *temporary_file(char path[TEMPORARY_PATH]);

/* Returns a file without a name, gone when it is closed; NULL with errno. */
FILE *temporary_stream(void);

#endif
