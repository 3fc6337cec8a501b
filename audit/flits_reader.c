/* flits_reader.c - reads a network's trace (doc/network.md, "The trace"): its first line, then line
 * by line.
 *
 * Lines and numbers are found by base/text_scan.h. The words of the first line have a fixed order;
 * each is a row of a table.
 * Cost: a few operations per byte.
 */
#include "audit/flits_reader.h"

#include "base/text_scan.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- shapes ---- */

/* Neighbours, labels and routes on the network of a trace: the audit's own arithmetic.
 *
 * A node is converted into its coordinates, and back.
 * Source: doc/network.md and the definitions of base routings. x-first: dimension by dimension, the
 * shorter way around a ring; of two equal ones the growing one if the coordinate on the ring, and
 * those of node and target in later dimensions, have an even sum; on rings of more than 3 nodes
 * with a dateline. label: the neighbour that is farthest along the path without passing the target.
 * negative-first: to smaller coordinates before larger ones; along any dimension, or, if it is
 * fixed, along the first.
 */

/* ---- coordinates ---- */

static void take_apart(const struct flits_shape *shape, uint32_t node,
                       uint32_t at[FLITS_DIMENSIONS])
{
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        at[i] = node % shape->size[i];
        node /= shape->size[i];
    }
}

static uint32_t put_together(const struct flits_shape *shape, const uint32_t at[FLITS_DIMENSIONS])
{
    uint32_t node = 0;
    for (uint32_t i = shape->dimensions; i > 0; i--)
        node = node * shape->size[i - 1] + at[i - 1];
    return node;
}

/* Goes one hop along dimension i; false: there is no link. */
static bool step(const struct flits_shape *shape, uint32_t node, uint32_t i, bool grows,
                 uint32_t *to)
{
    uint32_t at[FLITS_DIMENSIONS], size = shape->size[i];
    take_apart(shape, node, at);
    bool is_last = at[i] == (grows ? size - 1 : 0);
    if (size == 1 || (is_last && shape->form == FORM_MESH))
        return false;
    at[i] = (at[i] + (grows ? 1 : size - 1)) % size;
    *to = put_together(shape, at);
    return true;
}

bool flits_joins(const struct flits_shape *shape, uint32_t from, uint32_t to)
{
    uint32_t next;
    if (shape->form == FORM_GRAPH)
        return from != to;
    for (uint32_t i = 0; i < 2 * shape->dimensions; i++)
        if (step(shape, from, i / 2, i % 2, &next) && next == to)
            return true;
    return false;
}

uint32_t flits_links_of(const struct flits_shape *shape, uint32_t node)
{
    uint32_t links = 0, up = 0, down = 0;
    if (shape->form == FORM_GRAPH)
        return UINT32_MAX;
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        bool has_up = step(shape, node, i, true, &up),
             has_down = step(shape, node, i, false, &down);
        links += has_up + has_down - (has_up && has_down && up == down);
    }
    return links;
}

uint32_t flits_label(const struct flits_shape *shape, uint32_t node)
{
    uint32_t at[FLITS_DIMENSIONS], label = 0;
    take_apart(shape, node, at);
    for (uint32_t i = shape->dimensions; i > 0; i--) {
        uint32_t size = shape->size[i - 1], x = at[i - 1];
        label = label * size + (label % 2 == 0 ? x : size - 1 - x);
    }
    return label;
}

/* ---- routes ---- */

static bool conforms_x_first(const struct flits_shape *shape, const struct flits_hop *hop)
{
    uint32_t at[FLITS_DIMENSIONS], end[FLITS_DIMENSIONS], i = 0, next;
    bool has_classes = false;
    take_apart(shape, hop->from, at);
    take_apart(shape, hop->target, end);
    for (uint32_t j = 0; j < shape->dimensions; j++)
        has_classes |= shape->form == FORM_TORUS && shape->size[j] > 3;
    while (i < shape->dimensions && at[i] == end[i])
        i++;
    if (i == shape->dimensions)
        return false;

    bool is_ahead = end[i] > at[i], grows = is_ahead;
    if (shape->form == FORM_TORUS) {
        uint32_t up = (end[i] + shape->size[i] - at[i]) % shape->size[i];
        uint32_t sum = at[i];
        for (uint32_t j = i + 1; j < shape->dimensions; j++)
            sum += at[j] + end[j];
        grows = 2 * up < shape->size[i] || (2 * up == shape->size[i] && sum % 2 == 0);
    }
    if (!step(shape, hop->from, i, grows, &next) || next != hop->to)
        return false;
    /* The route uses the wraparound link if it leads away from the target's place in the row. */
    bool wraps = shape->form == FORM_TORUS && grows != is_ahead;
    bool is_on_it = at[i] == (grows ? shape->size[i] - 1 : 0);
    if (shape->size[i] == 2)
        wraps = false;
    uint32_t class = wraps && !is_on_it ? 0 : 1;
    return !has_classes || hop->vc * 2 / hop->vcs == class;
}

static bool conforms_label(const struct flits_shape *shape, const struct flits_hop *hop)
{
    uint32_t here = flits_label(shape, hop->from), end = flits_label(shape, hop->target), other;
    uint32_t there = flits_label(shape, hop->to);
    if (here < end ? there <= here || there > end : there >= here || there < end)
        return false;
    if (hop->is_first)
        return true;
    for (uint32_t i = 0; i < 2 * shape->dimensions && shape->form != FORM_GRAPH; i++) {
        if (!step(shape, hop->from, i / 2, i % 2, &other))
            continue;
        uint32_t label = flits_label(shape, other);
        if (here < end ? label > there && label <= end : label < there && label >= end)
            return false;
    }
    return true;
}

static bool conforms_negative_first(const struct flits_shape *shape, const struct flits_hop *hop,
                                    bool is_fixed)
{
    uint32_t at[FLITS_DIMENSIONS], end[FLITS_DIMENSIONS], next;
    bool has_smaller = false;
    take_apart(shape, hop->from, at);
    take_apart(shape, hop->target, end);
    for (uint32_t i = 0; i < shape->dimensions; i++)
        has_smaller |= end[i] < at[i];
    for (uint32_t i = 0; i < shape->dimensions; i++) {
        bool is_allowed = has_smaller ? end[i] < at[i] : end[i] > at[i];
        if (!is_allowed)
            continue;
        if (step(shape, hop->from, i, !has_smaller, &next) && next == hop->to)
            return true;
        if (is_fixed)
            return false;
    }
    return false;
}

bool flits_may_turn(enum flits_routing routing, uint32_t from, uint32_t at, uint32_t to)
{
    /* On a mesh a hop to a smaller coordinate is one to a smaller number */
    return !flits_is_negative_first(routing) || at < from || to > at;
}

/* True for a hop nearer to the target. In west-first it goes west while the target is there. In
 * odd-even, along a column: the target is in this column, or the column is odd and the target east,
 * or it is even and the target west; eastwards: the target's row is this one, or there is still an
 * odd column to turn in. */
static bool conforms_turns(const struct flits_shape *shape, const struct flits_hop *hop,
                           bool is_odd_even)
{
    uint32_t at[FLITS_DIMENSIONS] = {0}, to[FLITS_DIMENSIONS] = {0}, end[FLITS_DIMENSIONS] = {0};
    take_apart(shape, hop->from, at);
    take_apart(shape, hop->to, to);
    take_apart(shape, hop->target, end);
    uint32_t i = at[0] == to[0]; /* the dimension of the hop */
    if (at[i] == end[i] || (to[i] > at[i]) != (end[i] > at[i]))
        return false;
    if (!is_odd_even)
        return i == 0 || end[0] >= at[0];
    if (i == 1)
        return end[0] == at[0] || (end[0] > at[0]) == (at[0] % 2 == 1);
    return to[0] < at[0] || at[1] == end[1] || to[0] != end[0] || to[0] % 2 == 1;
}

/* In all dimensions but the last bit i of a virtual channel's class says that links of dimension i
 * go down. */
static bool conforms_sides(const struct flits_shape *shape, const struct flits_hop *hop)
{
    uint32_t at[FLITS_DIMENSIONS], to[FLITS_DIMENSIONS], i = 0;
    uint32_t classes = UINT32_C(1) << (shape->dimensions - 1);
    take_apart(shape, hop->from, at);
    take_apart(shape, hop->to, to);
    while (i + 1 < shape->dimensions && at[i] == to[i])
        i++;
    uint32_t class = hop->vc * classes / hop->vcs;
    return i + 1 == shape->dimensions || (to[i] < at[i]) == (class >> i & 1);
}

bool flits_conforms(const struct flits_shape *shape, enum flits_routing routing,
                    const struct flits_hop *hop)
{
    if (routing == ROUTES_X_FIRST)
        return shape->form != FORM_GRAPH && conforms_x_first(shape, hop);
    if (flits_is_negative_first(routing))
        return conforms_negative_first(shape, hop, routing == ROUTES_NEGATIVE_FIRST_FIXED);
    if (routing == ROUTES_SIDES)
        return conforms_sides(shape, hop);
    if (routing == ROUTES_WEST_FIRST || routing == ROUTES_ODD_EVEN)
        return conforms_turns(shape, hop, routing == ROUTES_ODD_EVEN);
    return routing != ROUTES_LABEL || conforms_label(shape, hop);
}

/* ---- text ---- */

bool flits_shape_read(struct flits_shape *shape, const char *text, const char *end)
{
    static const char *const forms[] = {"mesh:", "torus:", "graph:"};
    uint32_t size[FLITS_DIMENSIONS];
    uint64_t nodes = 1;
    *shape = (struct flits_shape){.dimensions = 0};
    for (unsigned form = FORM_MESH; form <= FORM_GRAPH; form++) {
        size_t length = strlen(forms[form]);
        if ((size_t)(end - text) <= length || memcmp(text, forms[form], length) != 0)
            continue;
        shape->form = (enum flits_form)form;
        text += length;
        for (bool more = true; more; text += more) {
            uint64_t number = 0;
            const char *begin = text;
            for (; text < end && scan_is_digit(*text) && number <= FLITS_MOST_NODES; text++)
                number = number * 10 + (uint64_t)(*text - '0');
            nodes *= number;
            if (text == begin || nodes < 1 || nodes > FLITS_MOST_NODES ||
                shape->dimensions == FLITS_DIMENSIONS)
                return false;
            size[shape->dimensions++] = (uint32_t)number;
            more = text < end && *text == 'x' && shape->form != FORM_GRAPH;
        }
        for (uint32_t i = 0; i < shape->dimensions; i++)
            shape->size[i] = size[shape->dimensions - 1 - i];
        shape->nodes = (uint32_t)nodes;
        return text == end;
    }
    return false;
}

/* ---- lines ---- */

/* ---- the first line ---- */

/* KEY=VALUE, where VALUE is one of the words, or a number from `least` to `most`; the first word is
 * then the value 0. */
struct setting {
    const char *key, *expected;
    size_t offset; /* of a uint32_t, an enum or a bool of struct flits_header */
    size_t size;
    uint32_t least, most; /* most 0: not a number */
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

/* Reads one word of the line. */
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
        "x-first", "label",      "link",    "negative-first", "negative-first-fixed",
        "sides",   "west-first", "odd-even"};
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

/* Returns the message on two settings that exclude each other; NULL: none do. */
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
    if (header->routing >= ROUTES_WEST_FIRST && header->routing <= ROUTES_ODD_EVEN &&
        (header->shape.form != FORM_MESH || header->shape.dimensions > 2))
        return "a mesh of one or two dimensions with routing=west-first or odd-even";
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
        return scan_expected(&text, at, "one of the letters A F H I P W after the cycle", failure);
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
