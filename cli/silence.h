/* silence.h - silences all ranks but one.
 */
#ifndef MESHCAST_CLI_SILENCE_H
#define MESHCAST_CLI_SILENCE_H

/* Discards all output to both streams from here on. Only a failed assertion prints the text that
 * has been written to standard error. */
void silence_begin(void);

/* Restores standard error, for a last message. */
void silence_end(void);

#endif
