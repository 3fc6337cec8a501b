#!/bin/sh
# theorem3.sh - measures what doc/theorem3.md shows, and writes its tables:
#     sh bench/theorem3.sh FOLDER-OF-PROGRAMS [SIDE ...]
# The sides are those of the goals and exponents. Two processes of one thread each; how long that
# takes stands in doc/theorem3.md. The tables replace those of the page when all are complete.
set -eu
programs=$1
shift
page=doc/theorem3.md
tables=$(mktemp -d)
goals=
trap 'test -z "$goals" || kill "$goals" 2>/dev/null; rm -rf "$tables"' EXIT

"$programs"/theorem3_goals -t 1 "$@" >"$tables/goals" &
goals=$!
"$programs"/theorem3_left >"$tables/left"
"$programs"/theorem3_seeds >"$tables/seeds"
"$programs"/theorem3_exponents -t 1 "$@" >"$tables/exponents"
wait "$goals"
goals=
{
    # what is written by hand comes first and ends with this line
    sed '/^## Measured$/q' "$page"
    for table in goals exponents left seeds; do
        printf '\n### %s\n\n' "theorem3_$table"
        cat "$tables/$table"
    done
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
