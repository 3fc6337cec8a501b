/* gunzip.c - inflates gzip data by zlib.
 *
 * libarchive, which serves the other compressions, inflates gzip without comparing its checksum (to
 * 3.8 at least); a damaged file would become a different matrix.
 * Invariant: bytes before a fault are returned before it is reported, and the end only after the
 * checksum was compared. Several members are read as one text; zeros after the last, as on tapes,
 * are skipped; any other byte there is corruption.
 * Source: RFC 1952 (gzip); the inflating is zlib's.
 */
#include "base/byte_layer.h"

#include <stdlib.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16 };

struct gunzip {
    struct byte_input input;
    const struct byte_place *place;
    z_stream inflater;
    bool input_finished, member_ended, finished;
};

enum failure_kind gunzip_open(struct gunzip **gunzip, const struct byte_input *input,
                              const struct byte_place *place, struct failure *failure)
{
    struct gunzip *opened = memory_allocate(1, sizeof *opened);
    if (opened == NULL || inflateInit2(&opened->inflater, GZIP_WINDOW) != Z_OK) {
        free(opened);
        free(input->block);
        *gunzip = NULL;
        return fail_memory(failure, "reading a gzip file");
    }
    opened->input = *input;
    opened->place = place;
    opened->inflater.next_in = input->block;
    opened->inflater.avail_in = (uInt)input->length;
    *gunzip = opened;
    return FAIL_NONE;
}

/* Between two members: skips padding, then ends the text or begins the next member. */
static void pass_member_end(struct gunzip *gunzip)
{
    z_stream *inflater = &gunzip->inflater;
    while (inflater->avail_in > 0 && *inflater->next_in == 0) {
        inflater->next_in++;
        inflater->avail_in--;
    }
    if (inflater->avail_in > 0) {
        inflateReset(inflater);
        gunzip->member_ended = false;
    } else if (gunzip->input_finished) {
        gunzip->finished = true;
    }
}

static enum failure_kind inflate_failed(const struct gunzip *gunzip, int status,
                                        struct failure *failure)
{
    if (status == Z_MEM_ERROR)
        return fail_memory(failure, "inflating gzip data");
    bool is_cut = status == Z_BUF_ERROR;
    return fail(failure, FAIL_INPUT, "%s:%llu: expected whole gzip data, found %s",
                gunzip->place->name, (unsigned long long)gunzip->place->line + 1,
                is_cut ? "their end in the middle (a truncated file)" : "corrupt ones");
}

enum failure_kind gunzip_read(void *from, unsigned char *bytes, size_t size, size_t *got,
                              struct failure *failure)
{
    struct gunzip *gunzip = from;
    z_stream *inflater = &gunzip->inflater;
    inflater->next_out = bytes;
    inflater->avail_out = (uInt)size;
    while (inflater->next_out == bytes && !gunzip->finished) {
        if (inflater->avail_in == 0 && !gunzip->input_finished) {
            struct byte_input *input = &gunzip->input;
            enum failure_kind kind =
                input->read(input->from, input->block, BYTE_BLOCK, &input->length, failure);
            if (kind != FAIL_NONE)
                return kind;
            gunzip->input_finished = input->length == 0;
            inflater->next_in = input->block;
            inflater->avail_in = (uInt)input->length;
        }
        if (gunzip->member_ended) {
            pass_member_end(gunzip);
            continue;
        }
        int status = inflate(inflater, Z_NO_FLUSH);
        gunzip->member_ended = status == Z_STREAM_END;
        bool is_starved = status == Z_BUF_ERROR && !gunzip->input_finished;
        bool has_failed = status != Z_OK && status != Z_STREAM_END && !is_starved;
        if (has_failed && inflater->next_out == bytes)
            return inflate_failed(gunzip, status, failure);
        /* the bytes before the fault are returned first; the next call fails again */
    }
    *got = (size_t)(inflater->next_out - bytes);
    return FAIL_NONE;
}

void gunzip_close(struct gunzip *gunzip)
{
    inflateEnd(&gunzip->inflater);
    free(gunzip->input.block);
    free(gunzip);
}
