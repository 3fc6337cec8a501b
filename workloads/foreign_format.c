/* foreign_format.c - names file formats that users try to import and that are not read, by their
 * beginnings.
 *
 * Method: the first row of FORMATS that fits. Letters match in any case, and blanks before the
 * first word are ignored. A file that no row names and no text can be is binary.
 */
#include "workloads/import_formats.h"

#include <string.h>
#include <strings.h>

enum { BINARY_BYTES = 64 };

#define NETWORKX "networkx reads it, and Set.from_networkx makes the set"
#define SCIPY "scipy reads it, and Set.from_scipy or scipy.io.mmwrite go on from there"
#define UNPACK "unpack it first"
#define OTHER_JSON "JSON other than lines with \"topk_ids\" and traces of tt-npe"

/* A file begins with `begin`, then, after blanks, `next`, and has `holds` somewhere in its examined
 * part. */
static const struct row {
    const char *begin, *next, *holds, *what, *help;
} FORMATS[] = {
    {"<", "", "<graphml", "GraphML", NETWORKX},
    {"<", "", "<gexf", "GEXF", NETWORKX},
    {"<", "", "<algo ", "an algorithm of MSCCL (XML)",
     "gen --pattern allgather or alltoall makes sets of collectives"},
    {"<!doctype html", "", "", "a web page", "the file itself has another address"},
    {"<", "", "<html", "a web page", "the file itself has another address"},
    {"<?xml", "", "", "XML", NULL},
    {"graph", "[", "", "GML", NETWORKX},
    {"creator", "", "graph", "GML", NETWORKX},
    {"graph", "", "{", "DOT of Graphviz", NETWORKX},
    {"digraph", "", "{", "DOT of Graphviz", NETWORKX},
    {"strict", "", "graph", "DOT of Graphviz", NETWORKX},
    {"*vertices", "", "", "a network of Pajek", NETWORKX},
    {"*network", "", "", "a network of Pajek", NETWORKX},
    {"# meshcast gen", "", "--faults", "what a broken mesh lacks", "--without takes it"},
    {"version https://git-lfs", "", "", "a pointer of Git LFS, not the file",
     "git lfs pull gets it"},
    {"%PDF-", "", "", "PDF", NULL},
    {"MATLAB ", "", "MAT-file", "a .mat file of MATLAB", SCIPY},
    {"\x89HDF", "", "", "HDF5", "h5py reads it; Set.from_scipy or from_arrays go on from there"},
    {"\x93NUMPY", "", "", "an array of NumPy", "Set.from_arrays or from_scipy take it in Python"},
    {"\x80\x04", "", "", "a pickle of Python", NULL},
    {"PAR1", "", "", "Parquet", "pandas reads it; Set.from_arrays goes on from there"},
    {"SQLite format 3", "", "", "a database of SQLite", NULL},
    {"7z\xbc\xaf", "", "", "a 7z archive", UNPACK},
    {"Rar!\x1a", "", "", "a RAR archive", UNPACK},
    {"\x1f\x9d", "", "", "a file of compress (.Z)", UNPACK},
    {"\x1f\x8b", "", "", "a gzip file in another", UNPACK},
    {"BZh", "", "1AY&SY", "a bzip2 file in another", UNPACK},
    {"\xfd"
     "7zXZ",
     "", "", "an xz file in another", UNPACK},
    {"PK\3\4", "", "", "a zip archive in another", UNPACK},
    {"\xff\xfe", "", "", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 converts it"},
    {"\xfe\xff", "", "", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 converts it"},
};

static const struct row JSON[] = {
    {"{", "\"", "\"nodes\"", "a graph in JSON", NETWORKX},
    {"{", "\"", "", OTHER_JSON, NULL},
    {"{", "}", "", OTHER_JSON, NULL},
    {"[", "", "", OTHER_JSON, NULL},
};

static const char *pass_blanks(const char *text, const char *end)
{
    while (text < end && *text != '\0' && strchr(" \t\r\n", *text) != NULL)
        text++;
    return text;
}

static bool begins(const char *text, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - text) >= length && strncasecmp(text, word, length) == 0;
}

static bool holds(const char *text, const char *end, const char *word)
{
    while (text < end && !begins(text, end, word))
        text++;
    return text < end;
}

static bool fits(const struct row *row, const char *text, const char *end)
{
    const char *first = pass_blanks(text, end);
    return begins(first, end, row->begin) &&
           begins(pass_blanks(first + strlen(row->begin), end), end, row->next) &&
           holds(first, end, row->holds);
}

/* True if there are several bytes that no text has: a single one may be a slip in a text. */
static bool is_binary(const char *text, const char *end)
{
    int strange = 0;
    for (int i = 0; text < end && i < BINARY_BYTES; text++, i++) {
        bool is_control = (unsigned char)*text < ' ';
        strange += is_control && (*text == '\0' || strchr("\t\n\v\f\r\033", *text) == NULL);
    }
    return strange > 1;
}

const char *foreign_format(const char *text, size_t length, bool may_be_json, const char **help)
{
    const char *end = text + length;
    *help = NULL;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (fits(&FORMATS[i], text, end)) {
            *help = FORMATS[i].help;
            return FORMATS[i].what;
        }
    bool is_json = !may_be_json && !holds(text, end, "\"topk_ids\""); /* routes without a name */
    for (size_t i = 0; is_json && i < sizeof JSON / sizeof *JSON; i++)
        if (fits(&JSON[i], text, end)) {
            *help = JSON[i].help;
            return JSON[i].what;
        }
    return is_binary(text, end) ? "binary data, such as a protocol buffer" : NULL;
}
