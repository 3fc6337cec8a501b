/* plugin.c - loads a router of a user's own from a shared object.
 *
 * Method: the object's one function gives a plan, of which a router is made as of any other plan.
 * The object must find the library's functions in the running one. A program exposes its copy by
 * itself; if the library was loaded privately, as by an interpreter, it is exposed to all before
 * the object is loaded.
 */
#define _GNU_SOURCE /* dladdr, dladdr1, RTLD_NOLOAD */
#include "library/handle_private.h"
#include "library/meshcast_own_router.h"
#include "library/run_options.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef const struct meshcast_router_plan *plugin_function(uint32_t *abi);

/* Exposes the library's functions to objects that are loaded next. If this fails they are found
 * anyway, or the loader will report that they are not. */
static void show_library(void)
{
    Dl_info own;
    static const char anchor = 0;
    void *library = NULL;
    if (dladdr(&anchor, &own) != 0 && own.dli_fname != NULL)
        library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (library != NULL)
        dlclose(library); /* it was loaded before, and stays so */
}

/* True if a shared object has all parts that its header names: the loader maps missing ones, and
 * the process dies of touching them. A file that is no object of this machine is left to the
 * loader, which reports it. */
static bool is_whole(int file, uint64_t size)
{
    ElfW(Ehdr) header;
    if (pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)))
        return true;
    for (uint64_t i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) part;
        uint64_t at = header.e_phoff + i * sizeof part;
        if (at > size || pread(file, &part, sizeof part, (off_t)at) != (ssize_t)sizeof part)
            return false;
        if (part.p_type == PT_LOAD &&
            (part.p_offset > size || part.p_filesz > size - part.p_offset))
            return false;
    }
    return true;
}

static enum failure_kind check_file(const char *path, struct failure *failure)
{
    struct stat about;
    if (strchr(path, '/') == NULL)
        return fail(failure, FAIL_USAGE,
                    "a plugin is a file with a slash in its name, not '%.200s'", path);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* nobody may write to a pipe */
    if (file < 0 || fstat(file, &about) != 0)
        fail(failure, FAIL_SYSTEM, "cannot open %.200s: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode))
        fail(failure, FAIL_INPUT, "%.200s: expected a shared object, found no regular file", path);
    else if (!is_whole(file, (uint64_t)about.st_size))
        fail(failure, FAIL_INPUT, "%.200s: expected a shared object, found one that is cut off",
             path);
    if (file >= 0)
        close(file);
    return failure->kind;
}

/* Returns the loader's text, without the name of the file before it. */
static const char *loader_text(const char *path)
{
    const char *text = dlerror();
    size_t length = strlen(path);
    if (text == NULL)
        return "it cannot be loaded";
    return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0
               ? text + length + 2
               : text;
}

/* True if the loader found no memory: for some failures only `error`, the errno that it left, shows
 * that. */
static bool tells_of_memory(const char *text, int error)
{
    return error == ENOMEM || strstr(text, strerror(ENOMEM)) != NULL ||
           strstr(text, "out of memory") != NULL;
}

/* True if a symbol of a loaded object may be called. Variables have a type of their own; those of a
 * thread, and numbers that are symbols, are in no object. A symbol without a type may be a function
 * in assembly language. */
static bool is_function(const void *symbol)
{
    Dl_info info;
    void *found = NULL;
    if (dladdr1(symbol, &info, &found, RTLD_DL_SYMENT) == 0)
        return false;
    const ElfW(Sym) *entry = found;
    unsigned type = entry == NULL ? STT_NOTYPE : ELF64_ST_TYPE(entry->st_info); /* as in ELF32 */
    return type != STT_OBJECT && type != STT_COMMON && type != STT_TLS;
}

/* Returns the plan of the object; NULL, with a failure: it has none that can be used. */
static const struct meshcast_router_plan *plan_of(void *object, const char *path,
                                                  struct failure *failure)
{
    uint32_t abi = UINT32_MAX;
    plugin_function *function = NULL;
    void *symbol = dlsym(object, "meshcast_plugin");
    if (symbol == NULL) {
        fail(failure, FAIL_INPUT,
             "%.200s: expected a function meshcast_plugin(), found none; is it C's, and visible?",
             path);
        return NULL;
    }
    if (!is_function(symbol)) {
        fail(failure, FAIL_INPUT,
             "%.200s: expected a function meshcast_plugin(), found a variable of this name", path);
        return NULL;
    }
    memcpy(&function, &symbol, sizeof function); /* C has no cast for it */
    const struct meshcast_router_plan *plan = function(&abi);
    if (abi != MESHCAST_ABI)
        fail(
            failure, FAIL_INPUT,
            "%.200s: expected a plugin for MESHCAST_ABI %u, found one for %d; compile it with this "
            "version's headers",
            path, MESHCAST_ABI, (int)abi);
    else if (plan == NULL)
        fail(failure, FAIL_USAGE, "%.200s: the plugin gives no router", path);
    else if (plan->name != NULL && router_find(plan->name) != NULL)
        fail(
            failure, FAIL_USAGE,
            "%.200s: the plugin's router is named '%s', as one of meshcast's; give it another name",
            path, plan->name);
    return failure->kind == FAIL_NONE ? plan : NULL;
}

static struct meshcast_router *load(const char *path, struct failure *failure)
{
    if (check_file(path, failure) != FAIL_NONE)
        return NULL;
    show_library();
    errno = 0;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int left = errno;
    if (object == NULL) {
        const char *text = loader_text(path);
        if (tells_of_memory(text, left))
            fail(failure, FAIL_SYSTEM, "%.200s: no memory for the plugin: %.200s", path, text);
        else
            fail(failure, FAIL_INPUT, "%.200s: expected a shared object: %.200s", path, text);
        return NULL;
    }
    struct meshcast_error error = {.status = MESHCAST_OK};
    const struct meshcast_router_plan *plan = plan_of(object, path, failure);
    struct meshcast_router *router = plan == NULL ? NULL : meshcast_router_new(plan, &error);
    if (error.status != MESHCAST_OK)
        fail(failure, (enum failure_kind)error.status, "%.200s: %.250s", path, error.text);
    if (router == NULL)
        dlclose(object);
    else
        router_keep_object(router, object);
    return router;
}

struct meshcast_router *meshcast_router_load(const char *path, struct meshcast_error *error)
{
    struct failure failure = {0};
    struct meshcast_router *router = load(path, &failure);
    error_give(error, &failure);
    return router;
}

/* ---- the plugins that a command line names ---- */

/* Option rows are independent of one another, so their plugins are kept here, until the process
 * ends. The list grows while options are read, which one thread does at a time; a program with more
 * gives routers instead (meshcast_router_load()). */
enum { MOST_PLUGINS = 32 };

static struct {
    char *path;
    const struct router *router;
} plugins[MOST_PLUGINS];
static uint32_t plugin_count;

const struct router *plugin_router(const char *path, struct failure *failure)
{
    for (uint32_t i = 0; i < plugin_count; i++)
        if (strcmp(plugins[i].path, path) == 0)
            return plugins[i].router;
    struct meshcast_router *loaded = load(path, failure);
    if (loaded == NULL)
        return NULL;
    const struct router *router = router_of(loaded);
    for (uint32_t i = 0; i < plugin_count; i++)
        if (strcmp(plugins[i].router->name, router->name) == 0)
            fail(failure, FAIL_USAGE, "the routers of %.120s and %.120s are both named '%s'",
                 plugins[i].path, path, router->name);
    if (plugin_count == MOST_PLUGINS)
        fail(failure, FAIL_USAGE, "%d plugins are the most", MOST_PLUGINS);
    char *copy = failure->kind == FAIL_NONE ? strdup(path) : NULL;
    if (failure->kind == FAIL_NONE && copy == NULL)
        fail_memory(failure, "a plugin's path");
    if (failure->kind != FAIL_NONE) {
        meshcast_router_free(loaded);
        return NULL;
    }
    plugins[plugin_count].path = copy;
    plugins[plugin_count++].router = router;
    return router;
}

const char *plugin_path(const struct router *router)
{
    for (uint32_t i = 0; i < plugin_count; i++)
        if (plugins[i].router == router)
            return plugins[i].path;
    return NULL;
}
