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
once=$(mktemp) # each run's first row
trap 'rm -f "$once"' EXIT
trap 'exit 1' HUP INT TERM
awk -F, '!seen[$1, $2, $3]++' "$rows" >"$once"

# table CAPTION CONDITION: the rows for which the condition holds, $2 the side and $3 the congestion
table() {
    echo
    echo "$1"
    echo
    echo "| router | m | c | steps | hops of packets | of words | seconds | ns a hop |" \
        "µs a delivery | bytes a node | a delivery |"
    echo "|---|---|---|---|---|---|---|---|---|---|---|"
    awk -F, "NR > 1 && ($2) {
        printf \"| \`%s\` | %d | %d | %d | %.2e | %.2e | %.3g | %.2g | %.2f | %.0f | %.0f |\\n\",
            \$1, \$2, \$3, \$6, \$7, \$8, \$9, \$10, 1e6 * \$9 / \$5, \$11, \$12 }" "$once"
}
{
    sed '/^## Measured$/q' "$page"
    table "c = 16, by the side of the mesh:" '$3 == 16'
    table "256 x 256, by c:" '$2 == 256'
} >"$page.new"
mv "$page.new" "$page"

echo "$page is new"
