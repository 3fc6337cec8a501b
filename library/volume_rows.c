/* volume_rows.c - the options for how much a message carries. */
#include "library/volume_rows.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

const struct meshcast_option volume_rows[VOLUME_ROWS] = {
    {.name = "weights",
     .value = "flits|bytes|ignore",
     .help = "weights are lengths of messages, in flits or in bytes; the default is ignore.\n"
             "Entries of a column with the same weight are one message",
     .type = MESHCAST_OPTION_CHOICE,
     .offset = offsetof(struct volume_options, weights),
     .choices = volume_weights_names},
    {.name = "bytes",
     .value = "N",
     .is_common = true,
     .help = "each message has N bytes; needs --flit-bytes",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct volume_options, bytes),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "flit-bytes",
     .value = "B",
     .is_common = true,
     .help = "bytes per flit; N bytes take ceil(N / B) flits, and one for the header",
     .type = MESHCAST_OPTION_NUMBER,
     .offset = offsetof(struct volume_options, flit_bytes),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "pack",
     .value = "NAME",
     .help = "unite what a node sends; lengths add. destinations: messages with the same\n"
             "destinations (a spike buffer); pairs: all that goes from one node to another\n"
             "(a neighbourhood collective of MPI, a sparse product). The default is none",
     .type = MESHCAST_OPTION_CHOICE,
     .offset = offsetof(struct volume_options, pack),
     .choices = volume_pack_names},
};

void volume_options_text(const struct volume_options *options, char text[VOLUME_TEXT])
{
    char weights[24] = "", bytes[24] = "", flit_bytes[32] = "", pack[24] = "";
    if (options->weights != WEIGHTS_IGNORED)
        snprintf(weights, sizeof weights, " --weights %s", volume_weights_names[options->weights]);
    if (options->bytes > 0)
        snprintf(bytes, sizeof bytes, " --bytes %" PRIu32, options->bytes);
    if (options->flit_bytes > 0)
        snprintf(flit_bytes, sizeof flit_bytes, " --flit-bytes %" PRIu32, options->flit_bytes);
    if (options->pack != PACK_NONE)
        snprintf(pack, sizeof pack, " --pack %s", volume_pack_names[options->pack]);
    snprintf(text, VOLUME_TEXT, "%s%s%s%s", weights, bytes, flit_bytes, pack);
}
