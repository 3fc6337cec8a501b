/* test_import_timed.c - messages with times: tables, packets of Netrace, transfers of tt-npe. */
#include "test/workloads/import_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *import_timed_suite(void);

/* Returns the set that a text becomes, without comments, and its notes; the caller frees it. */
static char *imported(const char *text, const char *name, const struct import_options *options)
{
    struct message_set set;
    struct import_summary summary = {.format = IMPORT_BY_FILE};
    struct failure failure = {0};
    char *made = NULL;
    size_t size;
    FILE *out = open_memstream(&made, &size);
    if (import_memory(text, strlen(text), name, options, &set, &summary, &failure) == FAIL_NONE)
        message_set_write(&set, NULL, out);
    else
        fprintf(out, "%s", failure.text);
    for (unsigned i = 0; i < summary.notes.count; i++)
        fprintf(out, "its %s\n", summary.notes.text[i]);
    fclose(out);
    message_set_free(&set);
    return made;
}

static const struct {
    const char *text, *want;
    struct import_options options;
} TABLES[] = {
    {"cycle,source,destination\n3,0,1\n0,1,0\n",
     "mcast 3 mesh 2 2\n0@3 1\n1 0\nend 2\n",
     {.seed = 0}},
    {"# a trace\n\nDestinations\tCYCLE\tflits\tsource\r\n3;1  2\t0\t5\t0\r\n",
     "mcast 2 mesh 2 2\n0:5 1 2 3\nend 1\n",
     {.seed = 0}},
    {"\xef\xbb\xbfid,cycle,after,delay,source,destinations,bytes\n"
     "9,,4;5,6,1,0,16\n4,2,,,0,1,17\n5,3,,,2,\"1 3\",0\n",
     "mcast 3 mesh 2 2\n1:2>1,2@6 0\n0:3@2 1\n2:1@3 1 3\nend 3\n"
     "its text has a UTF-8 mark before it\n"
     "its bytes became flits of 16 bytes and one for the header; --flit-bytes says others\n",
     {.seed = 0}},
    {"cycle source destination bytes\n1 5 6 64\n",
     "mcast 3 torus 2 4\n5:3@1 6\nend 1\n",
     {.shape = {TOPOLOGY_TORUS, 2, {4, 2}}, .volume.flit_bytes = 32}},
    {"cycle,source,destination,kind,x y,after\n1,0,1,a,b,\n8,1,0,a,b,0 0\n",
     "mcast 3 mesh 2 2\n0@1 1\n1>0 0\nend 2\n"
     "its columns 'kind', 'x y' were left out\n"
     "its cycles of messages that wait are left out: 1\n",
     {.seed = 0}},
    {"cycle,source,destination\n0,0,8\n",
     "a.csv:2: expected in column 'destination' a number from 0 to 7, found '8'",
     {.shape = {TOPOLOGY_TORUS, 2, {4, 2}}}},
    {"cycle,source,destination\n0,0,1\n",
     "--flit-bytes needs bytes: --bytes N, or for files --weights bytes",
     {.volume.flit_bytes = 32}},
    {"cycle,source,destination,bytes\n0,0,1,1\n",
     "a.csv has bytes for each message: leave --bytes out",
     {.volume = {.bytes = 3, .flit_bytes = 32}}},
    {"cycle,source,destination\n0,0,1\n",
     "mcast 2 mesh 2 2\n0:3 1\nend 1\n",
     {.volume = {.bytes = 9, .flit_bytes = 8}}},
    {"cycle,source,destination\n0,0,1\n",
     "--map, --per-node, --part, --no-diagonal and --weights are for matrices, graphs and routes; "
     "messages with times go from node to node",
     {.per_node = 2}},
    {"cycle,source\n0,0\n",
     "a.csv:1: expected names of columns, 'cycle', 'source' and 'destination' among them, found no "
     "'destination'",
     {.format = IMPORT_TIMED}},
};

/* Tables become these sets, or are refused so. */
START_TEST(test_tables)
{
    char *made = imported(TABLES[_i].text, "a.csv", &TABLES[_i].options);
    ck_assert_str_eq(made, TABLES[_i].want);
    free(made);
}
END_TEST

/* Rows in another order are the same messages, which other numbers wait for. */
START_TEST(test_rows_permuted)
{
    static const char *const rows[] = {"0,0,1,7,\n", "0,2,1,8,\n", ",1,3,9,8 7\n"};
    for (int first = 0; first < 3; first++) {
        char text[256], *made;
        snprintf(text, sizeof text, "cycle,source,destination,id,after\n%s%s%s", rows[first],
                 rows[(first + 1) % 3], rows[(first + 2) % 3]);
        made = imported(text, "a.csv", &(struct import_options){.seed = 0});
        ck_assert_ptr_nonnull(strstr(made, "0 1\n"));
        ck_assert_ptr_nonnull(strstr(made, "2 1\n"));
        ck_assert_ptr_nonnull(strstr(made, first == 0   ? "1>0,1 3\n"
                                           : first == 1 ? "1>0,2 3\n"
                                                        : "1>1,2 3\n"));
        free(made);
    }
}
END_TEST

#define BYTES_NOTE                                                                                 \
    "its bytes became flits of 32 bytes and one for the header; --flit-bytes says others\n"

static const struct {
    const char *text, *want;
    uint32_t noc;
} EVENTS[] = {
    /* a read goes from the destination; times are from the first one; other events are left out */
    {"[{\"proc\":\"B\",\"sx\":1,\"sy\":2,\"timestamp\":90,\"zone\":\"x\"},\n"
     "{\"sx\":1,\"sy\":2,\"dx\":3,\"dy\":0,\"noc\":\"NOC_1\",\"type\":\"READ\",\"num_bytes\":64,"
     "\"timestamp\":100,\"vc\":-1},\n"
     "{\"sx\":1,\"sy\":2,\"noc\":\"NOC_1\",\"type\":\"READ_BARRIER_START\",\"num_bytes\":0,"
     "\"timestamp\":110}]",
     "mcast 3 torus 12 10\n3:3@10 21\nend 1\n" BYTES_NOTE
     "its events that move no data here are left out: 1\n",
     0},
    /* state of a write */
    {"[{\"proc\":\"B\",\"sx\":0,\"sy\":0,\"dx\":16,\"dy\":0,\"noc\":\"NOC_0\",\"type\":\"WRITE_SET_"
     "STATE\","
     "\"num_bytes\":33,\"timestamp\":0},"
     "{\"proc\":\"B\",\"sx\":0,\"sy\":0,\"noc\":\"NOC_0\",\"type\":\"WRITE_WITH_STATE\","
     "\"timestamp\":4}]",
     "mcast 3 torus 12 17\n0:3@4 16\nend 1\n" BYTES_NOTE, 0},
    /* a multicast of NOC_1 has its corners the other way round; another device */
    {"[{\"proc\":\"B\",\"sx\":0,\"sy\":0,\"noc\":\"NOC_1\",\"type\":\"WRITE_MULTICAST\",\"num_"
     "bytes\":1,"
     "\"mcast_start_x\":2,\"mcast_start_y\":1,\"mcast_end_x\":1,\"mcast_end_y\":1,\"timestamp\":0},"
     "{\"proc\":\"B\",\"sx\":0,\"sy\":0,\"dx\":1,\"dy\":0,\"noc\":\"NOC_1\",\"type\":\"WRITE_\","
     "\"num_bytes\":1,"
     "\"src_device_id\":3,\"timestamp\":4}]",
     "mcast 2 torus 12 10\n0:2 11 12\nend 1\n" BYTES_NOTE
     "its transfers of other devices than 0 are left out: 1\n",
     2},
    /* a workload: a header per packet */
    {"{\"phases\":[{\"name\":1,\"transfers\":[{\"packet_size\":64,\"num_packets\":2,\"src_x\":1,"
     "\"src_y\":0,"
     "\"dst_x\":0,\"dst_y\":0,\"noc_type\":\"NOC_0\",\"phase_cycle_offset\":9}]},{\"transfers\":[]}"
     "]}",
     "mcast 3 torus 12 10\n1:6@9 0\nend 1\n" BYTES_NOTE, 1},
};

/* Events and transfers of tt-npe become these sets. */
START_TEST(test_events)
{
    const struct import_options options = {.reading.noc = EVENTS[_i].noc};
    char *made = imported(EVENTS[_i].text, "a.json", &options);
    ck_assert_str_eq(made, EVENTS[_i].want);
    free(made);
}
END_TEST

/* A trace of both networks needs a choice, which must have transfers; none goes onto a line. */
START_TEST(test_networks_on_chip)
{
    const char *path = "test/data/npe-workload.json";
    struct message_set set;
    struct failure both = {0}, line = {0};
    struct import_options options = {.seed = 0};
    ck_assert_int_eq(import_matrix(path, &options, &set, NULL, &both), FAIL_USAGE);
    ck_assert_ptr_nonnull(strstr(both.text, "say --noc 0 or --noc 1"));
    options.shape = (struct shape){TOPOLOGY_MESH, 1, {64}};
    ck_assert_int_eq(import_matrix(path, &options, &set, NULL, &line), FAIL_USAGE);
    for (uint32_t noc = 0; noc < 2; noc++) {
        struct failure failure = {0};
        options = (struct import_options){.reading.noc = 1 + noc};
        ck_assert_int_eq(import_matrix(path, &options, &set, NULL, &failure), FAIL_NONE);
        ck_assert_uint_eq(set.messages, 1 + noc);
        message_set_free(&set);
        ck_assert_int_eq(
            import_matrix("test/data/npe-multicasts.json", &options, &set, NULL, &failure),
            noc == 0 ? FAIL_NONE : FAIL_INPUT);
        message_set_free(&set);
    }
}
END_TEST

/* Worked out by hand from the packets: 3 waits for 0 and 2, sent in cycles 0 and 174, and was sent
 * itself in 198. */
static const char SHORT_TRACE[] = "mcast 3 mesh 8 8\n"
                                  "4:2 42\n"
                                  "42:2>0@24 16\n"
                                  "16:2>1@150 42\n"
                                  "42:2>0,2@24 4\n"
                                  "11:2@215 42\n"
                                  "42:2>4 32\n"
                                  "42:2>4 16\n"
                                  "12:2@215 42\n"
                                  "10:2@215 42\n"
                                  "42:2>4@3 11\n"
                                  "42:6>7@6 12\n"
                                  "42:6>8@6 10\n"
                                  "end 12\n";

/* Packets of Netrace wait for those that name them, as long as the trace has between the two. */
START_TEST(test_netrace)
{
    struct import_options options = {.seed = 0};
    struct import_summary summary;
    struct message_set set;
    struct failure failure = {0};
    char *made = NULL;
    size_t size;
    ck_assert_int_eq(import_matrix("test/data/shrtex.tra.bz2", &options, &set, &summary, &failure),
                     FAIL_NONE);
    FILE *out = open_memstream(&made, &size);
    message_set_write(&set, NULL, out);
    fclose(out);
    message_set_free(&set);
    ck_assert_str_eq(made, SHORT_TRACE);
    free(made);
    ck_assert_int_eq(import_matrix("test/data/example.tra.bz2", &options, &set, &summary, &failure),
                     FAIL_NONE);
    ck_assert_uint_eq(set.messages, 175);
    ck_assert_uint_eq(message_set_waits(&set), 136);
    message_set_free(&set);
}
END_TEST

Suite *import_timed_suite(void)
{
    Suite *suite = suite_create("import_timed");
    TCase *timed = tcase_create("timed");
    tcase_add_loop_test(timed, test_tables, 0, sizeof TABLES / sizeof *TABLES);
    tcase_add_test(timed, test_rows_permuted);
    tcase_add_loop_test(timed, test_events, 0, sizeof EVENTS / sizeof *EVENTS);
    tcase_add_test(timed, test_networks_on_chip);
    tcase_add_test(timed, test_netrace);
    suite_add_tcase(suite, timed);
    return suite;
}
