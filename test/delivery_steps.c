/* delivery_steps.c - when how much of a run was delivered, counted in its trace. */
#include "test/delivery_steps.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void delivery_steps_check(const char *path, const struct message_set *set,
                          const struct router_result *result, const char *text)
{
    char line[128];
    uint64_t made = 0, deliveries = set->deliveries - message_set_count_home(set).deliveries;
    uint32_t percent = 0;
    FILE *trace = fopen(path, "r");
    ck_assert_ptr_nonnull(trace);
    while (fgets(line, sizeof line, trace) != NULL) {
        char *end;
        unsigned long long step = strtoull(line, &end, 10);
        if (end == line || (end[1] != 'D' && end[1] != 'E'))
            continue;
        made++;
        for (; percent < DELIVERY_PERCENTS && made * 100 >= percent * deliveries; percent++)
            ck_assert_msg(result->delivery_step[percent] == step,
                          "%s: %u %% were delivered at step %llu, not %" PRIu64, text, percent,
                          step, result->delivery_step[percent]);
    }
    fclose(trace);
    ck_assert(deliveries == 0 || percent == DELIVERY_PERCENTS);
}
