/* test_message_set_ranks.c - sets that are read on several ranks: what each rank has is its part of the set that is read
 * alone, and lower bounds and slots before messages are those of the whole set.
 *
 * Oracle: message_set_fit_machine() of the set that is read alone, and sums over it.
 */
#include "base/pcg.h"
#include "test/base/ranks_case.h"
#include "test/base/ranks_threads.h"
#include "test/length.h"
#include "test/temporary.h"
#include "workloads/crossing.h"
#include "workloads/instance.h"
#include "workloads/pattern.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#undef fail /* a macro of Check's */

Suite *message_set_ranks_suite(void);

/* A text, or a file, what is read of it alone, and how that failed. */
struct reading {
    const char *text, *path; /* a path, or else a text */
    size_t length;
    struct instance alone;
    struct failure failure;
};

static enum failure_kind read_on(const struct reading *reading, struct instance *instance,
                                 struct ranks *ranks, struct failure *failure)
{
    *instance = (struct instance){.name = "text"};
    if (reading->path != NULL)
        instance_read(instance, &(struct import_summary){0}, reading->path, ranks, MEMORY_NO_LIMIT,
                      failure);
    else if (message_set_read_machine_memory(&instance->set, reading->text, reading->length, "text",
                                             ranks, MEMORY_NO_LIMIT, failure) == FAIL_NONE)
        instance_measure(instance, MEMORY_NO_LIMIT, failure);
    if (failure->kind == FAIL_NONE)
        instance_bound(instance, BOUNDS_ALL, ranks, MEMORY_NO_LIMIT, failure);
    return failure->kind;
}

/* ---- what a rank has ---- */

static enum failure_kind check_messages(const struct message_set *part,
                                        const struct message_set *whole, node_index first,
                                        node_index end, struct ranks *ranks,
                                        struct failure *failure)
{
    int version = message_set_version(whole);
    uint32_t i = 0;
    for (uint32_t number = 0; number < whole->messages; number++) {
        uint64_t count = whole->offset[number + 1] - whole->offset[number];
        if (whole->source[number] < first || whole->source[number] >= end)
            continue;
        HOLDS(i < part->messages && message_set_number(part, i) == number);
        HOLDS(part->source[i] == whole->source[number]);
        HOLDS(message_set_name(part, version, i) == message_set_name(whole, version, number));
        HOLDS(part->offset[i + 1] - part->offset[i] == count);
        HOLDS(memcmp(part->destination + part->offset[i],
                     whole->destination + whole->offset[number], count * sizeof(node_index)) == 0);
        i++;
    }
    HOLDS(i == part->messages && part->offset[i] == part->deliveries && part->length == NULL);
    return FAIL_NONE;
}

static enum failure_kind check_figures(const struct instance *part, const struct instance *whole,
                                       struct ranks *ranks, struct failure *failure)
{
    HOLDS(message_set_all_messages(&part->set) == whole->set.messages);
    HOLDS(message_set_all_deliveries(&part->set) == whole->set.deliveries);
    HOLDS(message_set_version(&part->set) == message_set_version(&whole->set));
    HOLDS(part->set.lacks_end == whole->set.lacks_end);
    HOLDS(part->degree == whole->degree && part->congestion == whole->congestion);
    HOLDS(part->most_sent == whole->most_sent && !(part->sqrt_cn < whole->sqrt_cn) &&
          !(part->sqrt_cn > whole->sqrt_cn));
    for (int kind = 0; kind < BOUND_KINDS; kind++)
        HOLDS(part->bounds.steps[kind] == whole->bounds.steps[kind] &&
              memcmp(&part->bounds.reason[kind], &whole->bounds.reason[kind],
                     sizeof whole->bounds.reason[kind]) == 0);
    return FAIL_NONE;
}

/* The largest bound, computed alone on ranks, is that of all bounds of the whole set. */
static enum failure_kind check_largest(struct instance *part, const struct instance *whole,
                                       struct ranks *ranks, struct failure *failure)
{
    MUST(instance_bound(part, BOUNDS_LARGEST, ranks, MEMORY_NO_LIMIT, failure));
    for (int is_free = 0; is_free < 2; is_free++)
        HOLDS(instance_lower_bound(part, is_free) == instance_lower_bound(whole, is_free) &&
              instance_lower_bound_name(part, is_free) ==
                  instance_lower_bound_name(whole, is_free));
    return FAIL_NONE;
}

/* As many slots per message as its number says. */
static uint64_t slots_of(uint32_t number)
{
    return number * UINT64_C(7) % 11;
}

static enum failure_kind check_offsets(const struct message_set *part, uint32_t messages,
                                       struct ranks *ranks, struct failure *failure)
{
    uint64_t *slots = memory_allocate(part->messages, sizeof *slots), total, sum = 0;
    for (uint32_t i = 0; i < part->messages; i++)
        slots[i] = slots_of(message_set_number(part, i));
    MUST(message_set_offsets(part, ranks, slots, slots, &total, failure));
    for (uint32_t number = 0, i = 0; number < messages; number++) {
        if (i < part->messages && message_set_number(part, i) == number)
            HOLDS(slots[i++] == sum);
        sum += slots_of(number);
    }
    HOLDS(total == sum);
    free(slots);
    return FAIL_NONE;
}

/* Rank 0 gets the sample that is taken alone, also where messages of other ranks end it. */
static enum failure_kind check_samples(const struct message_set *part,
                                       const struct message_set *whole, struct ranks *ranks,
                                       struct failure *failure)
{
    for (uint64_t room = 1; room <= whole->deliveries; room += 1 + room / 2) {
        struct message_sample sample, alone;
        MUST(message_sample_take(part, ranks, room, &sample, failure));
        MUST(message_sample_take(whole, NULL, room, &alone, failure));
        if (ranks_rank(ranks) == 0) {
            HOLDS(sample.messages == alone.messages);
            HOLDS(memcmp(sample.source, alone.source, alone.messages * sizeof(uint32_t)) == 0);
            HOLDS(memcmp(sample.offset, alone.offset, (alone.messages + 1) * sizeof(uint32_t)) ==
                  0);
            HOLDS(memcmp(sample.place, alone.place,
                         alone.offset[alone.messages] * sizeof(uint32_t)) == 0);
        } else {
            HOLDS(sample.messages == 0);
        }
        message_sample_free(&sample);
        message_sample_free(&alone);
    }
    return FAIL_NONE;
}

static enum failure_kind check_part(void *context, struct ranks *ranks, struct failure *failure)
{
    const struct reading *reading = context;
    const struct message_set *whole = &reading->alone.set;
    struct instance part;
    enum failure_kind kind = read_on(reading, &part, ranks, failure);
    if (kind != FAIL_NONE || reading->failure.kind != FAIL_NONE) {
        HOLDS(kind == reading->failure.kind && strcmp(failure->text, reading->failure.text) == 0);
        HOLDS(part.set.source == NULL && part.set.number == NULL);
        return FAIL_NONE;
    }
    node_index first = ranks_start(ranks, whole->mesh.rows) * whole->mesh.cols;
    node_index end = ranks_end(ranks, whole->mesh.rows) * whole->mesh.cols;
    HOLDS(part.set.is_part == (ranks != NULL));
    kind = check_messages(&part.set, whole, first, end, ranks, failure);
    if (kind == FAIL_NONE)
        kind = check_figures(&part, &reading->alone, ranks, failure);
    if (kind == FAIL_NONE)
        kind = check_largest(&part, &reading->alone, ranks, failure);
    if (kind == FAIL_NONE)
        kind = check_offsets(&part.set, whole->messages, ranks, failure);
    if (kind == FAIL_NONE)
        kind = check_samples(&part.set, whole, ranks, failure);
    instance_free(&part);
    return kind;
}

static enum failure_kind check_rank(void *context, struct ranks *ranks, struct failure *failure)
{
    enum failure_kind kind = check_part(context, ranks, failure);
    return kind == FAIL_NONE ? kind : ranks_fail(ranks, kind, failure);
}

/* On 1, 2, 3 and 5 ranks. */
static void check_reading(struct reading *reading)
{
    static const uint32_t sizes[] = {1, 2, 3, 5};
    read_on(reading, &reading->alone, NULL, &reading->failure);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= MOST_RANKS; i++) {
        struct failure failure = {0};
        ck_assert_msg(ranks_run_threads(sizes[i], check_rank, reading, &failure) == FAIL_NONE,
                      "%u ranks, %s: %s", sizes[i],
                      reading->path != NULL ? reading->path : reading->text, failure.text);
    }
    instance_free(&reading->alone);
}

static void check_text(const char *text)
{
    check_reading(&(struct reading){.text = text, .length = strlen(text)});
}

/* ---- texts ---- */

static const char *const TEXTS[] = {
    "mcast 1 4 4\n0 1 2\n3 0 1 3\n5 4\n14 0 1 2 3 4 15\n15 15\n",
    "mcast 1 4 4\n14 15 3\n5 4\n0 9\n3 3\n7 8 1 0\n",
    "mcast 1 7 3\n",
    "mcast 1 1 5\n4 0 1 2 3\n0 4\n",
    "mcast 2 mesh 4 4\n15 1 2\n0 3\n15 2\n4 2 9\n0 1 2 3\nend 5\n",
    "mcast 2 mesh 4 4\n15 1 2\n0 3\n8 2\n4 2 9\nend 4\n",     /* one of version 1 in the end */
    "mcast 2 mesh 4 4\n15:1 1 2\n0 3\n8:1 2\n4 2 9\nend 4\n", /* and this */
    "mcast 2 mesh 4 4\n15 1 2\n0:5 3\n8:2 2 3\n4 2 9\n",
    "mcast 2 mesh 4 4\n15 1 2\n0:5 3\n8:2 2 3\n0 2 9\nend 4\n",
    "mcast 2 mesh 4 4\nend 0\n",
    "mcast 2 torus 400 4\n1599 1\nend 1\n",
    "mcast 2 mesh 4 4 4\n0 1\nend 1\n",
    "mcast 2 graph 9\n0 1\nend 1\n",
    "mcast 2 graph 9\n8 1\n0 1\n3 8 0\n8 2\n3:9 4\nend 5\n",
    "mcast 2 torus 5 2 2\n19 1\n0:3 1\n7:3 8 0\n8:2 2\n7:9 4\n",
    "mcast 2 mesh 7\n6 1\n0 1\nend 2\n",
    "mcast 2 mesh 4 4\n15 1 2\n0 3\nend 3\n",
    "mcast 2 mesh 64 64\n0:16777216 1\n4095:16777216 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 "
    "19 "
    "20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 "
    "51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 "
    "82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 "
    "110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 "
    "133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 "
    "156 157 158 159 160 161 162 163 164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 "
    "179 180 181 182 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198 199 200 201 "
    "202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217 218 219 220 221 222 223 224 "
    "225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 "
    "248 249 250 251 252 253 254 255 256\nend 2\n",
    /* sources that come twice, in different rows */
    "mcast 1 4 4\n14 1\n0 1\n5 1\n0 2\n5 2\n14 2\n",
    "mcast 1 4 4\n0 1\n14 1\n5 1\n14 2\n5 2\n0 2\n",
    "mcast 1 2 2\n0 1\n0 1\n0 1\n0 1\n0 1\n0 1\n0 1",
    /* some ranks take more ways off a rectangle than they add */
    "mcast 1 3 106\n6 101 174\n22 143\n55 70\n62 147 197 51 208\n81 228 166 152 281\n"
    "87 48 226 38 290\n89 131 260\n114 159 82\n145 71 157\n171 41 35 76 53\n190 97\n"
    "243 146\n295 119 244 224 266\n309 198 119\n",
};
enum { TEXT_COUNT = sizeof TEXTS / sizeof *TEXTS };

START_TEST(texts)
{
    check_text(TEXTS[_i]);
}
END_TEST

/* Sets at random, in any order of sources and destinations, of both versions, with lengths and without. */
START_TEST(random_texts)
{
    struct pcg32 random = pcg32_seed(17, (uint64_t)_i);
    uint32_t rows = 1 + pcg32_below(&random, 12), cols = 1 + pcg32_below(&random, 12);
    uint32_t version = 1 + pcg32_below(&random, 2), lengths = pcg32_below(&random, 3);
    uint32_t count = pcg32_below(&random, 40), nodes = rows * cols;
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fprintf(out, version == 1 ? "mcast 1 %u %u\n" : "mcast 2 mesh %u %u\n", rows, cols);
    if (version == 1 ||
        _i % 4 == 0) /* each source once: steps that are prime to the number of nodes */
        count = count < nodes ? count : nodes;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t source = version == 1 || _i % 4 == 0
                              ? (uint32_t)((i * UINT64_C(1000003) + 5) % nodes)
                              : pcg32_below(&random, nodes);
        fprintf(out, "%u", source);
        if (version == 2 && lengths > 0)
            fprintf(out, ":%u", 1 + pcg32_below(&random, lengths));
        uint32_t degree = 1 + pcg32_below(&random, nodes < 9 ? nodes : 9);
        uint32_t start = pcg32_below(&random, nodes);
        for (uint32_t j = 0; j < degree; j++)
            fprintf(out, " %u", (uint32_t)((start + j * UINT64_C(1000003)) % nodes));
        fputc('\n', out);
    }
    if (version == 2)
        fprintf(out, "end %u\n", count);
    fclose(out);
    check_text(text);
    free(text);
}
END_TEST

/* ---- patterns ---- */

/* Writes the set, whose messages become shuffled, as text. */
static char *text_of(const struct message_set *set, size_t *length)
{
    char *text;
    FILE *out = open_memstream(&text, length);
    ck_assert(message_set_write(set, NULL, out));
    fclose(out);
    return text;
}

/* Checks the set, written and read, and frees it. */
static void check_and_free(struct message_set *set)
{
    struct reading reading = {0};
    char *text = text_of(set, &reading.length);
    reading.text = text;
    check_reading(&reading);
    free(text);
    message_set_free(set);
}

/* Every pattern that needs nothing else, with one message per node and with several; the larger mesh has more deliveries
 * than a sample of its messages. */
START_TEST(patterns)
{
    const struct pattern *pattern = pattern_at((uint32_t)_i);
    if (pattern->needs != 0)
        return;
    for (uint32_t many = 0; many < 2; many++) {
        struct pattern_options options = {
            .mesh = {16, 16}, .degree = 4, .congestion = 4, .per_node = 1 + 2 * many, .seed = 3};
        struct message_set set;
        struct failure failure = {0};
        if (pattern_generate(pattern, &options, &set, &failure) != FAIL_NONE)
            continue;
        check_and_free(&set);
    }
}
END_TEST

/* More rows and columns than the squares have that a rank counts alone, by one level of squares. */
START_TEST(one_level)
{
    struct pattern_options options = {.mesh = {33, 40}, .degree = 1, .congestion = 1};
    struct message_set set;
    ck_assert_int_eq(pattern_generate(pattern_find("transpose"), &options, &set, NULL), FAIL_NONE);
    check_and_free(&set);
}
END_TEST

/* A sample is taken of this one's messages, and rectangles are looked for in it. */
START_TEST(sampled)
{
    struct pattern_options options = {
        .mesh = {96, 160}, .degree = 8, .congestion = 8, .per_node = 1 + (uint32_t)_i, .seed = 9};
    struct message_set set;
    struct failure failure = {0};
    ck_assert_msg(pattern_generate(pattern_find("uniform"), &options, &set, &failure) == FAIL_NONE,
                  "%s", failure.text);
    check_and_free(&set);
}
END_TEST

/* ---- files ---- */

/* Every file that is wrong fails as alone, at every rank. */
START_TEST(bad_files)
{
    DIR *folder = opendir("test/bad");
    uint32_t files = 0;
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        if (strstr(entry->d_name, ".mcast") == NULL)
            continue;
        snprintf(path, sizeof path, "test/bad/%s", entry->d_name);
        check_reading(&(struct reading){.path = path});
        files++;
    }
    closedir(folder);
    ck_assert_uint_gt(files, 50);
    check_reading(&(struct reading){.path = "test/bad/there_is_none"});
    check_reading(&(struct reading){.path = "test"});
}
END_TEST

/* Rank 0 alone reads the file, also one that can be read once only, and compressed. */
START_TEST(files)
{
    char path[TEMPORARY_PATH];
    FILE *file = temporary_file(path);
    gzFile packed = gzdopen(dup(fileno(file)), "wb");
    gzprintf(packed, "mcast 1 200 10\n");
    for (uint32_t i = 0; i < 2000; i += 2)
        gzprintf(packed, "%u %u %u\n", 1999 - i, i, i / 2 * 2 + 1);
    ck_assert_int_eq(gzclose(packed), Z_OK);
    fclose(file);
    check_reading(&(struct reading){.path = path});
    ck_assert_int_eq(truncate(path, 1000), 0);
    check_reading(&(struct reading){.path = path});
    unlink(path);
}
END_TEST

Suite *message_set_ranks_suite(void)
{
    Suite *suite = suite_create("message_set_ranks");
    TCase *parts = tcase_create("parts");
    tcase_add_loop_test(parts, texts, 0, TEXT_COUNT);
    tcase_add_loop_test(parts, random_texts, 0, TEST_IS_SHORT ? 40 : 400);
    tcase_add_loop_test(parts, patterns, 0, (int)pattern_count());
    tcase_add_test(parts, one_level);
    tcase_add_loop_test(parts, sampled, 0, 2);
    tcase_add_test(parts, bad_files);
    tcase_add_test(parts, files);
    suite_add_tcase(suite, parts);
    return suite;
}
