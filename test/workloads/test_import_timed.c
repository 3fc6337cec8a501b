/* test_import_timed.c - messages with times: tables, packets of Netrace, transfers of tt-npe. */
#include "test/program_run.h"

#include <check.h>
#include <string.h>

/* Returns the set that a text becomes, without comments, and its notes, or the reason of a
 * refusal. */
static const char *imported(const char *text, const char *name, const char *options)
{
    program_run_file(name, text);
    return program_run("cd $T && $M import %s %s 2>&1 | grep -v -e '^#' -e nonzero", name, options)
        ->out;
}

static const struct {
    const char *text, *want, *options;
} TABLES[] = {
    {"cycle,source,destination\n3,0,1\n0,1,0\n", "mcast 3 mesh 2 2\n0@3 1\n1 0\nend 2\n", ""},
    {"# a trace\n\nDestinations\tCYCLE\tflits\tsource\r\n3;1  2\t0\t5\t0\r\n",
     "mcast 2 mesh 2 2\n0:5 1 2 3\nend 1\n", ""},
    {"\xef\xbb\xbfid,cycle,after,delay,source,destinations,bytes\n"
     "9,,4;5,6,1,0,16\n4,2,,,0,1,17\n5,3,,,2,\"1 3\",0\n",
     "mcast 3 mesh 2 2\n1:2>1,2@6 0\n0:3@2 1\n2:1@3 1 3\nend 3\n"
     "its text has a UTF-8 mark before it\n"
     "its bytes became flits of 16 bytes, and one for the header; --flit-bytes B changes that\n",
     ""},
    /* a cell between two tabs, or before the first one, is empty */
    {"after\tcycle\tx\tsource\tdestination\n\t3\t\t0\t1\n0\t\t\t1\t0\n",
     "mcast 3 mesh 2 2\n0@3 1\n1>0 0\nend 2\nits columns 'x' were left out\n", ""},
    {"cycle source destination bytes\n1 5 6 64\n", "mcast 3 torus 2 4\n5:3@1 6\nend 1\n",
     "--topology torus:2x4 --flit-bytes 32"},
    {"cycle,source,destination,kind,x y,after\n1,0,1,a,b,\n8,1,0,a,b,0 0\n",
     "mcast 3 mesh 2 2\n0@1 1\n1>0 0\nend 2\n"
     "its columns 'kind', 'x y' were left out\n"
     "its cycles of messages that wait are left out: 1\n",
     ""},
    {"cycle,source,destination\n0,0,8\n",
     "a.csv:2: expected in column 'destination' a number from 0 to 7, found '8'",
     "--topology torus:2x4"},
    {"cycle,source,destination\n0,0,1\n",
     "--flit-bytes needs bytes: --bytes N, or for files --weights bytes", "--flit-bytes 32"},
    {"cycle,source,destination,bytes\n0,0,1,1\n",
     "a.csv has bytes for each message: leave --bytes out", "--bytes 3 --flit-bytes 32"},
    {"cycle,source,destination\n0,0,1\n", "mcast 2 mesh 2 2\n0:3 1\nend 1\n",
     "--bytes 9 --flit-bytes 8"},
    {"cycle,source,destination\n0,0,1\n",
     "--map, --per-node, --part, --without, --no-diagonal and --weights are for matrices, graphs "
     "and routes; "
     "messages with times go from node to node",
     "--per-node 2"},
    {"cycle,source\n0,0\n",
     "a.csv:1: expected names of columns, 'cycle', 'source' and 'destination' among them, found no "
     "'destination'",
     ""},
    {"destination,cycle\n0,0\n", "found no 'source'; for a list of edges give --format edges", ""},
    {"id,cycle,source,destination\n4,0,1,2\n5,2,3,1\n4,5,2,1\n",
     "a.csv:4: expected each id once, found 4 again", ""},
};

/* Tables become these sets, or are refused so. */
START_TEST(test_tables)
{
    const char *made = imported(TABLES[_i].text, "a.csv", TABLES[_i].options);
    if (strncmp(TABLES[_i].want, "mcast", 5) == 0)
        ck_assert_str_eq(made, TABLES[_i].want);
    else
        ck_assert_msg(strstr(made, TABLES[_i].want) != NULL, "%s", made);
}
END_TEST

/* Rows in another order are the same messages, which other numbers wait for. */
START_TEST(test_rows_permuted)
{
    static const char *const rows[] = {"0,0,1,7,", "0,2,1,8,", ",1,3,9,8 7"};
    static const char *const wants[] = {"1>0,1 3", "1>0,2 3", "1>1,2 3"};
    for (int first = 0; first < 3; first++) {
        const char *made = program_run("cd $T && printf 'cycle,source,destination,id,after\\n"
                                       "%s\\n%s\\n%s\\n' | $M import - -q",
                                       rows[first], rows[(first + 1) % 3], rows[(first + 2) % 3])
                               ->out;
        ck_assert_ptr_nonnull(strstr(made, "0 1\n"));
        ck_assert_ptr_nonnull(strstr(made, "2 1\n"));
        ck_assert_ptr_nonnull(strstr(made, wants[first]));
    }
}
END_TEST

#define BYTES_NOTE                                                                                 \
    "its bytes became flits of 32 bytes, and one for the header; --flit-bytes B changes that\n"

static const struct {
    const char *text, *want, *options;
} EVENTS[] = {
    /* a read goes from the destination; times are from the first one; other events are left out */
    {"[{\"proc\":\"B\",\"sx\":1,\"sy\":2,\"timestamp\":90,\"zone\":\"x\"},\n"
     "{\"sx\":1,\"sy\":2,\"dx\":3,\"dy\":0,\"noc\":\"NOC_1\",\"type\":\"READ\",\"num_bytes\":64,"
     "\"timestamp\":100,\"vc\":-1},\n"
     "{\"sx\":1,\"sy\":2,\"noc\":\"NOC_1\",\"type\":\"READ_BARRIER_START\",\"num_bytes\":0,"
     "\"timestamp\":110}]",
     "mcast 3 torus 12 10\n3:3@10 21\nend 1\n" BYTES_NOTE
     "its events that move no data here are left out: 1\n",
     ""},
    /* state of a write */
    {"[{\"proc\":\"B\",\"sx\":0,\"sy\":0,\"dx\":16,\"dy\":0,\"noc\":\"NOC_0\",\"type\":\"WRITE_SET_"
     "STATE\","
     "\"num_bytes\":33,\"timestamp\":0},"
     "{\"proc\":\"B\",\"sx\":0,\"sy\":0,\"noc\":\"NOC_0\",\"type\":\"WRITE_WITH_STATE\","
     "\"timestamp\":4}]",
     "mcast 3 torus 12 17\n0:3@4 16\nend 1\n" BYTES_NOTE, ""},
    /* a multicast of NOC_1 has its corners the other way round; another device */
    {"[{\"proc\":\"B\",\"sx\":0,\"sy\":0,\"noc\":\"NOC_1\",\"type\":\"WRITE_MULTICAST\",\"num_"
     "bytes\":1,"
     "\"mcast_start_x\":2,\"mcast_start_y\":1,\"mcast_end_x\":1,\"mcast_end_y\":1,\"timestamp\":0},"
     "{\"proc\":\"B\",\"sx\":0,\"sy\":0,\"dx\":1,\"dy\":0,\"noc\":\"NOC_1\",\"type\":\"WRITE_\","
     "\"num_bytes\":1,"
     "\"src_device_id\":3,\"timestamp\":4}]",
     "mcast 2 torus 12 10\n0:2 11 12\nend 1\n" BYTES_NOTE
     "its transfers of other devices than 0 are left out: 1\n",
     "--noc 1"},
    /* a workload: a header per packet */
    {"{\"phases\":[{\"name\":1,\"transfers\":[{\"packet_size\":64,\"num_packets\":2,\"src_x\":1,"
     "\"src_y\":0,"
     "\"dst_x\":0,\"dst_y\":0,\"noc_type\":\"NOC_0\",\"phase_cycle_offset\":9}]},{\"transfers\":[]}"
     "]}",
     "mcast 3 torus 12 10\n1:6@9 0\nend 1\n" BYTES_NOTE, "--noc 0"},
};

/* Events and transfers of tt-npe become these sets. */
START_TEST(test_events)
{
    ck_assert_str_eq(imported(EVENTS[_i].text, "a.json", EVENTS[_i].options), EVENTS[_i].want);
}
END_TEST

static const struct {
    const char *options, *said;
    int status;
} CHOICES[] = {
    {"npe-workload.json", "import one with --noc 0 or --noc 1", 2},
    {"npe-workload.json --noc 0 --topology mesh:64", "a mesh or torus of two dimensions", 2},
    {"npe-workload.json --noc 0", "120 x 1, 1 entry", 0},
    {"npe-workload.json --noc 1", "120 x 2, 10 entries", 0},
    {"npe-multicasts.json --noc 0", "120 x 5, 5 entries", 0},
    {"npe-multicasts.json --noc 1", "expected transfers on the network of --noc, found none", 3},
    {"shrtex.tra.bz2 --noc 1", "--noc is for --format npe", 2},
    {"shrtex.tra.bz2 --side 5", "expected nodes of the topology, found 42", 3},
};

/* A trace of both networks needs a choice, which must have transfers; none goes onto a line. */
START_TEST(test_networks_on_chip)
{
    program_run_fails(CHOICES[_i].status, CHOICES[_i].said, "$M import test/data/%s -o /dev/null",
                      CHOICES[_i].options);
}
END_TEST

/* A trace worked out by hand from the packets: 3 waits for 0 and 2, sent in cycles 0 and 174, and
 * was sent itself in 198. */
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
    ck_assert_str_eq(program_run("$M import test/data/shrtex.tra.bz2 -q | grep -v '^#'")->out,
                     SHORT_TRACE);
    ck_assert_str_eq(program_run("$M import test/data/example.tra.bz2 -q | grep -c '>'")->out,
                     "120\n");
}
END_TEST

void import_timed_suite(TCase *timed)
{
    tcase_add_checked_fixture(timed, program_run_setup, program_run_teardown);
    tcase_add_loop_test(timed, test_tables, 0, sizeof TABLES / sizeof *TABLES);
    tcase_add_test(timed, test_rows_permuted);
    tcase_add_loop_test(timed, test_events, 0, sizeof EVENTS / sizeof *EVENTS);
    tcase_add_loop_test(timed, test_networks_on_chip, 0, sizeof CHOICES / sizeof *CHOICES);
    tcase_add_test(timed, test_netrace);
}
