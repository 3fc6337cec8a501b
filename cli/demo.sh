#!/bin/sh
# demo.sh - a first look at meshcast: makes a sparse matrix, imports it, compares all routers, and
# sends the same messages over the network of flits.
#
#     sh cli/demo.sh PROGRAM
#
# The matrix is that of a circuit or a heat problem on a SIDE x SIDE grid (each unknown coupled with
# its four neighbours) in which a few unknowns, as a supply net would, meet every EVERY-th of all.
# It needs no network and leaves its files in build/demo. The two sentences at the end are made of
# the figures of this run.
set -eu
program=$1
side=64 hubs=12 every=32
folder=build/demo
mkdir -p "$folder"

awk -v side=$side -v hubs=$hubs -v every=$every '
function put(row, col) { # the lower triangle, each entry once
    if (row < col) { put(col, row); return }
    if (!((row, col) in seen)) { seen[row, col]; entry[++count] = row " " col }
}
BEGIN {
    unknowns = side * side
    for (v = 1; v <= unknowns; v++) {
        put(v, v)
        if (v % side != 1) put(v, v - 1)
        if (v > side) put(v, v - side)
    }
    for (h = 1; h <= hubs; h++)
        for (v = h; v <= unknowns; v += every) put(int(unknowns * (h - 0.5) / hubs), v)
    print "%%MatrixMarket matrix coordinate pattern symmetric"
    print unknowns, unknowns, count
    for (i = 1; i <= count; i++) print entry[i]
}' >"$folder/grid.mtx"

run() {
    echo
    echo "\$ ./meshcast $*"
    "$program" "$@"
}

cat <<TEXT

A sparse matrix A: a $side x $side grid of unknowns, $hubs of them hubs. For y = A x each processor of
a mesh owns one x and one y; its x must reach every processor whose row of A uses it. That is one
multicast message a processor. How many steps does the mesh need, and how much buffer space?
TEXT
run import "$folder/grid.mtx" -o "$folder/grid.mcast"
run info "$folder/grid.mcast"
run compare "$folder/grid.mcast" >"$folder/table" || { cat "$folder/table"; exit 1; }
cat "$folder/table"

echo
awk '
/lower bound/ { for (i = 1; i < NF; i++) if ($i == "bound") bound = $(i + 1) }
NF == 8 && $2 ~ /^[0-9]+$/ {
    if (fastest == "" || $2 + 0 < steps[fastest]) fastest = $1
    steps[$1] = $2 + 0; buffer[$1] = $6 + 0
    if (leanest == "" || $6 + 0 < buffer[leanest]) leanest = $1
}
END {
    if (fastest == "") exit 1
    printf "What this shows: no router can do this in fewer than %d steps; the fastest here, %s,\n" \
           "took %d, and its fullest node held %d packets at once.\n", \
           bound, fastest, steps[fastest], buffer[fastest]
    if (leanest == fastest)
        printf "No other router here made do with less buffer space either.\n"
    else
        printf "The least buffer space, %d packets a node, was that of %s, which took %d steps,\n" \
               "%.1f times as many: time and buffer space are traded for each other.\n", \
               buffer[leanest], leanest, steps[leanest], steps[leanest] / steps[fastest]
}' "$folder/table"
cat <<TEXT

The same messages on a network as chips have it: worms of 8 flits, a flit a link and cycle, 4 flits of
buffer. A scheme says how a message with several destinations is sent.
TEXT
for scheme in unicast dual u-mesh; do
    run network "$folder/grid.mcast" --scheme $scheme --flits 8 >"$folder/$scheme" ||
        { cat "$folder/$scheme"; exit 1; }
done
cat "$folder/u-mesh"
awk '
/^scheme/ { scheme = $2; sub(/,$/, "", scheme) }
/^  cycles  / { cycles[scheme] = $2 }
/^  startups/ { worms[scheme] = $2 }
/^  lower bound/ { bound = $3 }
END {
    printf "\nThat is what a tree of unicasts takes: %d cycles and %d worms. Unicasts by their source alone\n" \
           "take %d; two worms past all destinations (dual) take %d, but %d worms are enough for them. No\n" \
           "scheme could need fewer than %d cycles.\n", cycles["u-mesh"], worms["u-mesh"], \
           cycles["unicast"], cycles["dual"], worms["dual"], bound
}' "$folder/unicast" "$folder/dual" "$folder/u-mesh"
run route "$folder/grid.mcast" --router trees --quiet --view "$folder/trees.html" >"$folder/trees.txt" ||
    { cat "$folder/trees.txt"; exit 1; }
echo
echo "The run of trees, step by step, is a page for a browser: $folder/trees.html"
echo "Go on with: ./meshcast route $folder/grid.mcast --router replicate"
echo "or with:    ./meshcast network $folder/grid.mcast --scheme u-mesh --flits 8 --startup 100"
