#!/bin/sh
# expanders.sh - measures what doc/expanders.md shows, and writes its tables:
#     sh bench/expanders.sh PROGRAM
# where PROGRAM is meshcast. The tables replace those of the page when all are complete. About three
# minutes on one core.
set -eu
program=$1
page=doc/expanders.md
tables=$(mktemp -d)
trap 'rm -rf "$tables"' EXIT
trap 'exit 1' HUP INT TERM

# figures OPTION ...: exact, spectral, codegree, polynomials, search, union bound, seconds of a check
figures() {
    "$program" expander check "$@" | awk '
        { sub(/^\*/, " ") }
        $1 ~ /^(exact|counted|spectral|codegree|polynomials|search)$/ { value[$1] = $2 }
        $1 == "union" { value["union"] = $3 }
        $1 == "wall" { value["wall"] = $3 }
        END {
            print value["exact"], value["spectral"], value["codegree"], value["polynomials"],
                value["search"], value["union"], value["wall"], value["counted"]
        }'
}

# medians OPTION ...: the same over the seeds 1 to 5, each figure by itself
medians() {
    for seed in 1 2 3 4 5; do figures "$@" --seed "$seed"; done >"$tables/seeds"
    for field in 1 2 3 4 5 6 7 8; do
        awk -v f=$field '{ print $f }' "$tables/seeds" | sort | sed -n 3p
    done | tr '\n' ' '
}

# row NAME SIZES FIGURES: those of the first table
row() {
    echo "$3" | awk -v name="$1" -v sizes="$2" '{
        random = name ~ /^random/ ? $6 : "explicit"
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", name, sizes, $2, $3, $4, $5, random, $7
    }'
}

{
    echo "| graph | m, c, r | spectral >= | codegree >= | polynomials >= | search <= |" \
        "union, P < 1e-6 | seconds |"
    echo "|---|---|---|---|---|---|---|---|"
    row random "341, 256, 12" "$(medians --inputs 341 --c 256 --r 12)"
    row random "4096, 256, 16" "$(medians --inputs 4096 --c 256 --r 16)"
    for code in "4096 16 16 3" "2048 8 8 4" "4096 16 64 2"; do
        set -- $code
        row "RS q=$3 k=$4" "$1, $(($2 * $3)), $2" \
            "$(figures --inputs "$1" --r "$2" --graph rs --q "$3" --k "$4")"
    done
    for size in "131072 256 16" "131072 4096 4" "131072 4096 16"; do
        set -- $size
        row "random, seed 1" "$1, $2, $3" "$(figures --inputs "$1" --c "$2" --r "$3")"
    done
} >"$tables/bounds"

{
    echo "| m, c, r | exact | spectral >= | codegree >= | union, P < 1e-6 | slowest, seconds |"
    echo "|---|---|---|---|---|---|"
    for r in 3 4 5 6 7 8; do
        for m in 64 256 1024; do
            medians --inputs $m --c 32 --r $r >"$tables/median"
            slowest=$(awk '{ print $7 }' "$tables/seeds" | sort | tail -n 1)
            awk -v sizes="$m, 32, $r" -v slowest="$slowest" '{
                printf "| %s | %s | %s | %s | %s | %s |\n", sizes, $1, $2, $3, $6, slowest
            }' "$tables/median"
        done
    done
} >"$tables/exact"

{
    echo "| c | counted or exact >= | spectral >= | codegree >= | search <= | union, P < 1e-6 |"
    echo "|---|---|---|---|---|---|"
    for c in 16 32 64 128 256 512 1024; do
        figures --inputs 1024 --c $c --r 4 | awk -v c=$c '{
            counted = $1 != "-" ? $1 " exact" : $8
            printf "| %s | %s | %s | %s | %s | %s |\n", c, counted, $2, $3, $5, $6
        }'
    done
} >"$tables/family"

{
    # what is written by hand comes first and ends with this line
    sed '/^## Measured$/q' "$page"
    printf '\n### Bounds\n\nOf random graphs the median of the seeds 1 to 5, each figure by itself.\n\n'
    cat "$tables/bounds"
    printf '\n### Exact values\n\nMedians of the seeds 1 to 5, and the slowest of the five.\n\n'
    cat "$tables/exact"
    printf '\n### One permutation, a family\n\nm = 1024, r = 4, seed 1.\n\n'
    cat "$tables/family"
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
