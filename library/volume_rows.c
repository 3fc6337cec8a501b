/* volume_rows.c - the options for how much a message carries. */
#include "library/volume_rows.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

const struct meshcast_option volume_rows[VOLUME_ROWS] = {
    OPTION_CHOICE("weights", "flits|bytes|ignore", RARE, struct volume_options, weights,
                  volume_weights_names,
                  "weights are lengths of messages, in flits or in bytes; the default is ignore.\n"
                  "Entries of a column with the same weight are one message"),
    OPTION_NUMBER("bytes", "N", COMMON, struct volume_options, bytes, 1, UINT32_MAX,
                  "each message has N bytes; needs --flit-bytes"),
    OPTION_NUMBER("flit-bytes", "B", COMMON, struct volume_options, flit_bytes, 1, UINT32_MAX,
                  "bytes per flit; N bytes take ceil(N / B) flits, and one for the header"),
    OPTION_CHOICE("pack", "NAME", RARE, struct volume_options, pack, volume_pack_names,
                  "unite what a node sends; lengths add. destinations: messages with the same\n"
                  "destinations (a spike buffer); pairs: all that goes from one node to another\n"
                  "(a neighbourhood collective of MPI, a sparse product). The default is none"),
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
