#!/bin/sh
# The table of doc/trees.md: steps of router trees with each of its trees where copies cost a step, on patterns and matrices.
#     sh bench/trees.sh PROGRAM [COPY [MATRIX..]]
# prints it, for COPY unit (the default) or free; the matrices are those of test/data, and others that are named.
set -eu

program=$1
copy=${2:-unit}
test $# -lt 2 || shift
shift
trees="xy halves spread diag dds auto"
sets=$(mktemp -d)
trap 'rm -rf "$sets"' EXIT

# row NAME SET
row() {
    line=
    for tree in $trees; do
        "$program" route "$2" --router trees --param tree=$tree --copy "$copy" --threads 1 -q >"$sets/report"
        line="$line $(awk '$1 == "steps" { print $2; exit }' "$sets/report")"
    done
    head=$(awk '/^degree/ { print $4 + 0, $8 + 0; for (i = 1; i < NF; i++) if ($i == "bound") print $(i + 1) }' "$sets/report")
    echo "$(echo "$1" | tr ' ' '~')" $head $line | awk '{
        least = $5
        for (i = 5; i <= NF; i++) if ($i < least) least = $i
        text = "|"
        for (i = 1; i <= NF; i++) text = text " " (i > 4 && $i == least ? "**" $i "**" : $i) " |"
        gsub("~", " ", text)
        print text
    }'
}

# pattern NAME OPTIONS..
pattern() {
    name=$1
    shift
    "$program" gen --pattern "$@" -o "$sets/set"
    row "\`$name\`" "$sets/set"
}

echo "| set | d | c | bound | $(echo $trees | sed 's/[a-z]*/`&`/g; s/ / | /g') |"
echo "| --- | ---: | ---: | ---: | $(echo $trees | sed 's/[a-z]*/---:/g; s/ / | /g') |"
for name in uniform worst turning column block hotspot rmat transpose permutation moe scan; do
    pattern $name $name --side 64
done
pattern "broadcast 32 x 32" broadcast --side 32
pattern "uniform, d = 4" uniform --side 64 --degree 4 --congestion 4
pattern "uniform, d = 64" uniform --side 64 --degree 64 --congestion 64
pattern "rmat, c = 256" rmat --side 64 --degree 16 --congestion 256
pattern "worst, d = 16" worst --side 64 --degree 16 --congestion 64
pattern "alltoall 32 x 32" alltoall --side 32 --groups 64
pattern "allgather" allgather --side 64 --groups 64 --stride 64
pattern "moe, 256 experts" moe --side 64 --experts 256 --degree 8 --skew test/data/deepseek-v3.counts --layer 30
pattern "uniform, l = 4, 32 x 32" uniform --side 32 --degree 8 --congestion 32 --per-node 4
for file in test/data/1138_bus.mtx test/data/G8.mtx test/data/adder_dcop_05.mtx test/data/bcsstk09.mtx test/data/delaunay_n10.mtx \
    test/data/lp_e226.mtx test/data/p2p-Gnutella08.txt test/data/plskz362.mtx test/data/west0479.mtx "$@"; do
    "$program" import "$file" -o "$sets/set" -q
    row "$(basename "${file%.*}")" "$sets/set"
done
