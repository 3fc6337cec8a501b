#!/bin/sh
# theorem4.sh - measures what doc/theorem4.md shows, and writes its tables:
#     [MOST=N] sh bench/theorem4.sh FOLDER-OF-PROGRAMS [SIDE ...]       default 64 128
# MOST bounds c n as -c of the program does, default 16. The guaranteed visits are measured on the first
# side alone, with c n at most a 16th of that. One process of one thread at a time. The tables replace
# those of the page when they are complete; its last line says how long they took.
set -eu
programs=$1
most=${MOST:-16}
shift
test $# -gt 0 || set -- 64 128
page=doc/theorem4.md
start=$(date +%s)
tables=$(mktemp -d)
trap 'rm -rf "$tables"' EXIT
trap 'exit 1' HUP INT TERM
"$programs"/theorem4_goals -c "$most" -t 1 "$@" >"$tables/fast"
"$programs"/theorem4_goals -g -c "$(awk "BEGIN { print $most / 16 }")" -t 1 "$1" >"$tables/guaranteed"
{
    # what is written by hand comes first and ends with this line
    sed '/^## Measured$/q' "$page"
    printf '\n'
    cat "$tables/fast"
    tail -n +3 "$tables/guaranteed"
    printf '\nMeasured in %s minutes.\n' $((($(date +%s) - start + 59) / 60))
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
