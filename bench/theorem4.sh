#!/bin/sh
# theorem4.sh - measures what doc/theorem4.md shows, and writes its table:
#     [MOST=N] sh bench/theorem4.sh FOLDER-OF-PROGRAMS [SIDE ...]       default 64 128
# MOST bounds c n as -c of the program does, default 4. The table replaces that of the page when it is complete; the last
# line says how long it took.
set -eu
programs=$1
most=${MOST:-4}
shift
test $# -gt 0 || set -- 64 128
page=doc/theorem4.md
start=$(date +%s)
table=$(mktemp)
trap 'rm -f "$table"' EXIT
trap 'exit 1' HUP INT TERM
"$programs"/theorem4_goals -c "$most" -t 1 "$@" >"$table"
{
    # what is written by hand comes first and ends with this line
    sed '/^## Measured$/q' "$page"
    printf '\n'
    cat "$table"
    printf '\nMeasured in %s minutes.\n' $((($(date +%s) - start + 59) / 60))
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
