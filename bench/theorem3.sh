#!/bin/sh
# theorem3.sh - measures what doc/theorem3.md shows, and writes its tables:
#     [MOST=N] sh bench/theorem3.sh FOLDER-OF-PROGRAMS [SIDE ...]       default 64 128 256
# MOST bounds c n as -c of the programs does, default 64; 256 takes several times as long.
# The sides are those of the goals and exponents, the largest last. Two processes of one thread each
# at a time: the goals of the largest side, and all the rest. The tables replace those of the page
# when all are complete; its last line says how long they took.
set -eu
programs=$1
most=${MOST:-64}
shift
test $# -gt 0 || set -- 64 128 256
smaller=
largest=
for side; do
    smaller="$smaller $largest"
    largest=$side
done
page=doc/theorem3.md
start=$(date +%s)
tables=$(mktemp -d)
: >"$tables/smaller"
goals=
trap 'test -z "$goals" || kill "$goals" 2>/dev/null; rm -rf "$tables"' EXIT
trap 'exit 1' HUP INT TERM

"$programs"/theorem3_goals -c "$most" -t 1 "$largest" >"$tables/largest" &
goals=$!
"$programs"/theorem3_goals -t 1 -m >"$tables/matrices"
for side in $smaller; do
    "$programs"/theorem3_goals -c "$most" -t 1 "$side" | tail -n +3 >>"$tables/smaller"
done
"$programs"/theorem3_left >"$tables/left"
for large in "128 16" "128 64" "128 256" "256 16"; do
    "$programs"/theorem3_left -n 1 -c "${large#* }" "${large% *}" | tail -n +3 >>"$tables/left"
done
"$programs"/theorem3_seeds >"$tables/seeds"
"$programs"/theorem3_exponents -c "$most" -t 1 "$@" >"$tables/exponents"
wait "$goals"
goals=
{
    head -n 2 "$tables/largest"
    cat "$tables/smaller"
    tail -n +3 "$tables/largest"
    tail -n +3 "$tables/matrices"
} >"$tables/goals"
{
    # what is written by hand comes first and ends with this line
    sed '/^## Measured$/q' "$page"
    for table in goals exponents left seeds; do
        printf '\n### %s\n\n' "theorem3_$table"
        cat "$tables/$table"
    done
    printf '\nMeasured in %s minutes.\n' $((($(date +%s) - start + 59) / 60))
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
