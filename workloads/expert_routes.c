/* expert_routes.c - JSON lines with the experts of a token each, as servers of language models log them.
 *
 * Grammar: an object a line, of at most BYTE_SOURCE_LONGEST_LINE bytes, with a member "topk_ids", an array of the
 * numbers of experts, counted from 0; other members may hold anything. Blank lines count for nothing.
 * Invariant: no number in the file decides how much memory is taken; the routes that are read do.
 * Cost: one look at each byte; 8 bytes an expert of a token.
 */
#include "workloads/expert_routes.h"

#include "base/json_scan.h"
#include "base/line_scan.h"
#include "workloads/expert_place.h"

#include <stdio.h>
#include <string.h>

static const char KEY[] = "topk_ids";

struct reader {
    struct entry_list *list;
    struct byte_line line;
    uint32_t most; /* the largest number of an expert that is allowed */
    struct failure *failure;
};

/* Fails, with what was found at `at`. */
static enum failure_kind expected(struct reader *reader, const char *at, const char *what)
{
    return scan_expected(&reader->line, at, what, reader->failure);
}

static enum failure_kind read_expert(struct reader *reader, const char **at, uint32_t token)
{
    struct entry_list *list = reader->list;
    const char *word = *at;
    uint64_t expert;
    if (!json_scan_natural(at, reader->line.end, &expert) || expert > reader->most) {
        char what[64];
        snprintf(what, sizeof what, "an expert from 0 to %lu", (unsigned long)reader->most);
        return expected(reader, word, what);
    }
    if (!entry_list_add(list, entry_pack(token, (uint32_t)expert)))
        return entry_list_fail(list, "the experts of tokens", reader->failure);
    list->stored++;
    if (expert >= list->rows)
        list->rows = (uint32_t)expert + 1;
    return FAIL_NONE;
}

/* The array behind the key. */
static enum failure_kind read_experts(struct reader *reader, const char **at, uint32_t token)
{
    const char *end = reader->line.end;
    if (!json_scan_mark(at, end, '['))
        return expected(reader, *at, "an array of experts [ID, ID, ..]");
    if (json_scan_mark(at, end, ']'))
        return FAIL_NONE;
    do {
        enum failure_kind kind = read_expert(reader, at, token);
        if (kind != FAIL_NONE)
            return kind;
    } while (json_scan_mark(at, end, ','));
    return json_scan_mark(at, end, ']') ? FAIL_NONE : expected(reader, *at, "',' or ']'");
}

/* A key and its value. */
static enum failure_kind read_member(struct reader *reader, const char **at, uint32_t token,
                                     bool *has_experts)
{
    const char *end = reader->line.end, *key = *at, *text, *text_end;
    if (!json_scan_string(at, end, &text, &text_end))
        return expected(reader, key, "a key in quotes");
    if (!json_scan_mark(at, end, ':'))
        return expected(reader, *at, "':' behind a key");
    bool is_ours = text_end - text == sizeof KEY - 1 && memcmp(text, KEY, sizeof KEY - 1) == 0;
    if (!is_ours)
        return json_scan_value(at, end) ? FAIL_NONE : expected(reader, *at, "a JSON value");
    if (*has_experts)
        return expected(reader, key, "\"topk_ids\" once a line");
    *has_experts = true;
    return read_experts(reader, at, token);
}

/* The object in the present line. */
static enum failure_kind read_token(struct reader *reader, uint32_t token)
{
    const char *at = reader->line.text, *end = reader->line.end;
    bool has_experts = false;
    if (!json_scan_mark(&at, end, '{'))
        return expected(reader, at, "a JSON object {\"topk_ids\":[..]}");
    if (!json_scan_mark(&at, end, '}')) {
        do {
            enum failure_kind kind = read_member(reader, &at, token, &has_experts);
            if (kind != FAIL_NONE)
                return kind;
        } while (json_scan_mark(&at, end, ','));
        if (!json_scan_mark(&at, end, '}'))
            return expected(reader, at, "',' or '}'");
    }
    if (at < end)
        return expected(reader, at, "the end of the line after the object");
    if (!has_experts)
        return fail(reader->failure, FAIL_INPUT,
                    "%s:%llu: expected \"topk_ids\" in the object, found other keys or none",
                    reader->line.name, (unsigned long long)reader->line.number);
    return FAIL_NONE;
}

enum failure_kind expert_routes_read(struct byte_source *source, struct entry_list *list,
                                     struct failure *failure)
{
    struct reader reader = {.list = list, .failure = failure};
    reader.most = list->rows > 0 ? list->rows - 1 : EXPERTS_MOST - 1;
    list->is_to_experts = true;
    for (;;) {
        enum failure_kind kind = scan_content(source, "", &reader.line, failure);
        if (kind != FAIL_NONE)
            return kind;
        if (reader.line.text == NULL)
            break;
        if (list->cols == ENTRY_MAX_SIDE)
            return fail(failure, FAIL_INPUT, "%s:%llu: expected at most %d tokens, found one more",
                        reader.line.name, (unsigned long long)reader.line.number, ENTRY_MAX_SIDE);
        if ((kind = read_token(&reader, list->cols)) != FAIL_NONE)
            return kind;
        list->cols++;
    }
    if (list->cols == 0)
        return fail(failure, FAIL_INPUT, "%s:%llu: expected a line {\"topk_ids\":[..]}, found %s",
                    reader.line.name,
                    (unsigned long long)reader.line.number + (reader.line.number == 0),
                    reader.line.number > 0 ? "blank lines" : "an empty file");
    list->items = list->cols;
    list->rows += list->rows == 0; /* where no token has an expert */
    return FAIL_NONE;
}
