/* json_scan.c - a scanner of JSON values by the grammar of RFC 8259.
 *
 * It is written by hand because logs of expert routes are long and libmeshcast needs no JSON
 * otherwise. Nothing is allocated, and no unread value is built: an import needs half the time
 * that jansson needs just to read the lines. The tests compare it with jansson. It does not check
 * that strings are UTF-8, or that keys differ.
 * Invariant: depth is bounded, so that no text exhausts the stack.
 * Cost: one look at each byte.
 */
#include "base/json_scan.h"

#include <string.h>

static bool is_digit(const char *at, const char *end)
{
    return at < end && (unsigned char)(*at - '0') < 10;
}

static bool is_hexadecimal(char c)
{
    return (unsigned char)(c - '0') < 10 || (unsigned char)((c | 0x20) - 'a') < 6;
}

bool json_scan_natural(const char **at, const char *end, uint64_t *value)
{
    const char *c = *at;
    uint64_t sum = 0;
    for (; is_digit(c, end); c++) {
        unsigned digit = (unsigned)(*c - '0');
        sum = sum > (UINT64_MAX - digit) / 10 ? UINT64_MAX : sum * 10 + digit;
    }
    bool has_zeros = c - *at > 1 && **at == '0';
    if (c == *at || has_zeros || (c < end && (*c == '.' || *c == 'e' || *c == 'E')))
        return false;
    *value = sum;
    *at = c;
    return true;
}

bool json_scan_string(const char **at, const char *end, const char **text, const char **text_end)
{
    if (*at == end || **at != '"')
        return false;
    *text = ++*at;
    for (; *at < end && **at != '"'; ++*at) {
        if ((unsigned char)**at < ' ')
            return false;
        if (**at != '\\')
            continue;
        if (++*at == end || **at == '\0' || strchr("\"\\/bfnrtu", **at) == NULL)
            return false;
        for (int digits = **at == 'u' ? 4 : 0; digits > 0; digits--)
            if (++*at == end || !is_hexadecimal(**at))
                return false;
    }
    if (*at == end)
        return false;
    *text_end = (*at)++;
    return true;
}

/* Passes digits, at least one. */
static bool pass_digits(const char **at, const char *end)
{
    if (!is_digit(*at, end))
        return false;
    while (is_digit(*at, end))
        ++*at;
    return true;
}

static bool pass_number(const char **at, const char *end)
{
    *at += **at == '-';
    if (*at < end && **at == '0')
        ++*at;
    else if (!pass_digits(at, end))
        return false;
    if (*at < end && **at == '.') {
        ++*at;
        if (!pass_digits(at, end))
            return false;
    }
    if (*at < end && (**at | 0x20) == 'e') {
        ++*at;
        *at += *at < end && (**at == '+' || **at == '-');
        return pass_digits(at, end);
    }
    return true;
}

static bool pass_word(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool pass_value(const char **at, const char *end, unsigned depth);

/* Passes the text between two brackets, for an object with its keys. */
static bool pass_members(const char **at, const char *end, char close, unsigned depth)
{
    const char *text, *text_end;
    ++*at;
    if (json_scan_mark(at, end, close))
        return true;
    do {
        if (close == '}' &&
            (!json_scan_string(at, end, &text, &text_end) || !json_scan_mark(at, end, ':')))
            return false;
        if (!pass_value(at, end, depth))
            return false;
    } while (json_scan_mark(at, end, ','));
    return json_scan_mark(at, end, close);
}

static bool pass_value(const char **at, const char *end, unsigned depth)
{
    const char *text, *text_end;
    if (*at == end)
        return false;
    switch (**at) {
    case '"':
        return json_scan_string(at, end, &text, &text_end);
    case '{':
    case '[':
        return depth > 0 && pass_members(at, end, **at == '{' ? '}' : ']', depth - 1);
    case 't':
        return pass_word(at, end, "true");
    case 'f':
        return pass_word(at, end, "false");
    case 'n':
        return pass_word(at, end, "null");
    default:
        return pass_number(at, end);
    }
}

bool json_scan_value(const char **at, const char *end)
{
    *at = json_scan_blanks(*at, end);
    return pass_value(at, end, JSON_SCAN_DEPTH);
}
