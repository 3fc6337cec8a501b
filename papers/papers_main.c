/* papers_main.c - runs the experiments of the literature, and writes their page.
 *
 *     papers [-q] [-t THREADS] [-s [EXPERIMENT.]NAME=VALUE ..] PARTS [EXPERIMENT ..]
 *     papers -p TEMPLATE PARTS
 *
 * The first form runs the experiments, all or those that are named, and writes the parts of each (page.h) and its pictures
 * into the folder PARTS; -q runs fewer points and shorter ones, -s sets what a paper leaves open. The second one prints
 * the page. papers.sh uses both.
 */
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "bench/must.h"
#include "chart/gnuplot.h"
#include "papers/page.h"
#include "papers/paper.h"

#include <string.h>
#include <unistd.h>

enum { MOST_SETTINGS = 64, PATH_SIZE = 1024 };

/* A setting for one experiment begins with its name and a dot. */
static const char *setting_for(const struct experiment *experiment, const char *setting)
{
    size_t length = strlen(experiment->name);
    if (strncmp(setting, experiment->name, length) == 0 && setting[length] == '.')
        setting += length + 1;
    return experiment_has_choice(experiment, setting) ? setting : NULL;
}

static FILE *must_open(const char *folder, const char *name, const char *ending)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

static void must_close(FILE *file)
{
    if (fclose(file) != 0) {
        perror("a part of the page");
        exit(EXIT_FAILURE);
    }
}

static void draw(void *context, const char *name, FILE *script)
{
    struct failure failure = {0};
    struct drawing drawing;
    bench_must(gnuplot_draw(script, "the tables", &drawing, &failure), &failure);
    FILE *file = must_open(context, name, "svg");
    fwrite(drawing.text, 1, drawing.size, file);
    must_close(file);
    free(drawing.text);
}

static void run(const struct experiment *experiment, struct paper paper, const char *folder,
                const char *const *setting)
{
    const char *own[MOST_SETTINGS + 1] = {NULL};
    int count = 0;
    double start = stopwatch_seconds();
    for (; *setting != NULL; setting++)
        if ((own[count] = setting_for(experiment, *setting)) != NULL)
            count++;
    paper.experiment = experiment;
    paper.setting = own;
    paper.text = must_open(folder, experiment->name, "md");
    paper.facts = must_open(folder, experiment->name, "facts");
    paper_run(&paper);
    must_close(paper.text);
    must_close(paper.facts);
    fprintf(stderr, "%s %.1f s\n", experiment->name, stopwatch_seconds() - start);
}

static int print_page(const char *template_path, const char *folder)
{
    struct page_values values = {0};
    char *template = page_read_file(template_path);
    if (template == NULL) {
        perror(template_path);
        return EXIT_FAILURE;
    }
    page_values_read(&values, folder);
    char *missing = page_fill(template, &values, stdout);
    if (missing != NULL)
        fprintf(stderr, "%s has no value in %s: run its experiment\n", missing, folder);
    page_values_free(&values);
    free(template);
    free(missing);
    return missing == NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int usage(void)
{
    fputs("usage: papers [-q] [-t THREADS] [-s [EXPERIMENT.]NAME=VALUE ..] PARTS [EXPERIMENT ..]\n"
          "       papers -p TEMPLATE PARTS\n",
          stderr);
    return EXIT_FAILURE;
}

static bool is_known(const char *setting)
{
    for (uint32_t i = 0; i < experiment_count(); i++)
        if (setting_for(experiment_at(i), setting) != NULL)
            return true;
    fprintf(stderr, "no experiment has a choice %s\n", setting);
    return false;
}

int main(int count, char **argument)
{
    struct paper paper = {.size = PAPER_WHOLE,
                          .threads = parallel_threads_for(NULL, UINT32_MAX, UINT32_MAX, 0),
                          .seed = 1,
                          .draw = draw};
    const char *setting[MOST_SETTINGS + 1] = {NULL}, *template = NULL;
    int option, settings = 0;
    while ((option = getopt(count, argument, "qt:s:p:")) != -1) {
        if (option == 'q')
            paper.size = PAPER_QUICK;
        else if (option == 't')
            paper.threads = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'p')
            template = optarg;
        else if (option == 's' && settings < MOST_SETTINGS && is_known(optarg))
            setting[settings++] = optarg;
        else
            return usage();
    }
    if (optind == count || paper.threads < 1)
        return usage();
    char *folder = argument[optind++];
    if (template != NULL)
        return print_page(template, folder);
    paper.draw_context = folder;
    for (int i = optind; i < count; i++)
        if (experiment_find(argument[i]) == NULL)
            return usage();
    for (int i = optind; i < count; i++)
        run(experiment_find(argument[i]), paper, folder, setting);
    for (uint32_t i = 0; optind == count && i < experiment_count(); i++)
        run(experiment_at(i), paper, folder, setting);
    return EXIT_SUCCESS;
}
