/* test_audit.c - the audit of traces: good ones with exact counts, doctored ones for every rule.
 *
 * test/traces/TABLE lists traces, each with its message set, the status, the line and a part of the
 * text that the audit must give. Larger traces (longer than the reader's buffer, many packets, a
 * random mix of events) are written to a temporary file here.
 */
#include "audit/audit.h"
#include "test/temporary.h"
#include "workloads/import.h"

#include <check.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "test/traces/"

/* ---- the table ---- */

struct row {
    char trace[80], set[80], text[200];
    int status;
    uint64_t line;
};

/* Reads the next row; false at the end of the table. */
static bool read_row(FILE *table, struct row *row)
{
    char line[512];
    while (fgets(line, sizeof line, table)) {
        if (line[0] == '#' || line[0] == '\n') {
            continue;
        }
        int fields = sscanf(line, "%79s %79s %d %" SCNu64 " %199[^\n]", row->trace, row->set,
                            &row->status, &row->line, row->text);
        ck_assert_msg(fields == 5, "TABLE: cannot read: %s", line);
        return true;
    }
    return false;
}

/* Audits folder/trace against folder/set ("-": none). */
static enum failure_kind audit_file(const char *trace, const char *set_name,
                                    struct audit_report *report, struct failure *failure)
{
    char path[256];
    struct message_set set = {0};
    bool has_set = strcmp(set_name, "-") != 0;
    if (has_set) {
        snprintf(path, sizeof path, FOLDER "%s", set_name);
        ck_assert_msg(set_file_read(&set, &(struct import_summary){0}, path, NULL, failure) ==
                          FAIL_NONE,
                      "%s", failure->text);
    }
    enum failure_kind kind = audit_trace(trace, has_set ? &set : NULL, report, failure);
    message_set_free(&set);
    return kind;
}

static void check_good(const struct row *row, const struct audit_report *report)
{
    char text[200];
    snprintf(text, sizeof text,
             "packets=%" PRIu64 " messages=%" PRIu64 " events=%" PRIu64 " steps=%" PRIu64
             " hops=%" PRIu64 " words=%" PRIu64 " copies=%" PRIu64 " delivered=%" PRIu64
             " peak=%" PRIu32 "@%" PRIu32 "@%" PRIu64,
             report->packets, report->messages, report->events, report->steps, report->packet_hops,
             report->word_hops, report->copies, report->delivered, report->buffer_peak,
             report->buffer_peak_node, report->buffer_peak_step);
    ck_assert_msg(strcmp(text, row->text) == 0, "%s: %s, expected %s", row->trace, text, row->text);
}

static void check_row(const struct row *row)
{
    char path[160], place[200];
    struct audit_report report;
    struct failure failure = {0};
    snprintf(path, sizeof path, FOLDER "%s", row->trace);
    snprintf(place, sizeof place, "%s:%" PRIu64 ": ", path, row->line);

    enum failure_kind kind = audit_file(path, row->set, &report, &failure);
    ck_assert_msg((int)kind == row->status, "%s: status %d, expected %d: %s", row->trace, (int)kind,
                  row->status, failure.text);
    ck_assert_int_eq(failure.kind, kind);
    if (kind == FAIL_NONE) {
        check_good(row, &report);
        return;
    }
    ck_assert_msg(strncmp(failure.text, place, strlen(place)) == 0, "%s: not at line %" PRIu64,
                  failure.text, row->line);
    ck_assert_msg(strstr(failure.text, row->text) != NULL, "%s: expected %s", failure.text,
                  row->text);
}

/* Every trace of the table gets the status, the line and the text of its row. */
START_TEST(test_table)
{
    struct row row;
    FILE *table = fopen(FOLDER "TABLE", "r");
    ck_assert_msg(table != NULL, FOLDER "TABLE cannot be opened");
    int rows = 0;
    for (; read_row(table, &row); rows++) {
        check_row(&row);
    }
    fclose(table);
    ck_assert_int_gt(rows, 100);
}
END_TEST

/* The header's fields reach the report; a buffer without capacity is 0. */
START_TEST(test_report_of_header)
{
    struct audit_report report;
    struct failure failure = {0};
    ck_assert_int_eq(audit_file(FOLDER "good_unit.trace", "-", &report, &failure), FAIL_NONE);
    ck_assert_uint_eq(report.rows, 2);
    ck_assert_uint_eq(report.cols, 3);
    ck_assert_uint_eq(report.buffer_capacity, 2);
    ck_assert(!report.copy_is_free);
    ck_assert_int_eq(audit_file(FOLDER "good_free.trace", "-", &report, &failure), FAIL_NONE);
    ck_assert_uint_eq(report.buffer_capacity, 0);
    ck_assert(report.copy_is_free);
}
END_TEST

/* A failure fills the report as far as the replay went, and NULL for `failure` is allowed. */
START_TEST(test_report_of_failure)
{
    struct audit_report report;
    ck_assert_int_eq(audit_trace(FOLDER "rule1_far.trace", NULL, &report, NULL), FAIL_CHECK);
    ck_assert_uint_eq(report.events, 7);
    ck_assert_uint_eq(report.steps, 2);
    ck_assert_uint_eq(report.packet_hops, 1);
    ck_assert_int_eq(audit_trace(FOLDER "bad_letter.trace", NULL, &report, NULL), FAIL_INPUT);
    ck_assert_uint_eq(report.events, 7);
}
END_TEST

/* A file that is not there, and a folder, fail as the system's failures. */
START_TEST(test_unreadable)
{
    struct audit_report report;
    struct failure failure = {0}, folder = {0};
    ck_assert_int_eq(audit_trace(FOLDER "none.trace", NULL, &report, &failure), FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, "none.trace"));
    ck_assert_int_eq(audit_trace(FOLDER, NULL, &report, &folder), FAIL_SYSTEM);
}
END_TEST

/* ---- long traces ---- */

/* One packet goes to and fro 200,000 times, so that lines straddle the reader's buffer; a doctored
 * last line is found at its number. */
START_TEST(test_longer_than_buffer)
{
    char temporary[TEMPORARY_PATH];
    fclose(temporary_file(temporary));
    enum { HOPS = 200000 };
    struct audit_report report;
    struct failure failure = {0};
    FILE *file = fopen(temporary, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "meshcast-trace 1 1 2 copy=unit buffer=1\n0 I 0 7 0\n");
    for (int i = 0; i < HOPS; i++) {
        fprintf(file, "%d M 7 %d %d\n", i + 1, i % 2, 1 - i % 2);
    }
    fclose(file);
    ck_assert_int_eq(audit_trace(temporary, NULL, &report, &failure), FAIL_NONE);
    ck_assert_uint_eq(report.packet_hops, HOPS);
    ck_assert_uint_eq(report.steps, HOPS);

    file = fopen(temporary, "a");
    fprintf(file, "%d M 7 0 1\n", HOPS);
    fclose(file);
    ck_assert_int_eq(audit_trace(temporary, NULL, &report, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, ":200003: rule 2: "));
    unlink(temporary);
}
END_TEST

/* A comment of 300,000 bytes is too long a line, and is refused at its number. */
START_TEST(test_line_too_long)
{
    char temporary[TEMPORARY_PATH];
    fclose(temporary_file(temporary));
    struct audit_report report;
    struct failure failure = {0};
    FILE *file = fopen(temporary, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "meshcast-trace 1 1 2 copy=unit buffer=1\n#%300000s\n", "");
    fclose(file);
    ck_assert_int_eq(audit_trace(temporary, NULL, &report, &failure), FAIL_INPUT);
    ck_assert_ptr_nonnull(strstr(failure.text, ":2: expected a line of at most 65536 bytes"));
    unlink(temporary);
}
END_TEST

/* A made-up id that is a bijection of i, so that ids are spread over 64 bits. */
static uint64_t spread_id(uint64_t i, bool is_spread)
{
    return is_spread ? (i + 1) * UINT64_C(0x2545f4914f6cdd1d) : i;
}

/* 60,000 packets are made, two thirds of them end in a scrambled order, the rest is found where it
 * was and ends too; then an id of the first is refused. Ids are dense in one run, spread over 64
 * bits in the other, multiples of 2^32 in the last. */
START_TEST(test_many_packets)
{
    char temporary[TEMPORARY_PATH];
    fclose(temporary_file(temporary));
    enum { PACKETS = 60000, COLS = 300 };
    struct audit_report report;
    struct failure failure = {0};
    bool is_spread = _i == 1;
    int shift = _i == 2 ? 32 : 0;
    FILE *file = fopen(temporary, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "meshcast-trace 1 1 %d copy=free buffer=none kernel=sort\n", COLS);
    for (uint64_t i = 0; i < PACKETS; i++) {
        fprintf(file, "0 I %d %" PRIu64 " %" PRIu64 "\n", (int)(i % COLS),
                spread_id(i, is_spread) << shift, i);
    }
    for (int round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < PACKETS; i++) {
            uint64_t j = i * 7919 % PACKETS;
            if ((int)(j % 3) == round) {
                fprintf(file, "%d R %d %" PRIu64 "\n", round + 1, (int)(j % COLS),
                        spread_id(j, is_spread) << shift);
            }
        }
    }
    fclose(file);
    ck_assert_msg(audit_trace(temporary, NULL, &report, &failure) == FAIL_NONE, "%s", failure.text);
    ck_assert_uint_eq(report.packets, PACKETS);
    ck_assert_uint_eq(report.buffer_peak, PACKETS / COLS);

    file = fopen(temporary, "a");
    fprintf(file, "4 I 0 %" PRIu64 " 0\n", spread_id(1234, is_spread) << shift);
    fclose(file);
    ck_assert_int_eq(audit_trace(temporary, NULL, &report, &failure), FAIL_CHECK);
    ck_assert_ptr_nonnull(strstr(failure.text, ":120002: rule trace: packet id"));
    unlink(temporary);
}
END_TEST

/* ---- damage at random ---- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* A good trace with a few bytes changed at random ends with a status of the contract: none, a rule
 * with a line, or bad input with a line. */
START_TEST(test_random_damage)
{
    char temporary[TEMPORARY_PATH];
    fclose(temporary_file(temporary));
    char good[4096], bytes[4096];
    FILE *file = fopen(FOLDER "good_void_attempt.trace", "r");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(good, 1, sizeof good, file);
    fclose(file);

    uint64_t state = 1;
    for (int round = 0; round < 3000; round++) {
        struct audit_report report;
        struct failure failure = {0};
        memcpy(bytes, good, length);
        for (uint64_t i = next_random(&state) % 3 + 1; i > 0; i--) {
            static const char alphabet[] = "0123456789 IMXCDERG\n#-\xff";
            bytes[next_random(&state) % length] = alphabet[next_random(&state) % 23];
        }
        file = fopen(temporary, "w");
        ck_assert_ptr_nonnull(file);
        fwrite(bytes, 1, next_random(&state) % 4 ? length : next_random(&state) % length, file);
        fclose(file);
        enum failure_kind kind = audit_file(temporary, "three.mcast", &report, &failure);
        ck_assert(kind == FAIL_NONE || kind == FAIL_CHECK || kind == FAIL_INPUT);
        ck_assert_int_eq(strncmp(failure.text, temporary, kind ? strlen(temporary) : 0), 0);
    }
    unlink(temporary);
}
END_TEST

void audit_suite(TCase *tests)
{
    tcase_add_test(tests, test_table);
    tcase_add_test(tests, test_report_of_header);
    tcase_add_test(tests, test_report_of_failure);
    tcase_add_test(tests, test_unreadable);
    tcase_add_test(tests, test_longer_than_buffer);
    tcase_add_test(tests, test_line_too_long);
    tcase_add_loop_test(tests, test_many_packets, 0, 3);
    tcase_add_test(tests, test_random_damage);
}
