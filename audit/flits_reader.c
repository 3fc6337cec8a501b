/* flits_reader.c - reads a network's trace (doc/network.md, "The trace"): its first line, then line by line.
 *
 * Lines and numbers are found by base/text_scan.h. The words of the first line have a fixed order; each is a row
 * of a table. Cost: a few operations a byte.
 */
#include "audit/flits_reader.h"

#include "base/text_scan.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- the first line ---- */

/* KEY=VALUE, where VALUE is one of the words, or a number from `least` to `most`; the first word is then
 * that for 0. */
struct setting {
    const char *key, *expected;
    size_t offset; /* of a uint32_t, an enum or a bool of struct flits_header */
    size_t size;
    uint32_t least, most; /* most 0: no number */
    const char *word[4];
};

#define FIELD(name) offsetof(struct flits_header, name), sizeof((struct flits_header *)0)->name

static const struct setting SETTINGS[] = {
    {"switching=",
     "switching=wormhole|cut-through|store-and-forward|circuit",
     FIELD(switching),
     0,
     0,
     {"wormhole", "cut-through", "store-and-forward", "circuit"}},
    {"vcs=", "vcs=V, V from 1 to 64", FIELD(vcs), 1, 64, {NULL}},
    {"buffer=", "buffer=B|any, B from 1 to 1048576", FIELD(buffer), 1, 1 << 20, {"any"}},
    {"injection=", "injection=I|links, I from 1 to 64", FIELD(injection), 1, 64, {"links"}},
    {"consumption=", "consumption=C|links, C from 1 to 64", FIELD(consumption), 1, 64, {"links"}},
    {"startup=", "startup=N, N up to 1048576", FIELD(startup), 0, 1 << 20, {NULL}},
    {"startup-mode=",
     "startup-mode=serial|per-port",
     FIELD(startup_is_per_port),
     0,
     0,
     {"serial", "per-port"}},
    {"router-delay=", "router-delay=N, N up to 1048576", FIELD(router_delay), 0, 1 << 20, {NULL}},
    {"ports=", "ports=all|one", FIELD(is_one_port), 0, 0, {"all", "one"}},
    {"release=", "release=entered|left", FIELD(releases_when_left), 0, 0, {"entered", "left"}},
};

enum { SETTINGS_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

static const char *word_end(const char *at, const char *end)
{
    while (!scan_at_gap(at, end))
        at++;
    return at;
}

static bool is_word(const char *at, const char *end, const char *word)
{
    return strlen(word) == (size_t)(end - at) && memcmp(at, word, strlen(word)) == 0;
}

static void set_field(struct flits_header *header, const struct setting *setting, uint32_t value)
{
    char *at = (char *)header + setting->offset;
    bool is_true = value != 0;
    if (setting->size == sizeof is_true)
        memcpy(at, &is_true, sizeof is_true);
    else
        memcpy(at, &value, sizeof value);
}

/* Takes one word of the line. */
static bool read_setting(const char **at, const char *end, const struct setting *setting,
                         struct flits_header *header)
{
    const char *stop = word_end(*at, end), *value = *at + strlen(setting->key);
    uint64_t number = 0;
    if (stop < value || memcmp(*at, setting->key, strlen(setting->key)) != 0)
        return false;
    for (uint32_t i = 0; i < 4 && setting->word[i] != NULL; i++)
        if (is_word(value, stop, setting->word[i])) {
            set_field(header, setting, i);
            *at = scan_blanks(stop, end);
            return true;
        }
    if (setting->most == 0 || !scan_decimal(&value, end, &number) || number < setting->least ||
        number > setting->most)
        return false;
    set_field(header, setting, (uint32_t)number);
    *at = value;
    return true;
}

static bool read_routing(const char **at, const char *end, struct flits_header *header)
{
    static const char *const names[] = {
        "x-first", "label", "link", "negative-first", "negative-first-fixed", "sides"};
    const char *stop = word_end(*at, end), *value = *at + strlen("routing=");
    if (stop <= value || memcmp(*at, "routing=", strlen("routing=")) != 0 ||
        stop - value >= FLITS_WORD)
        return false;
    memcpy(header->routing_name, value, (size_t)(stop - value));
    header->routing = ROUTES_X_FIRST;
    while (header->routing < ROUTES_UNKNOWN && !is_word(value, stop, names[header->routing]))
        header->routing++;
    *at = scan_blanks(stop, end);
    return true;
}

/* What no two settings may say together; NULL: nothing. */
static const char *contradiction(const struct flits_header *header)
{
    if (header->switching == STORE_AND_FORWARD && header->releases_when_left)
        return "release=entered under store-and-forward";
    if (header->switching != STORE_AND_FORWARD && header->buffer == 0)
        return "buffer=B, unless under store-and-forward";
    if (header->is_one_port && header->injection != 1)
        return "injection=1 with ports=one";
    if (header->routing == ROUTES_X_FIRST && header->shape.form == FORM_GRAPH)
        return "another routing than x-first on a graph";
    if (header->routing == ROUTES_SIDES && header->shape.form != FORM_MESH)
        return "a mesh with routing=sides";
    if (flits_is_negative_first(header->routing) && header->shape.form != FORM_MESH)
        return "a mesh with routing=negative-first";
    return NULL;
}

enum failure_kind flits_reader_begin(struct flits_reader *reader, struct byte_source *source,
                                     struct flits_header *header, struct failure *failure)
{
    struct byte_line line;
    uint64_t version;
    *reader = (struct flits_reader){.source = source};
    *header = (struct flits_header){.vcs = 0};
    enum failure_kind kind = byte_source_line(source, &line, failure);
    if (kind != FAIL_NONE)
        return kind;
    snprintf(reader->name, sizeof reader->name, "%s", line.name);
    reader->line = line.number;
    const char *at = line.text, *end = line.end;
    const char *stop = at == NULL ? NULL : word_end(at, end);
    if (at == NULL || !is_word(at, stop, "meshcast-network"))
        return scan_expected(&line, at, "meshcast-network 1 TOPOLOGY ..", failure);
    const char *number = at = scan_blanks(stop, end);
    if (!scan_decimal(&number, end, &version) || version != 1)
        return scan_expected(&line, at, "version 1", failure);
    at = number;
    stop = word_end(at, end);
    if (!flits_shape_read(&header->shape, at, stop))
        return scan_expected(&line, at, "a topology such as mesh:8x8, torus:4x4x4 or graph:100",
                             failure);
    at = scan_blanks(stop, end);
    for (int i = 0; i < SETTINGS_COUNT; i++)
        if (!read_setting(&at, end, &SETTINGS[i], header))
            return scan_expected(&line, at, SETTINGS[i].expected, failure);
    if (!read_routing(&at, end, header))
        return scan_expected(&line, at, "routing=NAME", failure);
    if (at != end)
        return scan_expected(&line, at, "the end of the line", failure);
    const char *instead = contradiction(header);
    return instead == NULL ? FAIL_NONE : scan_expected(&line, line.text, instead, failure);
}

/* ---- other lines ---- */

struct letter {
    char letter;
    int fields;
    const char *form;
};

static const struct letter LETTERS[] = {
    {'A', 5, "CYCLE A MESSAGE WORM NODE CHANNEL COUNT"},
    {'F', 6, "CYCLE F MESSAGE WORM FROM TO VC COUNT"},
    {'H', 5, "CYCLE H MESSAGE WORM FROM TO VC"},
    {'I', 5, "CYCLE I MESSAGE WORM NODE CHANNEL COUNT"},
    {'P', 3, "CYCLE P MESSAGE SOURCE FLITS"},
    {'W', 4, "CYCLE W MESSAGE WORM NODE CHANNEL [FLITS]"},
};

static const struct letter *find_letter(char letter)
{
    for (size_t i = 0; i < sizeof LETTERS / sizeof LETTERS[0]; i++)
        if (LETTERS[i].letter == letter)
            return &LETTERS[i];
    return NULL;
}

int flits_fields(char letter)
{
    const struct letter *found = find_letter(letter);
    return found == NULL ? 0 : found->fields;
}

enum failure_kind flits_reader_next(struct flits_reader *reader, struct flits_line *line,
                                    bool *found, struct failure *failure)
{
    struct byte_line text;
    uint64_t number;
    enum failure_kind kind = scan_content(reader->source, "#", &text, failure);
    if (kind != FAIL_NONE)
        return kind;
    *found = text.text != NULL;
    if (!*found)
        return FAIL_NONE;
    *line = (struct flits_line){.line = reader->line = text.number};
    const char *at = text.text, *end = text.end;
    if (!scan_decimal(&at, end, &number))
        return scan_expected(&text, at, "a line that begins with its cycle", failure);
    line->cycle = number < UINT64_C(1) << 62 ? number : UINT64_C(1) << 62;
    const struct letter *letter = at < end && scan_at_gap(at + 1, end) ? find_letter(*at) : NULL;
    if (letter == NULL)
        return scan_expected(&text, at, "one of the letters A F H I P W behind the cycle", failure);
    line->letter = *at;
    at = scan_blanks(at + 1, end);
    int fields = letter->fields + (letter->letter == 'W');
    for (int i = 0; i < fields && !(at == end && i == 4 && letter->letter == 'W'); i++) {
        if (!scan_decimal(&at, end, &number))
            return scan_expected(&text, at, letter->form, failure);
        line->field[i] = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    }
    return at == end ? FAIL_NONE : scan_expected(&text, at, letter->form, failure);
}
