/* expert_routes.c - JSON lines with the experts of tokens, as servers of language models log them.
 *
 * Grammar: an object per line, of any length, with one array of experts, counted from 0; other
 * members may hold anything. Blank lines are ignored. By the depth of its lists the array is
 *   [expert, ..]                  a token's experts
 *   [[expert, ..], ..]            tokens, each with its experts; or the layers of one token
 *   [[[expert, ..], ..], ..]      tokens, each with a list for each layer, as vLLM and SGLang
 *                                 return "routed_experts"
 * Its key is "topk_ids", "routed_experts" (three deep), or "layers" (two deep, the layers of a
 * token). Two deep, "topk_ids" are tokens if the object names its layer (a number under "layer",
 * "layer_id" or "layer_idx"), layers if it names a token ("token", "token_id", "position") or if a
 * layer was requested; else tokens, with a note. Layers without a name are counted from 0. One
 * layer is kept: the requested one, or the only one.
 *
 * Method: a line's lists are added as columns of their own; at the end of the line their meaning is
 * known, and unwanted ones are removed.
 * Invariant: no number in the file determines the use of memory; only the routes that are read do,
 * and the longest line.
 * Cost: one look at each byte; 8 bytes per expert of a token.
 */
#include "workloads/import_formats.h"

#include "base/json_scan.h"
#include "base/numbers.h"
#include "workloads/experts.h"

#include <stdio.h>
#include <string.h>

/* ---- the experts of a line ---- */

enum { LAYERS_MOST = 1 << 16 };

struct reader {
    struct entry_list *list;
    struct byte_source *source;
    struct byte_line line;
    struct failure *failure;
    uint32_t most;     /* the largest allowed number of an expert */
    unsigned depth;    /* of the arrays; 0: not known yet */
    uint32_t kept;     /* the kept layer, .. */
    bool has_kept;     /* .. if it is known */
    bool names_layers; /* the lines so far belong to layers */
    bool has_nested;   /* lists of lists were read as tokens without an indication */
    uint32_t layers;   /* of each token, if its lists are its layers; 0: not known yet */
    uint64_t seen[LAYERS_MOST / 64]; /* a bit per existing layer */
};

/* The members of an object; its entries are the columns from list->cols on. */
struct object {
    bool has_experts, has_layer, has_token, is_of_layers; /* the last: the key is "layers" */
    uint32_t layer, lists;                                /* lists: of the array, if it is nested */
    uint64_t stored;                                      /* by the lines before */
};

/* Reads the next line that is not blank; text NULL after the last one. */
static enum failure_kind next_line(struct reader *reader)
{
    struct byte_line *line = &reader->line;
    enum failure_kind kind;
    do {
        kind = byte_source_long_line(reader->source, line, reader->failure);
        if (kind != FAIL_NONE || line->text == NULL)
            break;
        line->text = json_scan_blanks(line->text, line->end);
    } while (line->text == line->end);
    return kind;
}

/* Fails, with the text found at `at`. */
static enum failure_kind expected(struct reader *reader, const char *at, const char *what)
{
    return scan_expected(&reader->line, at, what, reader->failure);
}

static enum failure_kind read_expert(struct reader *reader, const char **at, uint32_t column,
                                     bool is_kept)
{
    struct entry_list *list = reader->list;
    struct byte_line word = reader->line;
    const char *begin = *at;
    uint64_t expert;
    if (!json_scan_natural(at, reader->line.end, &expert) || expert > reader->most) {
        word.end = begin + (begin < word.end);
        while (word.end < reader->line.end && *begin != ']' && *word.end != ',' && *word.end != ']')
            word.end++;
        return scan_number_expected(&word, begin, "an expert", 0, reader->most, reader->failure);
    }
    return is_kept ? entry_list_store(list, column, (uint32_t)expert, false,
                                      "the experts of tokens", reader->failure)
                   : FAIL_NONE;
}

/* Reads a list of experts, which are added to a column if they are kept. */
static enum failure_kind read_experts(struct reader *reader, const char **at, uint64_t column,
                                      bool is_kept)
{
    const char *end = reader->line.end;
    if (column >= ENTRY_MAX_SIDE)
        return scan_refuse(&reader->line, reader->failure,
                           "expected at most %d tokens, found one more", ENTRY_MAX_SIDE);
    if (!json_scan_mark(at, end, '['))
        return expected(reader, *at, "an array of experts [ID, ID, ..]");
    if (json_scan_mark(at, end, ']'))
        return FAIL_NONE;
    do {
        if (read_expert(reader, at, (uint32_t)column, is_kept) != FAIL_NONE)
            return reader->failure->kind;
    } while (json_scan_mark(at, end, ','));
    return json_scan_mark(at, end, ']') ? FAIL_NONE : expected(reader, *at, "',' or ']'");
}

/* Fails if a token has another number of layers than those before. */
static enum failure_kind check_layers(struct reader *reader, const char *at, uint32_t layers)
{
    char what[80];
    if (reader->layers == 0)
        reader->layers = layers;
    if (layers == reader->layers)
        return FAIL_NONE;
    snprintf(what, sizeof what, "%u layers, as many as the tokens before have", reader->layers);
    return expected(reader, at, what);
}

/* Reads the lists of a token, one per layer, of which one is kept. */
static enum failure_kind read_layers(struct reader *reader, const char **at, uint64_t column)
{
    const char *begin = *at, *end = reader->line.end;
    uint32_t layers = 0;
    if (!json_scan_mark(at, end, '['))
        return expected(reader, *at, "an array of a token's layers [[ID, ..], ..]");
    if (!reader->has_kept)
        reader->has_kept = true; /* the first, which is layer 0 */
    do {
        if (read_experts(reader, at, column, layers == reader->kept) != FAIL_NONE)
            return reader->failure->kind;
        layers++;
    } while (json_scan_mark(at, end, ','));
    if (!json_scan_mark(at, end, ']'))
        return expected(reader, *at, "',' or ']'");
    return check_layers(reader, begin, layers);
}

/* Returns the depth of the array at `at`: the brackets that it begins with. */
static unsigned depth_at(const char *at, const char *end)
{
    unsigned depth = 0;
    while (json_scan_mark(&at, end, '['))
        depth++;
    return depth;
}

/* Reads the array after the key; its lists become columns from list->cols on. */
static enum failure_kind read_array(struct reader *reader, const char **at, struct object *object)
{
    const char *begin = *at, *end = reader->line.end;
    unsigned depth = depth_at(*at, end);
    bool is_empty = depth == 1 && reader->depth > 1 && json_scan_mark(at, end, '[') &&
                    json_scan_mark(at, end, ']');
    if (is_empty)
        return FAIL_NONE;
    *at = begin;
    if (reader->depth != 0 && depth != reader->depth && depth > 0)
        return expected(reader, *at, "lists nested as deep as in the lines before");
    reader->depth = depth;
    if (depth < 2)
        return read_experts(reader, at, reader->list->cols, true);
    (void)json_scan_mark(at, end, '[');
    do {
        uint64_t column = (uint64_t)reader->list->cols + object->lists;
        if ((depth == 2 ? read_experts(reader, at, column, true)
                        : read_layers(reader, at, column)) != FAIL_NONE)
            return reader->failure->kind;
        object->lists++;
    } while (json_scan_mark(at, end, ','));
    return json_scan_mark(at, end, ']') ? FAIL_NONE : expected(reader, *at, "',' or ']'");
}

/* ---- objects ---- */

enum key { KEY_OTHER, KEY_EXPERTS, KEY_ROUTED, KEY_LAYERS, KEY_LAYER, KEY_TOKEN };

static enum key key_of(const char *text, const char *end)
{
    static const struct {
        const char *name;
        enum key key;
    } KEYS[] = {{"topk_ids", KEY_EXPERTS}, {"routed_experts", KEY_ROUTED}, {"layers", KEY_LAYERS},
                {"layer", KEY_LAYER},      {"layer_id", KEY_LAYER},        {"layer_idx", KEY_LAYER},
                {"token", KEY_TOKEN},      {"token_id", KEY_TOKEN},        {"position", KEY_TOKEN}};
    size_t length = (size_t)(end - text);
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
        if (strlen(KEYS[i].name) == length && memcmp(text, KEYS[i].name, length) == 0)
            return KEYS[i].key;
    return KEY_OTHER;
}

/* Reads the number of the object's layer. */
static enum failure_kind read_layer(struct reader *reader, const char **at, const char *key,
                                    struct object *object)
{
    uint64_t layer;
    const char *word = *at;
    if (object->has_layer)
        return expected(reader, key, "the layer once a line");
    if (!json_scan_natural(at, reader->line.end, &layer) || layer >= LAYERS_MOST)
        return scan_number_expected(&reader->line, word, "the number of a layer", 0,
                                    LAYERS_MOST - 1, reader->failure);
    object->has_layer = true;
    object->layer = (uint32_t)layer;
    return FAIL_NONE;
}

/* Reads a key and its value. */
static enum failure_kind read_member(struct reader *reader, const char **at, struct object *object)
{
    const char *end = reader->line.end, *begin = *at, *text, *text_end;
    if (!json_scan_string(at, end, &text, &text_end))
        return expected(reader, begin, "a key in quotes");
    if (!json_scan_mark(at, end, ':'))
        return expected(reader, *at, "':' behind a key");
    enum key key = key_of(text, text_end);
    bool is_array = *at < end && **at == '[';
    if (key == KEY_LAYER)
        return read_layer(reader, at, begin, object);
    object->has_token |= key == KEY_TOKEN;
    if (key == KEY_OTHER || key == KEY_TOKEN || (key == KEY_LAYERS && !is_array))
        return json_scan_value(at, end) ? FAIL_NONE : expected(reader, *at, "a JSON value");
    if (object->has_experts)
        return expected(reader, begin, "\"topk_ids\" once a line");
    object->has_experts = true;
    object->is_of_layers = key == KEY_LAYERS;
    if (key == KEY_LAYERS && depth_at(*at, end) != 2)
        return expected(reader, *at, "a list of experts for each layer [[ID, ..], ..]");
    if (key == KEY_ROUTED && depth_at(*at, end) != 3)
        return expected(reader, *at, "a list for each token and layer [[[ID, ..], ..], ..]");
    return read_array(reader, at, object);
}

/* Reads the members of the object in the current line. */
static enum failure_kind read_object(struct reader *reader, struct object *object)
{
    const char *at = reader->line.text, *end = reader->line.end;
    if (!json_scan_mark(&at, end, '{'))
        return expected(reader, at, "a JSON object {\"topk_ids\":[..]}");
    if (!json_scan_mark(&at, end, '}')) {
        do {
            if (read_member(reader, &at, object) != FAIL_NONE)
                return reader->failure->kind;
        } while (json_scan_mark(&at, end, ','));
        if (!json_scan_mark(&at, end, '}'))
            return expected(reader, at, "',' or '}'");
    }
    if (at < end)
        return expected(reader, at, "the end of the line after the object");
    if (!object->has_experts)
        return scan_refuse(&reader->line, reader->failure,
                           "expected \"topk_ids\" in the object, found other keys or none");
    return FAIL_NONE;
}

/* ---- layers ---- */

static void note_layers(struct reader *reader, uint32_t first, uint32_t count)
{
    for (uint32_t layer = first; layer < first + count && layer < LAYERS_MOST; layer++)
        reader->seen[layer / 64] |= UINT64_C(1) << layer % 64;
}

/* Removes the line's columns except `column`, which becomes the first of them; UINT64_MAX: removes
 * all. */
static void keep_column(struct entry_list *list, uint64_t column, const struct object *object)
{
    size_t first = list->count, kept;
    while (first > 0 && entry_col(list->entry[first - 1]) >= list->cols)
        first--;
    kept = first;
    for (size_t i = first; i < list->count; i++)
        if (entry_col(list->entry[i]) == column)
            list->entry[kept++] = entry_pack(list->cols, entry_row(list->entry[i]));
    list->stored = object->stored + (kept - first);
    list->count = kept;
}

/* Decides if the line's columns are tokens or layers, and keeps those of the wanted layer. */
static enum failure_kind settle(struct reader *reader, const struct object *object)
{
    struct entry_list *list = reader->list;
    const char *text = reader->line.text;
    bool is_nested = reader->depth == 2 && !object->has_layer;
    bool are_layers =
        is_nested && (object->is_of_layers || object->has_token || list->reading.has_layer);
    bool names_layers = object->has_layer || are_layers || reader->depth == 3;
    if (object->has_layer && (object->is_of_layers || reader->depth == 3))
        return expected(reader, text, "either a layer's number or lists for all layers");
    if (list->lines > 0 && names_layers != reader->names_layers)
        return expected(reader, text,
                        reader->names_layers ? "a layer, as in the lines before"
                                             : "no layer, as in the lines before");
    reader->names_layers = names_layers;
    list->lines++;
    reader->has_nested |= is_nested && !are_layers;
    if (!reader->has_kept && names_layers) {
        reader->has_kept = true;
        reader->kept = object->has_layer ? object->layer : 0;
    }
    if (are_layers) {
        if (object->lists > 0 && check_layers(reader, text, object->lists) != FAIL_NONE)
            return reader->failure->kind;
        keep_column(list, (uint64_t)list->cols + reader->kept, object);
        list->cols += object->lists > 0;
    } else if (object->has_layer && object->layer != reader->kept) {
        keep_column(list, UINT64_MAX, object);
    } else {
        list->cols += reader->depth < 2 ? 1 : object->lists;
    }
    if (object->has_layer)
        note_layers(reader, object->layer, 1);
    return FAIL_NONE;
}

static bool is_seen(const struct reader *reader, uint32_t layer)
{
    return layer < LAYERS_MOST && (reader->seen[layer / 64] >> layer % 64 & 1);
}

/* Writes "0 to 2, 5, ..", and returns the number of layers. */
static uint32_t layers_text(const struct reader *reader, char *text, size_t size)
{
    uint32_t layers = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t layer = 0; layer < LAYERS_MOST; layer++) {
        layers += is_seen(reader, layer);
        if (!is_seen(reader, layer) || (layer > 0 && is_seen(reader, layer - 1)))
            continue;
        uint32_t last = layer;
        while (is_seen(reader, last + 1))
            last++;
        if (used + 32 > size) {
            snprintf(text + used, size - used, ", ..");
            size = 0; /* no more */
        }
        if (used + 32 <= size)
            used += (size_t)snprintf(text + used, size - used, last > layer ? "%s%u to %u" : "%s%u",
                                     used > 0 ? ", " : "", layer, last);
    }
    return layers;
}

/* Checks that the kept layer is the requested one, or the only one. */
static enum failure_kind check_layer(struct reader *reader)
{
    char text[160];
    const struct entry_list *list = reader->list;
    const char *name = reader->line.name;
    note_layers(reader, 0, reader->layers);
    uint32_t layers = layers_text(reader, text, sizeof text);
    if (list->reading.has_layer && layers == 0)
        return fail(reader->failure, FAIL_USAGE, "%s names no layers; leave --layer out", name);
    if (list->reading.has_layer && !is_seen(reader, list->reading.layer))
        return fail(reader->failure, FAIL_USAGE, "%s has no layer %u; there %s %s", name,
                    list->reading.layer, layers > 1 ? "are" : "is", text);
    if (!list->reading.has_layer && layers > 1)
        return fail(reader->failure, FAIL_USAGE,
                    "%s has %u layers, %s; choose one with --layer N, since the messages of "
                    "several are not sent at one time",
                    name, layers, text);
    return FAIL_NONE;
}

static enum failure_kind read_all(struct reader *reader)
{
    struct entry_list *list = reader->list;
    for (;;) {
        struct object object = {.stored = list->stored};
        if (next_line(reader) != FAIL_NONE)
            return reader->failure->kind;
        if (reader->line.text == NULL)
            break;
        if (read_object(reader, &object) != FAIL_NONE || settle(reader, &object) != FAIL_NONE)
            return reader->failure->kind;
    }
    if (list->lines == 0)
        return scan_refuse(&reader->line, reader->failure,
                           "expected a line {\"topk_ids\":[..]}, found %s",
                           reader->line.number > 0 ? "blank lines" : "an empty file");
    return check_layer(reader);
}

enum failure_kind expert_routes_read(struct byte_source *source, struct entry_list *list,
                                     struct failure *failure)
{
    struct reader reader = {.list = list, .failure = failure, .has_kept = list->reading.has_layer};
    reader.kept = list->reading.has_layer ? list->reading.layer : 0;
    reader.most = list->rows > 0 ? list->rows - 1 : EXPERTS_MOST - 1;
    reader.source = source;
    list->is_to_experts = true;
    if (read_all(&reader) != FAIL_NONE)
        return failure->kind;
    for (size_t i = 0; i < list->count; i++)
        list->rows = max_u32(list->rows, entry_row(list->entry[i]) + 1);
    list->cols = max_u32(list->cols, 1); /* if no token is of the layer */
    list->rows = max_u32(list->rows, 1);
    if (reader.has_nested)
        import_note(&list->notes,
                    "lists of lists were taken for tokens, each with its experts; with "
                    "--layer N they are layers of a token");
    list->items = list->cols;
    return FAIL_NONE;
}
