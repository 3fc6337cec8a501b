/* silence.h - one of several ranks speaks; the others' standard output and standard error lead nowhere.
 */
#ifndef MESHCAST_CLI_SILENCE_H
#define MESHCAST_CLI_SILENCE_H

/* From here on nothing that is written to either stream is seen. An assertion that fails is: what has been written to
 * standard error is then told after all. */
void silence_begin(void);

/* Standard error is what it was before, for a last message. */
void silence_end(void);

#endif
