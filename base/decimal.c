/* decimal.c - the table of decimals, and numbers of more than eight digits. */
#include "base/decimal.h"

void decimals_fill(struct decimals *decimals)
{
    memcpy(decimals->padded[0], "0000", 4);
    for (unsigned number = 0; number < DECIMAL_ENTRIES; number++) {
        char *padded = decimals->padded[number], *plain = decimals->plain[number];
        unsigned zeros = (number < 10) + (number < 100) + (number < 1000);
        memmove(padded, decimals->padded[number / 10] + 1, 3);
        padded[3] = (char)('0' + number % 10);
        plain[0] = ' ';
        memcpy(plain + 1, padded + zeros, 4 - zeros);
        plain[7] = (char)(5 - zeros);
    }
}

char *decimal_write_long(const struct decimals *decimals, char *text, uint64_t number)
{
    text = decimal_write(decimals, text, number / DECIMAL_ENTRIES);
    memcpy(text, decimals->padded[number % DECIMAL_ENTRIES], 4);
    return text + 4;
}
