/* test_objects.c - which object of machine/ needs which: read from the objects, as a linker does.
 *
 * An object needs another one if it names a function or a variable that the other one defines. Objects
 * that need one another in a circle can only be understood together.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *objects_suite(void);

enum { MOST_OBJECTS = 128, MOST_SYMBOLS = 8192, SYMBOL_SIZE = 96 };

struct symbol {
    char name[SYMBOL_SIZE];
    int object;
    bool is_defined;
};

struct objects {
    int count, symbols;
    char name[MOST_OBJECTS][SYMBOL_SIZE];
    struct symbol symbol[MOST_SYMBOLS];
    bool needs[MOST_OBJECTS][MOST_OBJECTS];
};

static int object_named(struct objects *objects, const char *name)
{
    for (int i = 0; i < objects->count; i++)
        if (strcmp(objects->name[i], name) == 0)
            return i;
    ck_assert_int_lt(objects->count, MOST_OBJECTS);
    snprintf(objects->name[objects->count], SYMBOL_SIZE, "%s", name);
    return objects->count++;
}

/* A line of `nm -A -g -P`: "file: symbol type ..". Types are capitals where a symbol is global, U where
 * it is needed from elsewhere. */
static void read_line(struct objects *objects, const char *line)
{
    char file[SYMBOL_SIZE], name[SYMBOL_SIZE], type;
    if (sscanf(line, "%95[^:]: %95s %c", file, name, &type) != 3)
        return;
    ck_assert_int_lt(objects->symbols, MOST_SYMBOLS);
    struct symbol *symbol = &objects->symbol[objects->symbols++];
    *symbol = (struct symbol){.object = object_named(objects, file), .is_defined = type != 'U'};
    snprintf(symbol->name, sizeof symbol->name, "%s", name);
}

static void find_needs(struct objects *objects)
{
    for (int i = 0; i < objects->symbols; i++)
        for (int j = 0; j < objects->symbols; j++) {
            const struct symbol *user = &objects->symbol[i], *owner = &objects->symbol[j];
            if (!user->is_defined && owner->is_defined && user->object != owner->object &&
                strcmp(user->name, owner->name) == 0)
                objects->needs[user->object][owner->object] = true;
        }
}

static struct objects *objects_read(void)
{
    struct objects *objects = calloc(1, sizeof *objects);
    const char *folder = getenv("MESHCAST_OBJECTS");
    char command[1024], line[1024];
    ck_assert_msg(folder != NULL, "MESHCAST_OBJECTS must name the folder of machine/'s objects");
    snprintf(command, sizeof command, "cd '%s' && find . -name '*.o' -exec nm -A -g -P {} +",
             folder);
    FILE *lines = popen(command, "r");
    ck_assert_ptr_nonnull(lines);
    while (fgets(line, sizeof line, lines) != NULL)
        read_line(objects, line);
    ck_assert_int_eq(pclose(lines), 0);
    ck_assert_int_gt(objects->count, 20);
    find_needs(objects);
    return objects;
}

/* Takes objects away that need none of those that are left, until there is no such object. */
static int count_in_circles(const struct objects *objects, bool is_away[MOST_OBJECTS])
{
    int left = objects->count;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < objects->count; i++) {
            bool needs_some = false;
            for (int j = 0; j < objects->count; j++)
                needs_some |= !is_away[j] && objects->needs[i][j];
            if (is_away[i] || needs_some)
                continue;
            is_away[i] = again = true;
            left--;
        }
    }
    return left;
}

/* no two objects of machine/ need each other, directly or through others */
START_TEST(no_circles)
{
    struct objects *objects = objects_read();
    bool is_away[MOST_OBJECTS] = {false};
    int left = count_in_circles(objects, is_away);
    for (int i = 0; i < objects->count; i++)
        for (int j = 0; j < objects->count; j++)
            if (!is_away[i] && !is_away[j] && objects->needs[i][j])
                printf("%s needs %s\n", objects->name[i], objects->name[j]);
    fflush(stdout);
    free(objects);
    ck_assert_msg(left == 0, "%d objects of machine/ stand in circles, or need such", left);
}
END_TEST

Suite *objects_suite(void)
{
    Suite *suite = suite_create("objects");
    TCase *tests = tcase_create("objects");
    tcase_add_test(tests, no_circles);
    suite_add_tcase(suite, tests);
    return suite;
}
