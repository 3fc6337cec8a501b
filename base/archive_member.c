/* archive_member.c - compressed files and archives, by libarchive.
 *
 * Method: libarchive reads a stream of blocks, so pipes and bytes in memory serve as files do. Only
 * data with a magic number of base/byte_source.c are read here, and only these formats are enabled:
 * nothing else is ever mistaken for an archive. The candidates in an archive are its regular files
 * that are not empty, except COMPANIONS.
 * Invariant: memory depends neither on the sizes of the archive's files nor on their number: a name
 * and NAMES bytes of names are kept. (libarchive bounds what compressions may claim: 128 MiB of
 * zstd's window, 1 GiB of xz's.)
 * Cost: one copy of each byte more than libarchive's own.
 */
#include "base/byte_layer.h"

#include "base/printable.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAMES = 200, NAME_ROOM = 1024 };

struct archive_member {
    struct archive *archive;
    locale_t utf8; /* a locale in which names of all scripts are text; 0: the system has none */
    struct byte_input input;
    bool input_started, input_finished;
    const char *kind, *wanted;
    const struct byte_place *place;
    bool is_packed; /* the file is in an archive, not only compressed */
    bool finished, is_broken;
    char name[NAME_ROOM]; /* the file that is read */
    unsigned files;       /* candidates so far .. */
    char names[NAMES];    /* .. and their names */
    /* a failure of the layer below, while libarchive returns from its callback */
    struct failure below;
};

/* Beginnings (of the last part of a name) and ends of names of files that accompany data. */
static const char *const COMPANIONS[] = {"readme", "license", "licence", "meta.", NULL};
static const char *const COMPANION_ENDS[] = {".html", ".htm", ".md", ".pdf", NULL};

/* Fails for what libarchive found, or for what failed below it. */
static enum failure_kind fail_archive(struct archive_member *member, struct failure *failure)
{
    if (member->below.kind != FAIL_NONE) {
        if (failure != NULL)
            *failure = member->below;
        return member->below.kind;
    }
    if (archive_errno(member->archive) == ENOMEM)
        return fail_memory(failure, "reading a compressed file");
    const char *what = archive_error_string(member->archive);
    bool is_cut = what == NULL
                      ? member->input_finished
                      : strstr(what, "runcated") != NULL || strstr(what, "No progress") != NULL;
    return fail(failure, FAIL_INPUT, "%s:%llu: expected whole %s data, found %s%s%s",
                member->place->name, (unsigned long long)member->place->line + 1, member->kind,
                is_cut ? "their end in the middle (a truncated file)" : "corrupt ones",
                what != NULL ? ": " : "", what != NULL ? what : "");
}

/* libarchive's callback: gives it a block of the input. */
static la_ssize_t give_block(struct archive *archive, void *data, const void **block)
{
    struct archive_member *member = data;
    struct byte_input *input = &member->input;
    *block = input->block;
    if (!member->input_started) {
        member->input_started = true;
        return (la_ssize_t)input->length;
    }
    size_t got = 0;
    if (!member->input_finished &&
        input->read(input->from, input->block, BYTE_BLOCK, &got, &member->below) != FAIL_NONE) {
        archive_set_error(archive, EIO, "the input failed");
        return ARCHIVE_FATAL;
    }
    member->input_finished = got == 0;
    return (la_ssize_t)got;
}

static bool is_any(const char *text, const char *const *begins)
{
    while (*begins != NULL && strncasecmp(text, *begins, strlen(*begins)) != 0)
        begins++;
    return *begins != NULL;
}

/* True if a user who names no file could mean it: files that systems and editors hide are no
 * candidates. */
static bool is_candidate(struct archive_entry *entry, const char *name)
{
    const char *base = strrchr(name, '/'), *end = strrchr(name, '.');
    base = base != NULL ? base + 1 : name;
    bool has_bytes = !archive_entry_size_is_set(entry) || archive_entry_size(entry) > 0;
    bool is_hidden = *base == '.' || strncmp(name, "__MACOSX/", strlen("__MACOSX/")) == 0;
    return has_bytes && !is_hidden && !is_any(base, COMPANIONS) &&
           (end == NULL || !is_any(end, COMPANION_ENDS));
}

static bool is_file(struct archive_entry *entry)
{
    return archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == NULL;
}

/* Returns the name without "./" before it; NULL for NULL. */
static const char *pass_dots(const char *name)
{
    while (name != NULL && strncmp(name, "./", 2) == 0)
        name += 2;
    return name;
}

/* Returns the name of a file in an archive; empty if it has none that can be printed. */
static const char *entry_name(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    if (name == NULL) /* no text of the C locale */
        name = archive_entry_pathname_utf8(entry);
    return name != NULL ? pass_dots(name) : "";
}

static void add_name(struct archive_member *member, const char *name)
{
    char shown[NAME_ROOM];
    size_t used = strlen(member->names);
    printable_copy(shown, sizeof shown, name);
    if (used + strlen(shown) + 8 < NAMES)
        snprintf(member->names + used, NAMES - used, "%s%s", used > 0 ? ", " : "", shown);
    else if (used < 4 || strcmp(member->names + used - 3, "...") != 0)
        snprintf(member->names + used, NAMES - used, "%s...", used > 0 ? ", " : "");
    member->files++;
}

/* Goes to the next file that is wanted, or is a candidate, and sets *name to its name; NULL:
 * none. */
static enum failure_kind next_file(struct archive_member *member, const char **name,
                                   struct failure *failure)
{
    struct archive_entry *entry;
    for (;;) {
        locale_t before = uselocale(member->utf8);
        int status = archive_read_next_header(member->archive, &entry);
        uselocale(before);
        *name = NULL;
        bool has_failed = status < ARCHIVE_WARN || member->below.kind != FAIL_NONE;
        if (has_failed)
            return fail_archive(member, failure);
        if (status == ARCHIVE_EOF)
            return FAIL_NONE;
        member->is_packed = archive_format(member->archive) != ARCHIVE_FORMAT_RAW;
        if (!member->is_packed) {
            *name = "";
            return FAIL_NONE;
        }
        const char *found = entry_name(entry);
        bool is_wanted = member->wanted != NULL && strcmp(found, member->wanted) == 0;
        if (!is_file(entry) || !(is_wanted || is_candidate(entry, found)))
            continue;
        add_name(member, found);
        *name = found;
        if (is_wanted || member->wanted == NULL)
            return FAIL_NONE;
    }
}

static enum failure_kind fail_several(const struct archive_member *member, struct failure *failure)
{
    return fail(failure, FAIL_INPUT,
                "%s:1: expected one file in this archive, found %u: %s (FILE:MEMBER, with a name "
                "of these, picks one)",
                member->place->name, member->files, member->names);
}

/* Goes to the file that is wanted, or to the first candidate. */
static enum failure_kind find_file(struct archive_member *member, struct failure *failure)
{
    const char *name;
    enum failure_kind kind = next_file(member, &name, failure);
    if (kind != FAIL_NONE)
        return kind;
    bool is_unknown = archive_format(member->archive) == ARCHIVE_FORMAT_RAW &&
                      archive_filter_code(member->archive, 0) == ARCHIVE_FILTER_NONE;
    if (is_unknown) /* the magic number is right, the data after it are wrong */
        return fail_archive(member, failure);
    if (member->wanted != NULL && !member->is_packed)
        return fail(failure, FAIL_INPUT, "%s:1: expected an archive with the file '%s', found %s",
                    member->place->name, member->wanted, member->kind);
    if (name == NULL && archive_format(member->archive) == ARCHIVE_FORMAT_EMPTY)
        member->finished = true; /* compressed, but empty */
    else if (name == NULL && member->wanted != NULL)
        return fail(failure, FAIL_INPUT, "%s:1: expected the file '%s' in this archive, found %s",
                    member->place->name, member->wanted,
                    member->files > 0 ? member->names : "no file");
    else if (name == NULL)
        return fail(failure, FAIL_INPUT, "%s:1: expected a file in this archive, found none",
                    member->place->name);
    else
        snprintf(member->name, sizeof member->name, "%s", name);
    return FAIL_NONE;
}

static bool enable(struct archive *archive)
{
    /* a library that libarchive lacks would be replaced by a program, with a warning */
    return archive_read_support_filter_bzip2(archive) == ARCHIVE_OK &&
           archive_read_support_filter_xz(archive) == ARCHIVE_OK &&
           archive_read_support_filter_zstd(archive) == ARCHIVE_OK &&
           archive_read_support_filter_lz4(archive) == ARCHIVE_OK &&
           archive_read_support_format_tar(archive) == ARCHIVE_OK &&
           archive_read_support_format_zip_streamable(archive) == ARCHIVE_OK &&
           archive_read_support_format_raw(archive) == ARCHIVE_OK &&
           archive_read_support_format_empty(archive) == ARCHIVE_OK &&
           /* reads on to the end of the data, after which the checksum may follow */
           archive_read_set_option(archive, "tar", "read_concatenated_archives", "1") == ARCHIVE_OK;
}

enum failure_kind archive_member_open(struct archive_member **member,
                                      const struct byte_input *input, const char *kind,
                                      const char *wanted, const struct byte_place *place,
                                      struct failure *failure)
{
    *member = NULL;
    struct archive_member *opened = memory_allocate(1, sizeof *opened);
    if (opened == NULL) {
        free(input->block);
        return fail_memory(failure, "reading a compressed file");
    }
    *opened = (struct archive_member){
        .input = *input, .kind = kind, .wanted = pass_dots(wanted), .place = place};
    enum failure_kind status = FAIL_NONE;
    opened->archive = archive_read_new();
    opened->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (opened->archive == NULL || !enable(opened->archive))
        status = fail_memory(failure, "reading a compressed file");
    else if (archive_read_open(opened->archive, opened, NULL, give_block, NULL) != ARCHIVE_OK ||
             archive_error_string(opened->archive) != NULL) /* an unreadable archive looks empty */
        status = fail_archive(opened, failure);
    else
        status = find_file(opened, failure);
    if (status == FAIL_NONE)
        *member = opened;
    else
        archive_member_close(opened);
    return status;
}

const char *archive_member_name(const struct archive_member *member)
{
    return member->is_packed ? member->name : NULL;
}

enum failure_kind archive_member_survey(struct archive_member *member, struct failure *failure)
{
    const char *name = "";
    enum failure_kind kind = FAIL_NONE;
    while (kind == FAIL_NONE && name != NULL)
        kind = next_file(member, &name, failure);
    if (kind == FAIL_NONE && member->wanted == NULL && member->files > 1)
        return fail_several(member, failure);
    return kind;
}

enum failure_kind archive_member_read(void *from, unsigned char *bytes, size_t size, size_t *got,
                                      struct failure *failure)
{
    struct archive_member *member = from;
    *got = 0;
    if (member->finished)
        return FAIL_NONE;
    la_ssize_t count = member->is_broken ? -1 : archive_read_data(member->archive, bytes, size);
    member->is_broken = count < 0; /* libarchive reports some failures once */
    if (member->is_broken)
        return fail_archive(member, failure);
    *got = (size_t)count;
    if (count > 0)
        return FAIL_NONE;
    enum failure_kind kind = member->is_packed ? archive_member_survey(member, failure) : FAIL_NONE;
    member->finished = kind == FAIL_NONE;
    return kind;
}

void archive_member_close(struct archive_member *member)
{
    archive_read_free(member->archive);
    if (member->utf8 != (locale_t)0)
        freelocale(member->utf8);
    free(member->input.block);
    free(member);
}
