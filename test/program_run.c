/* program_run.c - the shell between the tests of the command line and the program.
 *
 * Method: standard output and standard error go to two files of the folder, which are read back.
 * All state is the environment (M, T) and one buffer; Check runs each test in a process of its own,
 * so tests do not meet.
 */
#include "test/program_run.h"
#include "library/meshcast_command.h"
#include "test/temporary.h"

#include <check.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void path_of(const char *file, char path[512])
{
    snprintf(path, 512, "%s/%s", getenv("T"), file);
}

/* Sets M to a link in a hidden folder of $T: the commands of the tests hold it without quotes, and
 * the path of the checkout may hold blanks. */
static void find_program(const char *program)
{
    char whole[4096], path[512];
    bool is_whole = program[0] == '/';
    ck_assert(is_whole || getcwd(whole, sizeof whole) != NULL);
    size_t used = is_whole ? 0 : strlen(whole);
    snprintf(whole + used, sizeof whole - used, "%s%s", is_whole ? "" : "/", program);
    path_of(".bin", path);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    path_of(".bin/meshcast", path);
    ck_assert_int_eq(symlink(whole, path), 0);
    setenv("M", path, 1);
}

void program_run_setup(void)
{
    const char *program = getenv("MESHCAST");
    char path[TEMPORARY_PATH];
    temporary_folder(path);
    setenv("T", path, 1);
    find_program(program == NULL ? "./meshcast" : program);
}

void program_run_teardown(void)
{
    ck_assert_int_eq(system("rm -rf -- \"$T\""), 0);
}

static void read_back(const char *file, char *text, size_t size)
{
    char path[512];
    path_of(file, path);
    FILE *stream = fopen(path, "r");
    ck_assert_ptr_nonnull(stream);
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
}

static char last_command[2048];

__attribute__((format(printf, 1, 0))) static const struct outcome *run_in_shell(const char *command,
                                                                                va_list arguments)
{
    static struct outcome outcome;
    char wrapped[2304];
    vsnprintf(last_command, sizeof last_command, command, arguments);
    snprintf(wrapped, sizeof wrapped, "{ %s\n} >\"$T/out\" 2>\"$T/err\" </dev/null", last_command);
    int status = system(wrapped);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_back("out", outcome.out, sizeof outcome.out);
    read_back("err", outcome.err, sizeof outcome.err);
    return &outcome;
}

const struct outcome *program_run(const char *command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    const struct outcome *outcome = run_in_shell(command, arguments);
    va_end(arguments);
    return outcome;
}

static void check_status(const struct outcome *run, int status)
{
    ck_assert_msg(run->status == status, "%s: status %d: %s%s", last_command, run->status, run->out,
                  run->err);
}

const struct outcome *program_run_ends(int status, const char *command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    const struct outcome *run = run_in_shell(command, arguments);
    va_end(arguments);
    check_status(run, status);
    return run;
}

void program_run_fails(int status, const char *expected, const char *command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    const struct outcome *run = run_in_shell(command, arguments);
    va_end(arguments);
    check_status(run, status);
    ck_assert_msg(strstr(run->err, expected) != NULL, "%s: not '%s': %s", last_command, expected,
                  run->err);
    if (status > 1)
        ck_assert_str_eq(run->out, "");
    if (status == 2)
        ck_assert_ptr_eq(strchr(run->err, '\n'), run->err + strlen(run->err) - 1);
}

json_t *program_run_json(void)
{
    char path[512];
    json_error_t error;
    path_of("out", path);
    json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(value != NULL, "not JSON, line %d: %s", error.line, error.text);
    return value;
}

json_int_t program_run_integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_integer(value), "%s", key);
    return json_integer_value(value);
}

double program_run_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_number(value), "%s", key);
    return json_number_value(value);
}

const char *program_run_text(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_string(value), "%s", key);
    return json_string_value(value);
}

void program_run_check_phases(const json_t *object)
{
    json_int_t steps = 0, sync_steps = 0;
    size_t i;
    json_t *phase;
    json_array_foreach(json_object_get(object, "phases"), i, phase)
    {
        steps += program_run_integer(phase, "steps");
        if (strcmp(program_run_text(phase, "name"), "sync") == 0)
            sync_steps += program_run_integer(phase, "steps");
    }
    ck_assert_int_eq(steps, program_run_integer(object, "steps"));
    ck_assert_int_eq(sync_steps, program_run_integer(object, "sync_steps"));
}

double program_run_figure(const char *table, const char *name)
{
    double figure = -1;
    const char *line = strstr(table, name);
    ck_assert_msg(line != NULL && sscanf(line + strlen(name), "%lf", &figure) == 1, "%s", name);
    return figure;
}

int program_run_left(const char *file)
{
    char path[512];
    path_of(file, path);
    return access(path, F_OK) == 0;
}

void program_run_file(const char *file, const char *text)
{
    char path[512];
    path_of(file, path);
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    fputs(text, stream);
    ck_assert_int_eq(fclose(stream), 0);
}

double program_run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int program_run_values(const char *command, const char *option)
{
    int count = 0;
    while (meshcast_command_value_at(command, option, (uint32_t)count) != NULL)
        count++;
    return count;
}
