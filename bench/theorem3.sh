#!/bin/sh
# theorem3.sh - measures what doc/theorem3.md shows, and writes its tables:
#     sh bench/theorem3.sh FOLDER-OF-PROGRAMS
# The tables replace those of the page when all are complete.
set -eu
programs=$1
page=doc/theorem3.md
{
    # what is written by hand comes first and ends with this line
    sed '/^## Measured$/q' "$page"
    printf '\n### theorem3_goals\n\n'
    "$programs"/theorem3_goals -c 4 64
    printf '\n### theorem3_exponents\n\n'
    "$programs"/theorem3_exponents 64 128
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
