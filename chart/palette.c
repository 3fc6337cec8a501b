/* palette.c - one colour and one mark for each router and each scheme.
 *
 * Method: a table of names; the place of a name gives its colour and its mark, and no two places
 * have both the same. The colours are those of Okabe and Ito and two of Tol's, which the
 * colour-blind can distinguish; marks survive a printer without colours. The name of a plugin,
 * which is not in the table, has a place by the sum of its letters.
 */
#include "chart/palette.h"

#include <stddef.h>
#include <string.h>

static const uint32_t COLOURS[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                   0xE69F00, 0x56B4E9, 0x882255, 0x999933};
static const int MARKS[] = {7, 5, 9, 13, 11, 15, 4, 12};
static const char *const DASHES[] = {"solid", "'-'", "'_.'", "'.'"};
enum { COUNT = sizeof COLOURS / sizeof *COLOURS };

/* Names in one row have different colours: schemes that papers compare are in one row. */
/* clang-format off */
static const char *const NAMES[] = {
    "replicate", "trees", "stream", "random", "circulate", "unicast", "expander", "reduction", /* routers */
    "dual", "multi", "column", "ocms", "otms", "pure", "schl", "minimal",                      /* schemes */
    "vh", "diag", "best", "min", "dds", "two-port", "u-mesh", "d-port",
    "lin", "xy-path"};
/* clang-format on */
enum { NAMED = sizeof NAMES / sizeof *NAMES };

/* From pale to dark. */
static const uint32_t HEAT[PALETTE_HEATS] = {0xFFF9DC, 0xFEE391, 0xFDB863, 0xEE7D4B,
                                             0xC8434F, 0x862A63, 0x33124A};

static const struct chart_look INKS[CHART_INKS] = {
    [CHART_INK_FIRST] = {0x0072B2, 7, "solid", 1.5},
    [CHART_INK_SECOND] = {0xD55E00, 5, "'-'", 1.5},
    [CHART_INK_BOUND] = {0x000000, 1, "solid", 2.5},
    [CHART_INK_GUIDE] = {0x4D4D4D, 1, "'.'", 2},
    [CHART_INK_FIT] = {0x1A1A1A, 1, "(9,5)", 0.9},
    [CHART_INK_FRONT] = {0x7F7F7F, 1, "solid", 1},
    [CHART_INK_NOTE] = {0x1A1A1A, 6, "solid", 1.2},
    [CHART_INK_SPREAD] = {0x4D4D4D, 1, "solid", 0.8},
    [CHART_INK_GROUND] = {0xEBEBEB, 1, "solid", 0.5},
    [CHART_INK_GRID] = {0xD9D9D9, 1, "solid", 0.5},
};

const char PALETTE_DARK[] = "<style>@media (prefers-color-scheme: dark) { svg { "
                            "filter: invert(0.93) hue-rotate(180deg) brightness(1.2) } }</style>";

struct chart_look palette_ink(enum chart_ink ink)
{
    return INKS[ink];
}

static size_t length_of(const char *subject)
{
    return strcspn(subject, ":,( ");
}

bool palette_is_same_name(const char *one, const char *other)
{
    size_t length = length_of(one);
    return length == length_of(other) && strncmp(one, other, length) == 0;
}

static uint32_t place_of(const char *subject)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < NAMED; i++)
        if (palette_is_same_name(subject, NAMES[i]))
            return i;
    for (size_t i = 0; i < length_of(subject); i++)
        sum = 31 * sum + (unsigned char)subject[i];
    return NAMED + sum % (COUNT * COUNT - NAMED);
}

struct chart_look palette_subject(const char *subject, uint32_t variant)
{
    uint32_t place = place_of(subject);
    return (struct chart_look){.colour = COLOURS[place % COUNT],
                               .mark = MARKS[(place + place / COUNT + 3 * variant) % COUNT],
                               .dashes = DASHES[variant % (sizeof DASHES / sizeof *DASHES)],
                               .width = 1.5};
}

/* Mixes two colours. */
static uint32_t mix(uint32_t from, uint32_t to, double share)
{
    uint32_t mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double low = from >> shift & 255, high = to >> shift & 255;
        mixed |= (uint32_t)(low + (high - low) * share + 0.5) << shift;
    }
    return mixed;
}

uint32_t palette_pale(uint32_t colour)
{
    return mix(colour, 0xFFFFFF, 0.6);
}

uint32_t palette_heat(double share)
{
    double place = share * (PALETTE_HEATS - 1);
    int i = place >= PALETTE_HEATS - 1 ? PALETTE_HEATS - 2 : (int)place;
    return mix(HEAT[i], HEAT[i + 1], place - i);
}
