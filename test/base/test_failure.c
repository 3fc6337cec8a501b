/* test_failure.c - what every layer leans on: failures, memory, the geometry of the mesh. */
#include "base/failure.h"

#include "machine/machine.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

Suite *failure_suite(void);

/* the first failure is kept, its kind returned ever after; NULL only passes the kind on */
START_TEST(first_failure_stays)
{
    struct failure failure = {0};
    ck_assert_int_eq(fail(&failure, FAIL_INPUT, "line %d", 7), FAIL_INPUT);
    ck_assert_int_eq(fail(&failure, FAIL_SYSTEM, "later"), FAIL_INPUT);
    ck_assert_int_eq(fail_memory(&failure, "later"), FAIL_INPUT);
    ck_assert_str_eq(failure.text, "line 7");
    ck_assert_int_eq(fail(NULL, FAIL_CHECK, "nobody listens"), FAIL_CHECK);
    failure = (struct failure){0};
    ck_assert_int_eq(fail_memory(&failure, "a thing"), FAIL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(failure.text, "a thing"));
}
END_TEST

/* a failure's text is one printable line, cut where it is too long */
START_TEST(failure_text_is_printable)
{
    struct failure failure = {0};
    fail(&failure, FAIL_INPUT, "a\nb\tc\033[1m\177\xff~ %s", "end");
    ck_assert_str_eq(failure.text, "a?b?c?[1m??~ end");
    char longer[2000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    failure = (struct failure){0};
    fail(&failure, FAIL_INPUT, "%s", longer);
    ck_assert_uint_eq(strlen(failure.text), sizeof failure.text - 1);
}
END_TEST

/* memory: cleared, products checked, blocks unharmed by a refused growth */
START_TEST(memory)
{
    unsigned char *block = memory_allocate(100, 3);
    for (int i = 0; i < 300; i++)
        ck_assert_uint_eq(block[i], 0);
    block[7] = 9;
    ck_assert_ptr_null(memory_resize(block, SIZE_MAX / 2, 3));
    unsigned char *grown = memory_resize(block, 1000, 3);
    ck_assert_uint_eq(grown[7], 9);
    free(grown);
    ck_assert_ptr_null(memory_allocate(SIZE_MAX / 2, 3));
    size_t room = 0;
    unsigned char *list = memory_grow(NULL, &room, 0, 3); /* NULL would be a failure */
    ck_assert(list != NULL && room > 0);
    list[3 * room - 1] = 8;
    size_t before = room;
    ck_assert_ptr_eq(memory_grow(list, &room, before, 3), list);
    ck_assert_uint_eq(room, before);
    ck_assert_ptr_null(memory_grow(list, &room, SIZE_MAX / 2, 3));
    ck_assert_uint_eq(room, before);
    grown = memory_grow(list, &room, before + 1, 3);
    ck_assert_uint_eq(room, 2 * before);
    ck_assert_uint_eq(grown[3 * before - 1], 8);
    grown = memory_grow(grown, &room, 1000, 3);
    ck_assert_uint_eq(room, 1000);
    free(grown);
    void *empty = memory_allocate(0, 8);
    ck_assert_ptr_nonnull(empty);
    free(empty);
}
END_TEST

/* meshes: sides 1 .. MESH_MAX_SIDE and at most MESH_MAX_NODES nodes, without overflow */
START_TEST(valid_meshes)
{
    ck_assert(mesh_is_valid(1, 1) && mesh_is_valid(8192, 8192) && mesh_is_valid(32768, 2048));
    ck_assert(mesh_is_valid(1, 32768) && mesh_is_valid(3, 32767));
    ck_assert(!mesh_is_valid(0, 1) && !mesh_is_valid(1, 0) && !mesh_is_valid(1, 32769));
    ck_assert(!mesh_is_valid(32769, 1) && !mesh_is_valid(8192, 8193));
    ck_assert(!mesh_is_valid(UINT64_C(1) << 32, UINT64_C(1) << 32));
    ck_assert(!mesh_is_valid(UINT64_MAX, 2));
    for (enum direction d = NORTH; d < DIRECTIONS; d++) {
        ck_assert_int_eq(direction_opposite(direction_opposite(d)), d);
        ck_assert_int_ne(direction_opposite(d), d);
        ck_assert(direction_is_vertical(d) == direction_is_vertical(direction_opposite(d)));
    }
    ck_assert(direction_is_vertical(NORTH) && !direction_is_vertical(EAST));
    ck_assert_uint_eq(place_row(place_of(32767, 5)), 32767);
    ck_assert_uint_eq(place_col(place_of(32767, 5)), 5);
}
END_TEST

Suite *failure_suite(void)
{
    Suite *suite = suite_create("failure");
    TCase *tests = tcase_create("failure");
    tcase_add_test(tests, first_failure_stays);
    tcase_add_test(tests, failure_text_is_printable);
    tcase_add_test(tests, memory);
    tcase_add_test(tests, valid_meshes);
    suite_add_tcase(suite, tests);
    return suite;
}
