/* signal_hold.c - asks the program to hold signals, if there is one that handles them. */
#include "lab/signal_hold.h"

#include <stddef.h>

static void (*hold_signals)(void), (*release_signals)(void);
static bool (*signal_is_due)(void), (*signal_is_noted)(void);

void signal_hold_set(void (*hold)(void), void (*release)(void), bool (*is_due)(void),
                     bool (*is_noted)(void))
{
    hold_signals = hold;
    release_signals = release;
    signal_is_due = is_due;
    signal_is_noted = is_noted;
}

void signal_hold_begin(void)
{
    if (hold_signals != NULL)
        hold_signals();
}

void signal_hold_end(void)
{
    if (release_signals != NULL)
        release_signals();
}

bool signal_hold_is_due(void)
{
    return signal_is_due != NULL && signal_is_due();
}

bool signal_hold_is_noted(void)
{
    return signal_is_noted != NULL && signal_is_noted();
}
