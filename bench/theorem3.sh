#!/bin/sh
# theorem3.sh - measures what doc/theorem3.md shows, and writes its tables:
#     sh bench/theorem3.sh FOLDER-OF-PROGRAMS [SIDE ...]       default 64 128
# The tables replace those of the page when all are complete.
set -eu
programs=$1
shift
page=doc/theorem3.md
{
    # what is written by hand comes first and ends with this line
    sed '/^## Measured$/q' "$page"
    for table in goals exponents; do
        printf '\n### %s\n\n' "theorem3_$table"
        "$programs/theorem3_$table" "$@"
    done
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
