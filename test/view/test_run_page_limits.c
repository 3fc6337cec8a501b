/* test_run_page_limits.c - pages at their limits: blocks that promise too much, an encoder at the
 * end of its memory, and files that are not written before they are whole.
 *
 * Oracle: of a bomb, the memory that the system lets the program have; of a limit, any other limit.
 */
#include "test/program_run.h"
#include "test/sanitized.h"
#include "view/run_encoder.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static void check(const char *command)
{
    program_run_ends(0, "%s", command);
}

/* Writes the deflated text of `count` bytes in base 64 to $T/block; the first ones are `head`, the
 * others zeros. */
static void write_bomb(const char *head, size_t head_count, size_t count)
{
    enum { ROOM = 1 << 22 };
    static unsigned char packed[ROOM], zeros[1 << 16];
    z_stream stream = {.next_out = packed, .avail_out = ROOM};
    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)(uintptr_t)head;
    stream.avail_in = (unsigned)head_count;
    ck_assert_int_eq(deflate(&stream, Z_NO_FLUSH), Z_OK);
    for (size_t left = count - head_count; left > 0;) {
        stream.next_in = zeros;
        stream.avail_in = (unsigned)(left < sizeof zeros ? left : sizeof zeros);
        left -= stream.avail_in;
        deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
    }
    char path[1024];
    snprintf(path, sizeof path, "%.1000s/packed", program_run("printf '%%s' $T")->out);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fwrite(packed, 1, stream.total_out, file);
    fclose(file);
    deflateEnd(&stream);
    check("base64 -w 0 $T/packed >$T/block");
}

static const struct bomb {
    const char *head;
    size_t head_count;
    const char *begin, *end; /* of the line, around the block */
    const char *expected;
} bombs[] = {
    /* a head that promises nothing of the kind */
    {"\0", 1, "frame 0 1 AA== ", "", "bad:3: expected a block of 2 columns"},
    {"\2\0\0", 3, "frame 0 1 AA== ", "", "bad:3: the columns of a block do not fill it"},
    /* a column of 2^30 numbers, for packets that nobody has seen */
    {"\2\200\200\200\200\4\0", 7, "frame 0 1 AA== ", "", "bad:3: expected a column of at most 0 "},
};

/* A block unpacks to no more than its first bytes promise, and these are checked before: a page of
 * a megabyte that would unpack to one of a gigabyte is refused in little memory. */
START_TEST(bombs_refused)
{
    const struct bomb *bomb = &bombs[_i];
    write_bomb(bomb->head, bomb->head_count, (size_t)1 << 30);
    check(
        "printf 'meshcast-view 1\ntrace \"meshcast-trace 1 2 2 copy=unit buffer=none\"\n' >$T/bad");
    const struct outcome *run =
        program_run("(printf '%s'; cat $T/block; printf '%s\n') >>$T/bad; "
                    "%s $M view $T/bad --decode 1 -o $T/d",
                    bomb->begin, bomb->end, SANITIZED ? "" : "ulimit -v 300000;");
    ck_assert_msg(run->status == 3 && strstr(run->err, bomb->expected) != NULL, "status %d: %s",
                  run->status, run->err);
}
END_TEST

/* An encoder that may have less memory than its run needs says so, at whatever array the limit
 * falls; with more it gives the page. */
/* With standard output for a file nothing is written before everything has been found right: words,
 * sets and traces. */
START_TEST(nothing_early)
{
    static const char *const words[] = {
        "route $T/set --router trees --param nonsense=1 --view -",
        "route $T/set --router replicate --unknown-congestion --buffer 1 --view -",
        "network $T/set --scheme dual --param nonsense=1 --view -",
        "network $T/set --scheme dual --vcs 0 --view -",
        "view $T/set $T/junk -o -",
        "view $T/set $T/t $T/junk -o -",
        "view $T/set $T/none -o -",
        "view $T/cut --decode 1 -o -",
        "plan $T/set --scheme dual --param nonsense=1 --each -",
        "plan $T/far --scheme column-path --each -",
        "route $T/set --router trees --view - --trace -",
        "network $T/set --scheme dual --view - --trace -",
    };
    program_run_file("set", "mcast 1 2 2\n0 1 2 3\n");
    program_run_file("t", "meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 7 0\n");
    program_run_file("junk", "meshcast-trace 1 2 2 copy=unit buffer=none\n0 I 0 7 0\n1 M 8 0 1\n");
    check("$M view $T/set $T/t -o $T/page && grep -v '^run ' $T/page >$T/cut");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct outcome *run = program_run("$M %s", words[i]);
        ck_assert_msg(run->status >= 2 && run->out[0] == '\0', "%s: status %d\n%.100s", words[i],
                      run->status, run->out);
    }
    check("$M route $T/set --router trees --view - 2>$T/o | tail -n 1 | grep -qx '</html>' && "
          "$M network $T/set --scheme dual --view - 2>$T/o | tail -n 1 | grep -qx '</html>'");
}
END_TEST

void run_page_limits_suite(TCase *tests)
{
    tcase_add_checked_fixture(tests, program_run_setup, program_run_teardown);
    tcase_add_loop_test(tests, bombs_refused, 0, sizeof bombs / sizeof *bombs);
    tcase_add_test(tests, nothing_early);
}
