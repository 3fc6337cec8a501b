/* test_sources.c - the architecture, checked by reading the sources: layers and includes, the seams
 * for threads, ranks, randomness and charts, and the library's silence.
 */
#include "test/source_tree.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static bool is_one_of(const char *path, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(path, *list) == 0)
            return true;
    return false;
}

#define ONE_OF(path, ...) is_one_of(path, (const char *const[]){__VA_ARGS__, NULL})

static bool is_library(const struct source *source)
{
    return source_folders[source->folder].layer <= LIBRARY_LAYER;
}

/* True if the source is a header for users, which is in another folder when it is installed: its
 * guard has no path. */
static bool is_public(const struct source *source)
{
    return strncmp(source->path, "library/meshcast", strlen("library/meshcast")) == 0;
}

/* ---- includes ---- */

static int folder_of(const char *include)
{
    for (int i = 0; i < SOURCE_FOLDERS; i++) {
        size_t length = strlen(source_folders[i].name);
        if (strncmp(include, source_folders[i].name, length) == 0 && include[length] == '/' &&
            strchr(include + length + 1, '/') == NULL)
            return i;
    }
    return -1;
}

/* True if the name is that of a folder, or of a folder in it. */
static bool is_within(int folder, const char *name)
{
    size_t length = strlen(name);
    const char *path = source_folders[folder].name;
    return strncmp(path, name, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Private headers serve their folder and those in it; but tests may make ranks of their own. The
 * folders of machine/ serve only the machine, except the seam of ranks: others include the
 * contracts, which are in machine/. */
static bool may_see(int from, int to, const char *include)
{
    bool makes_ranks =
        is_within(from, "test/ranks") && strcmp(include, "machine/ranks/ranks_private.h") == 0;
    bool splits_planes =
        is_within(from, "machine/ranks") && strcmp(include, "machine/plane/plane_private.h") == 0;
    if (strstr(include, "_private.h") != NULL && !is_within(from, source_folders[to].name) &&
        !makes_ranks && !splits_planes)
        return false;
    return strncmp(source_folders[to].name, "machine/", strlen("machine/")) != 0 ||
           is_within(to, "machine/ranks") || is_within(from, "machine");
}

/* False for code that the audit checks. */
static bool audit_may_include(const char *include)
{
    int folder = folder_of(include);
    return folder >= 0 && ONE_OF(source_folders[folder].name, "audit", "base", "workloads");
}

/* False for code: the golden models share only types with the code that they are compared with. */
static bool reference_may_include(const char *include)
{
    int folder = folder_of(include);
    return folder >= 0 && ONE_OF(source_folders[folder].name, "test/reference", "base", "machine",
                                 "network", "network/topology", "network/schemes");
}

/* The mesh machine and the network know nothing of one another. */
static bool is_other_machine(int from, int to)
{
    return (is_within(from, "network") && is_within(to, "machine")) ||
           (is_within(from, "machine") && is_within(to, "network"));
}

/* Returns the layer of a file: the commands are above all else that the library has. */
static int layer_of(const struct source *source)
{
    bool is_command = strncmp(source->path, "library/command_", strlen("library/command_")) == 0;
    return is_command ? COMMAND_LAYER : source_folders[source->folder].layer;
}

static void check_include(struct source_tree *tree, const struct source *source, int line,
                          const char *include)
{
    int to = folder_of(include), from = source->folder;
    if (to < 0) {
        offend(tree, source, line, "an include that does not begin with a folder");
        return;
    }
    /* within the machine, the suite of objects checks needs */
    bool are_machine = is_within(from, "machine") && is_within(to, "machine");
    if (to != from && !are_machine && source_folders[to].layer >= layer_of(source))
        offend(tree, source, line, "an include that points up or sideways");
    if (is_other_machine(from, to))
        offend(tree, source, line, "one machine includes the other");
    if (!may_see(from, to, include))
        offend(tree, source, line, "another folder's private header");
    bool is_audit = strcmp(source_folders[from].name, "audit") == 0;
    if (is_audit && !audit_may_include(include))
        offend(tree, source, line, "the audit includes what it checks");
    bool is_reference = strcmp(source_folders[from].name, "test/reference") == 0;
    if (is_reference && !reference_may_include(include))
        offend(tree, source, line, "the golden model includes more than the machine's types");
}

/* includes point one way, private headers stay at home, the audit shares no code with the engine */
START_TEST(includes)
{
    struct source_tree *tree = source_tree_read();
    for (int i = 0; i < tree->count; i++) {
        const char *at = tree->source[i].text;
        for (; (at = strstr(at, "#include \"")) != NULL; at++) {
            char include[SOURCE_PATH_SIZE];
            if (at != tree->source[i].text && at[-1] != '\n')
                continue;
            sscanf(at, "#include \"%255[^\"]", include);
            if (is_public(&tree->source[i]) &&
                strncmp(include, "meshcast", strlen("meshcast")) == 0)
                continue; /* when installed they are also side by side */
            check_include(tree, &tree->source[i], line_of(tree->source[i].text, at), include);
        }
    }
    source_tree_end(tree);
}
END_TEST

/* True if the program may include it: the public headers, the parts of base/ about texts, and the
 * laboratory's one header. */
static bool client_may_include(const struct source *source, const char *include)
{
    if (strncmp(include, "cli/", strlen("cli/")) == 0 ||
        strncmp(include, "library/meshcast", strlen("library/meshcast")) == 0 ||
        ONE_OF(include, "base/failure.h", "base/printable.h", "base/stopwatch.h",
               "base/suggestion.h", "lab/lab.h"))
        return true;
    /* the one file of the program that knows ranks */
    return strcmp(source->path, "cli/main.c") == 0 && strcmp(include, "machine/ranks/ranks.h") == 0;
}

/* the program is a client of the public headers */
START_TEST(client)
{
    struct source_tree *tree = source_tree_read();
    for (int i = 0; i < tree->count; i++) {
        const struct source *source = &tree->source[i];
        if (strcmp(source_folders[source->folder].name, "cli") != 0)
            continue;
        for (const char *at = source->text; (at = strstr(at, "#include \"")) != NULL; at++) {
            char include[SOURCE_PATH_SIZE];
            sscanf(at, "#include \"%255[^\"]", include);
            if (!client_may_include(source, include))
                offend(tree, source, line_of(source->text, at), "the program uses an inner header");
        }
    }
    source_tree_end(tree);
}
END_TEST

/* ---- seams ---- */

/* threads are started only by base/parallel.c, which knows OpenMP, and ranks that are threads only
 * by test/ranks/ranks_threads.c */
START_TEST(threads_in_one_file)
{
    struct source_tree *tree = source_tree_read();
    for (int i = 0; i < tree->count; i++) {
        if (ONE_OF(tree->source[i].path, "base/parallel.c", "test/ranks/ranks_threads.c",
                   "test/preload/refused_thread.c"))
            continue;
        forbid(tree, &tree->source[i], "pragma omp", "OpenMP");
        forbid(tree, &tree->source[i], "pthread_create", "a thread");
    }
    source_tree_end(tree);
}
END_TEST

/* True if a file of the library's shell or of the program knows ranks, though it is not the one
 * that does. */
static bool knows_ranks(const struct source *source)
{
    return ONE_OF(source_folders[source->folder].name, "library", "cli", "lab") &&
           !ONE_OF(source->path, "library/command_ranks.c", "cli/main.c") &&
           strstr(source->text, "#include \"machine/ranks/") != NULL;
}

/* MPI is known only to machine/ranks/ranks_mpi*.c, ranks to one file each of the library and the
 * program */
START_TEST(mpi_in_one_place)
{
    struct source_tree *tree = source_tree_read();
    for (int i = 0; i < tree->count; i++) {
        const struct source *source = &tree->source[i];
        bool is_place = strncmp(source->path, "machine/ranks/ranks_mpi",
                                strlen("machine/ranks/ranks_mpi")) == 0;
        if (!is_place && strstr(source->text, "#include <"
                                              "mpi.h>") != NULL)
            offend(tree, source, 1, "MPI outside of its place");
        if (knows_ranks(source))
            offend(tree, source, 1, "a second file that knows ranks");
    }
    source_tree_end(tree);
}
END_TEST

/* random values come only from pcg32, not from the C library or the time of day */
START_TEST(no_other_randomness)
{
    static const char *const words[] = {"rand", "srand",        "random_r",  "srandom",   "drand48",
                                        "time", "gettimeofday", "getrandom", "arc4random"};
    struct source_tree *tree = source_tree_read();
    for (int i = 0; i < tree->count; i++) {
        for (size_t w = 0; is_library(&tree->source[i]) && w < sizeof words / sizeof words[0];
             w++) {
            char call[64];
            snprintf(call, sizeof call, "%s(", words[w]);
            forbid(tree, &tree->source[i], call, call);
        }
    }
    source_tree_end(tree);
}
END_TEST

/* the library never prints and never exits; some files write, only to given outputs */
START_TEST(library_is_silent)
{
    static const char *const words[] = {"printf(", "vprintf(", "puts(",    "putchar(", "perror(",
                                        "exit(",   "_exit(",   "abort(",   "system(",  "getenv(",
                                        "stderr",  "stdout",   "fprintf(", "fputs(",   "fputc(",
                                        "putc(",   "fwrite("};
    enum { ALWAYS_FORBIDDEN = 11 };
    struct source_tree *tree = source_tree_read();
    for (int i = 0; i < tree->count; i++) {
        const struct source *source = &tree->source[i];
        bool writes = strncmp(source->path, "library/", strlen("library/")) == 0 ||
                      strncmp(source->path, "view/", strlen("view/")) == 0 ||
                      ONE_OF(source->path, "machine/trace.c", "network/network_trace.c",
                             "workloads/message_set_write.c", "workloads/faults.c",
                             "expanders/expander_file.c", "chart/chart_write.c");
        /* "-" is standard output; gnuplot is looked for in PATH; a rank that ends all others says
         * why; NO_COLOR is the user's wish */
        if (ONE_OF(source->path, "base/output_file.c", "chart/gnuplot.c",
                   "machine/ranks/ranks_mpi.c", "library/table.c"))
            continue;
        size_t count = writes ? ALWAYS_FORBIDDEN : sizeof words / sizeof words[0];
        for (size_t w = 0; is_library(source) && w < count; w++)
            forbid(tree, source, words[w], words[w]);
    }
    source_tree_end(tree);
}
END_TEST

/* Programs for gnuplot are written only in chart/, and colours are only in its palette. */
START_TEST(one_chart_writer)
{
    static const char *const words[] = {"set terminal", "set xrange", "rgb '"};
    static const char *const colours[] = {"0072B2", "D55E00", "009E73",
                                          "CC79A7", "E69F00", "56B4E9"};
    struct source_tree *tree = source_tree_read();
    for (int i = 0; i < tree->count; i++) {
        const struct source *source = &tree->source[i];
        if (strncmp(source->path, "test/", 5) == 0)
            continue;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (strncmp(source->path, "chart/", 6) != 0 && strstr(source->text, words[w]) != NULL)
                offend(tree, source, 1, "a program for gnuplot outside of chart/");
        for (size_t w = 0; w < sizeof colours / sizeof *colours; w++)
            if (strcmp(source->path, "chart/palette.c") != 0 &&
                strstr(source->text, colours[w]) != NULL)
                offend(tree, source, 1, "a colour outside of chart/palette.c");
    }
    source_tree_end(tree);
}
END_TEST

void sources_suite(TCase *tests)
{
    tcase_add_test(tests, includes);
    tcase_add_test(tests, client);
    tcase_add_test(tests, threads_in_one_file);
    tcase_add_test(tests, mpi_in_one_place);
    tcase_add_test(tests, no_other_randomness);
    tcase_add_test(tests, library_is_silent);
    tcase_add_test(tests, one_chart_writer);
}
