/* palette.h - the colours and marks of all pictures. */
#ifndef MESHCAST_CHART_PALETTE_H
#define MESHCAST_CHART_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

/* The drawn subject: a router or scheme, or one that looks the same in every picture. */
enum chart_ink {
    CHART_INK_SUBJECT,
    CHART_INK_FIRST,  /* the only curve of its panel */
    CHART_INK_SECOND, /* the other one */
    CHART_INK_BOUND,  /* a lower bound */
    CHART_INK_GUIDE,  /* a reference for curves */
    CHART_INK_FIT,
    CHART_INK_FRONT,  /* through the runs that no other beats */
    CHART_INK_NOTE,   /* figures, names, rings */
    CHART_INK_SPREAD, /* from least to most */
    CHART_INK_GROUND, /* bands */
    CHART_INK_GRID,
    CHART_INKS
};

enum chart_mark { CHART_MARK_CROSS = 2, CHART_MARK_OPEN_TRIANGLE = 8 };

struct chart_look {
    uint32_t colour; /* 0xRRGGBB */
    int mark;        /* gnuplot's number */
    const char *dashes;
    double width;
};

/* Returns the look of an ink other than CHART_INK_SUBJECT. */
struct chart_look palette_ink(enum chart_ink ink);

/* Returns the look of a router or scheme, which is that of its name up to the first of ":,( " or
 * the end. Variants of one name in a picture, counted from 0, differ in marks and dashes. */
struct chart_look palette_subject(const char *subject, uint32_t variant);

/* True if both are variants of the same name. */
bool palette_is_same_name(const char *one, const char *other);

/* Returns the colour, lightened. */
uint32_t palette_pale(uint32_t colour);

/* Returns the colour of a share of an image's scale, 0 to 1, from pale to dark: the luminance falls
 * all the way. */
uint32_t palette_heat(double share);

enum { PALETTE_HEATS = 7 }; /* so many equidistant shares determine all others */

/* The element that makes an SVG dark on a dark page: light and dark change places, hues stay. */
extern const char PALETTE_DARK[];

#endif
