#!/bin/sh
# growth.sh - measures how time and memory grow and writes doc/growth.md:
#     sh bench/growth.sh FOLDER-OF-PROGRAMS [ROWS]
# ROWS, a file of rows that bench/growth.c has printed, is made if it is not there; the default is
# build/growth.csv. The page up to its line "## Measured" is written by hand and kept.
set -eu
programs=$1
rows=${2:-build/growth.csv}
page=doc/growth.md
mkdir -p "$(dirname "$rows")"
test -s "$rows" || "$programs"/growth >"$rows"

# table CAPTION COLUMN FORMAT: a row per router, with that column of its runs
table() {
    printf '\n%s\n\n' "$1"
    awk -F, -v column="$2" -v format="$3" '
        BEGIN {
            runs = split("64,16 128,16 256,16 512,16 256,1 256,4 256,64", run, " ")
            print "| router | m = 64 | 128 | 256 | 512 | c = 1 | 4 | 64 |"
            print "|---|---|---|---|---|---|---|---|"
        }
        NR > 1 && !(($1, $2 "," $3) in value) {
            if (!($1 in is_known)) router[++routers] = $1
            is_known[$1]
            value[$1, $2 "," $3] = $column
        }
        END {
            for (i = 1; i <= routers; i++) {
                printf "| `%s`", router[i]
                for (j = 1; j <= runs; j++)
                    printf " | %s", (router[i], run[j]) in value ? sprintf(format, value[router[i], run[j]]) : "-"
                print " |"
            }
        }' "$rows"
}
{
    sed '/^## Measured$/q' "$page"
    table "Seconds of processor time:" 9 "%.2g"
    table "Nanoseconds per hop:" 10 "%.2g"
    table "Bytes per node:" 11 "%d"
} >"$page.new"
mv "$page.new" "$page"

echo "$page is new"
