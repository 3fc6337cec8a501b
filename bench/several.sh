#!/bin/sh
# several.sh - routes sets in which nodes send several messages, and prints the table of doc/several.md:
#     sh bench/several.sh PROGRAM [ROWS]
# PROGRAM is meshcast. ROWS, a file of rows as measured, a run each, is made if it is not there; the default is
# build/several.csv. A set is l sets of a pattern with seeds 1 to l, one behind the other. Variables say more:
#     SIDES="32 64" L="4 16" CONGESTION=4 PATTERNS="uniform .." ROUTERS="trees .." COPY=free JOBS=8
# JOBS runs go at once; SIDES is 64, L "4 16" and JOBS 1 by default, which takes a quarter of an hour.
set -eu
patterns="uniform worst hotspot block broadcast rmat turning column moe scan permutation transpose bitreverse"
routers="replicate stream random expander trees unicast circulate"

# set_of PROGRAM SIDE L PATTERN FILE
set_of() {
    for seed in $(seq "$3"); do
        "$1" gen --side "$2" --pattern "$4" --congestion "${CONGESTION:-4}" --seed "$seed" 2>/dev/null |
            grep -v '^[m#]'
    done >"$5.messages"
    { echo "mcast 2 mesh $2 $2"; cat "$5.messages"; echo "end $(wc -l <"$5.messages")"; } >"$5"
    rm "$5.messages"
}

# row PROGRAM SETS SIDE L PATTERN ROUTER
row() {
    { "$1" route "$2/$5-$3-$4" --router "$6" --copy "${COPY:-free}" --threads 1 -q 2>&1 || true; } |
        awk -v run="$3,$4,$5,$6" '
        /^degree d = / { split($0, part, ", "); sub(/.* /, "", part[2]); c = part[2] }
        /, lower bound / { bound = $0; sub(/.*lower bound /, "", bound); sub(/ .*/, "", bound) }
        / run as / { as = $0; sub(/.* run as /, "", as); sub(/[, ].*/, "", as) }
        /^  steps  / { steps = $2; sync = $0 ~ /of which/ ? $5 : 0 }
        /^  buffer peak/ { peak = $3 }
        /^  delivered/ { missing = $3 }
        END { printf "%s,%s,%s,%s,%s,%s,%s,%s\n", run, c, bound, steps - sync, sync, peak, as,
              missing == "0" ? "delivers" : "fails" }'
}

# The table of the rows in a file: steps without synchronisation, the fewest in bold.
table() {
    awk -F, '
        NR == 1 { next }
        !($4 in known) { known[$4] = 1; router[++routers] = $4 }
        !(($1, $2, $3) in bound) { set[++sets] = $1 SUBSEP $2 SUBSEP $3 }
        {
            congestion[$1, $2, $3] = $5
            bound[$1, $2, $3] = $6
            steps[$1, $2, $3, $4] = $11 == "delivers" ? $7 : $11
            mark[$1, $2, $3, $4] = $10 == "" || $10 == $4 ? "" : " (" $10 ")"
            if ($11 == "delivers" && (!(($1, $2, $3) in least) || $7 + 0 < least[$1, $2, $3]))
                least[$1, $2, $3] = $7 + 0
        }
        END {
            printf "| side | pattern | l | c | lower bound |"
            for (r = 1; r <= routers; r++) printf " `%s` |", router[r]
            printf "\n| --- | --- | --- | --- | --- |"
            for (r = 1; r <= routers; r++) printf " --- |"
            print ""
            for (s = 1; s <= sets; s++) {
                split(set[s], of, SUBSEP)
                printf "| %s | `%s` | %s | %s | %s |", of[1], of[3], of[2], congestion[set[s]], bound[set[s]]
                for (r = 1; r <= routers; r++) {
                    figure = steps[set[s], router[r]]
                    bold = figure == least[set[s]] ? "**" : ""
                    printf " %s%s%s%s |", bold, figure == "" ? "-" : figure, bold, mark[set[s], router[r]]
                }
                print ""
            }
        }' "$1"
}

if [ "$1" = --row ]; then
    shift
    row "$@"
    exit
fi
program=$1
rows=${2:-build/several.csv}
if [ ! -e "$rows" ]; then
    sets=$(mktemp -d)
    trap 'rm -rf "$sets"' EXIT
    trap 'exit 1' HUP INT TERM
    for side in ${SIDES:-64}; do
        for l in ${L:-4 16}; do
            for pattern in ${PATTERNS:-$patterns}; do
                set_of "$program" "$side" "$l" "$pattern" "$sets/$pattern-$side-$l"
                for router in ${ROUTERS:-$routers}; do
                    echo "$program $sets $side $l $pattern $router"
                done
            done
        done
    done >"$sets/runs"
    # each run writes its row in one piece; rows then come in the order of the runs
    xargs -P "${JOBS:-1}" -L 1 sh "$0" --row <"$sets/runs" >"$sets/rows"
    {
        echo side,l,pattern,router,c,bound,steps,sync,peak,as,outcome
        awk -F'[ ,]' -v OFS=, 'NR == FNR { row[$1, $2, $3, $4] = $0; next } { print row[$3, $4, $5, $6] }' \
            "$sets/rows" "$sets/runs"
    } >"$sets/all"
    mv "$sets/all" "$rows"
fi
table "$rows"
