/* test_objects.c - the needs of each object of the library and the program: read from the objects,
 * as a linker does.
 *
 * An object needs another one if it names a function or a variable that the other one defines. Two
 * objects may need each other; three or more that need one another in a circle can only be
 * understood together.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OBJECTS = 1024, MOST_SYMBOLS = 65536, SYMBOL_SIZE = 96 };

struct symbol {
    char name[SYMBOL_SIZE];
    int object;
};

struct objects {
    int count, needed, defined;
    char name[MOST_OBJECTS][SYMBOL_SIZE];
    struct symbol need[MOST_SYMBOLS], definition[MOST_SYMBOLS];
    bool needs[MOST_OBJECTS][MOST_OBJECTS];
};

/* Folders whose objects still need one another in circles, none of which may be added. */
static const char *const OPEN_FOLDERS[] = {"cli/"};

static bool is_open(const char *name)
{
    for (size_t i = 0; i < sizeof OPEN_FOLDERS / sizeof *OPEN_FOLDERS; i++)
        if (strncmp(name, OPEN_FOLDERS[i], strlen(OPEN_FOLDERS[i])) == 0)
            return true;
    return false;
}

static int by_name(const void *one, const void *other)
{
    const struct symbol *a = one, *b = other;
    return strcmp(a->name, b->name);
}

/* Returns the number of an object; all lines of one object follow each other. */
static int object_named(struct objects *objects, const char *name)
{
    if (objects->count > 0 && strcmp(objects->name[objects->count - 1], name) == 0)
        return objects->count - 1;
    ck_assert_int_lt(objects->count, MOST_OBJECTS);
    snprintf(objects->name[objects->count], SYMBOL_SIZE, "%s", name);
    return objects->count++;
}

/* Reads a line of `nm -A -g -P`: "./folder/file.o: symbol type ..". Types are capitals where a
 * symbol is global, U where it is needed from elsewhere. Objects of an older build, whose source is
 * gone, are left out. */
static void read_line(struct objects *objects, const char *line)
{
    char file[SYMBOL_SIZE], name[SYMBOL_SIZE], source[SYMBOL_SIZE + 2], type;
    if (sscanf(line, "./%95[^.].o: %95s %c", file, name, &type) != 3)
        return;
    snprintf(source, sizeof source, "%s.c", file);
    if (strncmp(file, "test/", 5) == 0 || strchr(file, '/') == NULL || access(source, R_OK) != 0)
        return;
    ck_assert_int_lt(objects->needed, MOST_SYMBOLS);
    ck_assert_int_lt(objects->defined, MOST_SYMBOLS);
    struct symbol *symbol =
        type == 'U' ? &objects->need[objects->needed++] : &objects->definition[objects->defined++];
    symbol->object = object_named(objects, file);
    snprintf(symbol->name, sizeof symbol->name, "%s", name);
}

static struct objects *objects_read(void)
{
    struct objects *objects = calloc(1, sizeof *objects);
    const char *folder = getenv("MESHCAST_OBJECTS");
    char command[1024], line[1024];
    ck_assert_msg(folder != NULL, "MESHCAST_OBJECTS must name the folder of the objects");
    snprintf(command, sizeof command, "cd '%s' && find . -name '*.o' -exec nm -A -g -P {} +",
             folder);
    FILE *lines = popen(command, "r");
    ck_assert_ptr_nonnull(lines);
    while (fgets(line, sizeof line, lines) != NULL)
        read_line(objects, line);
    ck_assert_int_eq(pclose(lines), 0);
    ck_assert_int_gt(objects->count, 200);
    qsort(objects->definition, (size_t)objects->defined, sizeof(struct symbol), by_name);
    for (int i = 0; i < objects->needed; i++) {
        const struct symbol *owner =
            bsearch(&objects->need[i], objects->definition, (size_t)objects->defined,
                    sizeof(struct symbol), by_name);
        if (owner != NULL && owner->object != objects->need[i].object)
            objects->needs[objects->need[i].object][owner->object] = true;
    }
    return objects;
}

/* True if `from` needs `to` through at least one other object. */
static bool needs_by_others(const struct objects *objects, int from, int to)
{
    bool seen[MOST_OBJECTS] = {[0] = false};
    int queue[MOST_OBJECTS], length = 1;
    queue[0] = from;
    seen[from] = true;
    for (int i = 0; i < length; i++)
        for (int next = 0; next < objects->count; next++) {
            if (seen[next] || !objects->needs[queue[i]][next] || (i == 0 && next == to))
                continue;
            if (next == to)
                return true;
            seen[next] = true;
            queue[length++] = next;
        }
    return false;
}

/* no three or more objects need one another in a circle, and no two of machine/ */
START_TEST(no_circles)
{
    struct objects *objects = objects_read();
    int found = 0;
    for (int i = 0; i < objects->count; i++)
        for (int j = 0; j < objects->count; j++) {
            bool is_machine = strncmp(objects->name[i], "machine/", 8) == 0;
            if (!objects->needs[i][j] || is_open(objects->name[i]))
                continue;
            if (!(is_machine && objects->needs[j][i]) && !needs_by_others(objects, j, i))
                continue;
            printf("%s needs %s, which needs it\n", objects->name[i], objects->name[j]);
            found++;
        }
    fflush(stdout);
    free(objects);
    ck_assert_int_eq(found, 0);
}
END_TEST

void objects_suite(TCase *tests)
{
    tcase_add_test(tests, no_circles);
}
