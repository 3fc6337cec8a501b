/* signal_hold.h - work that no signal may end, as while SQLite's files are open: the program is asked to hold signals. */
#ifndef MESHCAST_LAB_SIGNAL_HOLD_H
#define MESHCAST_LAB_SIGNAL_HOLD_H

#include <stdbool.h>

/* Sets who holds signals; to be called before anything else. Without, nobody does. `is_due`: true if a signal waits for the
 * release. `is_noted`: true if one came that the command ends by itself for. */
void signal_hold_set(void (*hold)(void), void (*release)(void), bool (*is_due)(void),
                     bool (*is_noted)(void));

/* Between the two no signal ends the program; they nest. */
void signal_hold_begin(void);
void signal_hold_end(void);

bool signal_hold_is_due(void);
bool signal_hold_is_noted(void);

#endif
