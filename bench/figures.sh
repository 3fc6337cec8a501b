#!/bin/sh
# figures.sh - reports which figures of bench/speed have fallen by half since bench/figures.txt was written:
#     sh bench/figures.sh FOLDER-OF-PROGRAMS [new]
# A figure is a rate divided by the rate of a bare loop in the same run, of one thread on 256 x 256 nodes, the median of three.
# With `new` the file is written anew. A minute on two quiet cores.
set -eu
programs=$1
file=bench/figures.txt
now=$(mktemp)
trap 'rm -f "$now"' EXIT
trap 'exit 1' HUP INT TERM
"$programs"/speed regular greedy routers -1 -r 3 256 | awk -F ' *\\| *' -v OFS='\t' '
    $2 == "work" || $2 == "set" || $2 == "router" { table = $2; next }
    NF < 9 || $2 ~ /^-/ { next }
    table == "work" && $4 == 1 { print $2, $9 + 0; sub(".* ", "", $8); loop = $8 }
    table == "set" && $4 == 1 { printf "%s of %s x %s\t%.3g\n", $2, $3, $3, $8 / $10 }
    table == "router" { printf "route %s\t%.3g\n", $2, $4 / $5 / loop }' >"$now"
if [ "${2:-}" = new ]; then
    cp "$now" "$file"
    echo "$file is new"
    exit
fi
awk -F '\t' '
    NR == FNR { then[$1] = $2; next }
    $1 in then && 2 * $2 <= then[$1] { fallen++; print "fallen by half: " $1 ", " then[$1] " to " $2 }
    END { print FNR " figures, " fallen + 0 " fallen by half since bench/figures.txt" }' "$file" "$now"
