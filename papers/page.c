/* page.c - fills the template of the page with facts and the texts of experiments. */
#include "papers/page.h"

#include "base/failure.h"
#include "bench/must.h"
#include "papers/paper.h"

#include <string.h>

static void *must_have(void *memory)
{
    struct failure failure = {0};
    if (memory == NULL)
        bench_must(fail_memory(&failure, "a page"), &failure);
    return memory;
}

static char *copy_of(const char *text, size_t length)
{
    char *copy = must_have(memory_allocate(length + 1, 1));
    memcpy(copy, text, length);
    return copy;
}

void page_values_free(struct page_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        free(values->name[i]);
        free(values->value[i]);
    }
    free(values->name);
    free(values->value);
    *values = (struct page_values){0};
}

void page_values_add(struct page_values *values, const char *name, const char *value)
{
    if (values->count == values->room) {
        values->room = 2 * values->room + 64;
        values->name = must_have(memory_resize(values->name, values->room, sizeof *values->name));
        values->value =
            must_have(memory_resize(values->value, values->room, sizeof *values->value));
    }
    values->name[values->count] = copy_of(name, strlen(name));
    values->value[values->count++] = copy_of(value, strlen(value));
}

void page_values_add_facts(struct page_values *values, char *facts)
{
    for (char *line = strtok(facts, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *space = strchr(line, ' ');
        if (space == NULL)
            continue;
        *space = '\0';
        page_values_add(values, line, space + 1);
    }
}

static const char *value_of(const struct page_values *values, const char *name, size_t length)
{
    for (size_t i = 0; i < values->count; i++)
        if (strlen(values->name[i]) == length && strncmp(values->name[i], name, length) == 0)
            return values->value[i];
    return NULL;
}

char *page_fill(const char *template, const struct page_values *values, FILE *out)
{
    const char *open;
    for (; (open = strstr(template, "{{")) != NULL; template = strstr(open, "}}") + 2) {
        const char *name = open + 2, *close = strstr(name, "}}");
        size_t length = close == NULL ? strlen(name) : (size_t)(close - name);
        const char *value = value_of(values, name, length);
        fwrite(template, 1, (size_t)(open - template), out);
        if (close == NULL || value == NULL)
            return copy_of(name, length);
        fputs(value, out);
    }
    fputs(template, out);
    return NULL;
}

char *page_read_file(const char *path)
{
    char part[4096], *text;
    size_t size, got;
    FILE *in = fopen(path, "r"), *all = in == NULL ? NULL : open_memstream(&text, &size);
    if (all == NULL) {
        if (in != NULL)
            fclose(in);
        return NULL;
    }
    while ((got = fread(part, 1, sizeof part, in)) > 0)
        fwrite(part, 1, got, all);
    fclose(in);
    fclose(all);
    return text;
}

void page_values_read(struct page_values *values, const char *folder)
{
    for (uint32_t i = 0; i < experiment_count(); i++) {
        char path[1024];
        const char *name = experiment_at(i)->name;
        snprintf(path, sizeof path, "%s/%s.md", folder, name);
        char *text = page_read_file(path);
        snprintf(path, sizeof path, "%s/%s.facts", folder, name);
        char *facts = page_read_file(path);
        if (text != NULL)
            page_values_add(values, name, text);
        if (facts != NULL)
            page_values_add_facts(values, facts);
        free(text);
        free(facts);
    }
}
