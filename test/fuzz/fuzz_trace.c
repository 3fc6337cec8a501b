/* fuzz_trace.c - the reader of traces, and the audit, against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h) comes the trace; with
 * FUZZ_OWN a message set, a zero byte, and then the trace. Whatever the trace is, the audit ends
 * with success, a broken rule, a line that is none of a trace, or a fault that was armed. What it
 * takes must agree with its own counts: no more than the trace's lines can hold, and with a set
 * each delivery once. An audit of the same trace without its set checks less, so it must pass as
 * well.
 */
#include "audit/audit.h"
#include "test/fuzz/faults.h"
#include "test/fuzz/set_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_report(const struct audit_report *report, const struct message_set *set,
                         size_t length)
{
    uint64_t acts = report->packet_hops + report->word_hops + report->copies;
    fuzz_require(2 * report->events <= length && acts <= report->events);
    fuzz_require(report->packets <= report->events && report->messages <= report->packets);
    fuzz_require(report->buffer_peak <= report->packets);
    fuzz_require(report->buffer_capacity == 0 || report->buffer_peak <= report->buffer_capacity);
    fuzz_require(report->buffer_peak_node < report->rows * report->cols);
    fuzz_require(report->buffer_peak_step <= report->steps);
    if (set == NULL)
        return;
    fuzz_require(report->rows == set->mesh.rows && report->cols == set->mesh.cols);
    fuzz_require(report->delivered == set->deliveries && report->messages == set->messages);
}

static void check_without_set(const char *path, const struct audit_report *expected)
{
    struct audit_report report;
    struct failure failure = {0};
    fuzz_require(audit_trace(path, NULL, &report, &failure) == FAIL_NONE);
    fuzz_require(report.events == expected->events && report.steps == expected->steps);
    fuzz_require(report.buffer_peak == expected->buffer_peak);
    fuzz_require(report.copies == expected->copies && report.delivered == expected->delivered);
}

/* The trace is the text behind the set, if there is one. */
static void audit(const uint8_t *bytes, size_t length, unsigned flags,
                  const struct message_set *set)
{
    struct audit_report report;
    struct failure failure = {0};
    const char *path = fuzz_serve("input", bytes, length, flags);
    enum failure_kind kind = audit_trace(path, set, &report, &failure);
    bool has_struck = fuzz_end();
    if (kind != FAIL_NONE) {
        fuzz_require(kind != FAIL_USAGE);
        fuzz_require_failure(kind, &failure, has_struck);
        return;
    }
    check_report(&report, set, length);
    if (set == NULL)
        return;
    path = fuzz_serve("input", bytes, length, 0);
    check_without_set(path, &report);
    fuzz_end();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    return fuzz_try_with_set(bytes, length, audit);
}
