/* printable.c - finds the characters of a text that must not be shown.
 *
 * Method: UTF-8 is decoded as in RFC 3629, without overlong forms and surrogates. There is no table
 * of Unicode's classes: only control characters, characters that reorder the text of a line, and
 * characters that XML forbids are hidden.
 */
#include "base/printable.h"

#include <stdint.h>
#include <string.h>

/* Decodes the character at `text`; returns its number of bytes, or 0 if it is not UTF-8. */
static size_t decode(const unsigned char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned first = *text;
    size_t bytes = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    *code = bytes == 1 ? first : first & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) /* also the end of the text */
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    bool is_wrong = first >= 0xf8 || *code < least[bytes] || *code > 0x10ffff ||
                    (*code >= 0xd800 && *code < 0xe000);
    return is_wrong ? 0 : bytes;
}

size_t printable_bytes(const char *text)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0, 0x1f},        /* control characters */
        {0x7f, 0x9f},     /* more of them */
        {0x61c, 0x61c},   /* directions .. */
        {0x200e, 0x200f}, /* .. of text */
        {0x2028, 0x202e}, /* ends of lines, and more directions */
        {0x2066, 0x2069}, /* directions */
        {0xfeff, 0xfeff}, /* byte order mark */
        {0xfffe, 0xffff}, /* not characters */
    };
    uint32_t code;
    size_t bytes = decode((const unsigned char *)text, &code);
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (code >= hidden[i].first && code <= hidden[i].last)
            return 0;
    return bytes;
}

const char *printable_copy(char *to, size_t size, const char *text)
{
    size_t used = 0;
    while (*text != '\0') {
        size_t bytes = printable_bytes(text);
        bool is_shown = bytes > 0;
        bytes = is_shown ? bytes : 1;
        if (used + bytes >= size)
            break;
        for (size_t i = 0; i < bytes; i++)
            to[used++] = text[i];
        if (!is_shown)
            to[used - 1] = '?';
        text += bytes;
    }
    to[used] = '\0';
    return to;
}

void printable_make(char *text)
{
    printable_copy(text, strlen(text) + 1, text);
}

const char *printable_name(const char *path, char text[PRINTABLE_NAME])
{
    size_t length = strlen(path);
    if (strcmp(path, "-") == 0)
        return "standard input";
    if (length < PRINTABLE_NAME)
        return printable_copy(text, PRINTABLE_NAME, path);
    memcpy(text, "...", 3);
    printable_copy(text + 3, PRINTABLE_NAME - 3, path + length - (PRINTABLE_NAME - 4));
    return text;
}

bool text_is_utf8(const char *text)
{
    uint32_t code;
    for (size_t bytes; *text != '\0'; text += bytes)
        if ((bytes = decode((const unsigned char *)text, &code)) == 0)
            return false;
    return true;
}
