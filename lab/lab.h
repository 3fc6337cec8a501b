/* lab.h - the laboratory: the commands `sweep` and `report`, and the database of `load --db`. */
#ifndef MESHCAST_LAB_LAB_H
#define MESHCAST_LAB_LAB_H

#include <stdbool.h>

/* The program's handling of signals. Between hold() and release(), which nest, no signal ends the
 * program. */
struct lab_signals {
    void (*hold)(void), (*release)(void);
    bool (*is_due)(void);   /* true if a signal waits for the release */
    bool (*is_noted)(void); /* true if one came after which the command ends by itself */
};

/* Adds the laboratory to the library's commands; must be called once, before any command. NULL: no
 * signals are handled. */
void lab_begin(const struct lab_signals *signals);

#endif
