/* fuzz_network_trace.c - the reader of the network's traces, and their audit, against any bytes.
 *
 * For libFuzzer: LLVMFuzzerTestOneInput. Behind the head (test/fuzz/faults.h) comes the trace; with
 * FUZZ_OWN a message set, a zero byte, and then the trace. Whatever the trace is, the audit ends
 * with success, a broken rule, a line that no trace has, or a fault that was armed. A trace that it
 * accepts must agree with its counts, and pass without the set as well.
 */
#include "audit/flits_audit.h"
#include "test/fuzz/faults.h"
#include "test/fuzz/set_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static enum failure_kind audit_served(const char *path, const struct message_set *set,
                                      struct flits_audit_report *report, struct failure *failure)
{
    struct byte_source *source;
    enum failure_kind kind = byte_source_open(&source, path, failure);
    if (kind == FAIL_NONE)
        kind = audit_network(source, set, NULL, report, failure);
    byte_source_close(source);
    return kind;
}

static void check_report(const struct flits_audit_report *report, const struct message_set *set,
                         size_t length)
{
    fuzz_require(report->lines <= length && report->messages + report->worms <= report->lines);
    fuzz_require(report->unfinished <= report->worms);
    if (set == NULL)
        return;
    struct home_count home = message_set_count_home(set);
    fuzz_require(report->messages == set->messages - home.messages);
    fuzz_require(report->deliveries == set->deliveries - home.deliveries);
    fuzz_require(report->unfinished == 0);
}

/* The trace is the text behind the set, if there is one. */
static void audit(const uint8_t *bytes, size_t length, unsigned flags,
                  const struct message_set *set)
{
    struct flits_audit_report report = {.lines = 0}, without;
    struct failure failure = {0}, none = {0};
    const char *path = fuzz_serve("input", bytes, length, flags);
    enum failure_kind kind = audit_served(path, set, &report, &failure);
    bool has_struck = fuzz_end();
    if (kind != FAIL_NONE) {
        fuzz_require(kind != FAIL_USAGE);
        fuzz_require_failure(kind, &failure, has_struck);
        return;
    }
    check_report(&report, set, length);
    path = fuzz_serve("input", bytes, length, 0);
    fuzz_require(audit_served(path, NULL, &without, &none) == FAIL_NONE);
    fuzz_require(without.lines == report.lines && without.cycles == report.cycles &&
                 without.crossings == report.crossings);
    fuzz_end();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    return fuzz_try_with_set(bytes, length, audit);
}
