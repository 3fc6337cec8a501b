#!/bin/sh
# demo.sh - a first look at meshcast: a set that trees suit, one that they do not, and the network of flits.
#
#     sh cli/demo.sh PROGRAM
#
# It needs no network and leaves its files in build/demo. The sentences between the tables are made of the figures of
# this run.
set -eu
program=$1
folder=build/demo
mkdir -p "$folder"

run() { # prints the command, and what it prints
    echo
    echo "\$ ./meshcast $*"
    "$program" "$@" >"$folder/out" || { cat "$folder/out"; exit 1; }
    cat "$folder/out"
}

figure() { # FILE ROW COLUMN: of a router's row in a table of `compare`
    awk -v row="$2" -v column="$3" '$1 == row { print $column }' "$folder/$1"
}

cat <<TEXT

1. Experts. 64 x 64 nodes hold a token each, and every token goes to 8 of 256 experts, which are asked for as often as
those of DeepSeek-V3. That is one multicast message per node. How many steps does a mesh need, and how much buffer?
TEXT
run gen --side 64 --pattern moe --experts 256 --degree 8 --skew test/data/deepseek-v3.counts --layer 30 \
    -o "$folder/experts.mcast"
run compare "$folder/experts.mcast" --copy free --routers unicast,trees,trees:tree=spread,replicate
mv "$folder/out" "$folder/experts"
awk '/lower bound/ { for (i = 1; i < NF; i++) if ($i == "bound" && !bound) bound = $(i + 1) }
     $1 == "trees" { trees = $2 }
     $1 == "trees:tree=spread" { spread = $2 }
     END { printf "\nNo router can take fewer than %d steps. Usual trees take %d; trees that spread the load of the busiest\n" \
                  "experts take %d, %.2f times the bound.\n", bound, trees, spread, spread / bound }' "$folder/experts"

cat <<TEXT

2. A crowded column. The upper half of 128 x 128 nodes sends to the lower half of one column, so shortest ways
crowd into that column.
TEXT
run gen --side 128 --pattern column -o "$folder/column.mcast"
run compare "$folder/column.mcast" --routers unicast,trees,stream,replicate
mv "$folder/out" "$folder/column"
printf '\nreplicate (Theorem 2 of the paper) delivers tile by tile: %d steps instead of the %d of trees.\n' \
    "$(figure column replicate 2)" "$(figure column trees 2)"
printf 'stream (after Theorem 3) holds %d packets per node at most, where trees hold %d.\n' \
    "$(figure column stream 6)" "$(figure column trees 6)"

cat <<TEXT

3. The same experts on a network, as chips have it. 16 x 16 nodes, a flit of 16 bytes per link and cycle; a token has
7168 bytes, which are 448 flits. A scheme says how a message with several destinations is sent.
TEXT
run gen --side 16 --pattern moe --experts 256 --place block --degree 8 --skew test/data/deepseek-v3.counts --layer 30 \
    -o "$folder/dispatch.mcast"
for scheme in "unicast" "dds --param classes=sides"; do
    # shellcheck disable=SC2086 # a scheme may bring its parameter
    run network "$folder/dispatch.mcast" --flits 448 --switching cut-through --buffer 448 --vcs 2 --scheme $scheme
    mv "$folder/out" "$folder/${scheme%% *}"
done
awk '/^scheme/ { scheme = $2; sub(/,$/, "", scheme) }
     /^  cycles  / { cycles[scheme] = $2 }
     /^  channel crossings/ { flits[scheme] = $3 }
     /^  lower bound/ { bound = $3 }
     END { printf "\nAt 1 GHz a cycle is a nanosecond. A worm per destination takes %.1f microseconds, and carries %.0f MB over links;\n" \
                  "a branching tree (dds) takes %.1f, and carries %.0f MB. No scheme can take fewer than %.1f.\n", \
                  cycles["unicast"] / 1000, flits["unicast"] * 16 / 1e6, \
                  cycles["dds"] / 1000, flits["dds"] * 16 / 1e6, bound / 1000 }' "$folder/unicast" "$folder/dds"

run route "$folder/experts.mcast" --router trees --param tree=spread --copy free --quiet --view "$folder/experts.html" \
    >"$folder/trees.txt"
cat <<TEXT

What next:
  open $folder/experts.html in a browser: every step of the first run; type a message's number to see its tree
  ./meshcast compare $folder/column.mcast --best --routers trees,trees:slots=auto,replicate
      the faster one for each buffer capacity
  ./meshcast import test/data/1138_bus.mtx | ./meshcast compare -
      a matrix becomes a message set; all routers on it
  ./meshcast load --topology mesh:8x8 --flits 4 --scheme unicast,column --destinations 8 --multicast-share 0.1 --rate 0.03,0.04
      latency against load on the network, with 10 % multicasts
  ./meshcast
      all commands
README.md answers four questions; doc/tutorial.md goes on from there.
TEXT
