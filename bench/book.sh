#!/bin/sh
# book.sh - remakes results/*.csv, the pictures of doc/results.md, and the table that it quotes:
#     sh bench/book.sh PROGRAM [quick]
# Every figure is a count of whole runs, whose deliveries are checked; only wall_seconds differ from run to run. `quick`
# leaves out 128 x 128 nodes and writes into build/results, so that nothing of the tree changes.
set -eu
program=$(realpath "$1")
sides=32,64,128 trees_side=64 kernel_sides='16 32 64 128 256' out=results doc=doc
if [ "${2:-}" = quick ]; then
    sides=16,32 trees_side=32 kernel_sides='16 32' out=build/results doc=build/results
fi
mkdir -p build "$out"
db=build/book.db
rm -f $db
trap 'exit 1' HUP INT TERM

# csv COMMAND..: the rows that a command prints, without the line of names after the first
csv() {
    "$program" "$@" --csv -q | if [ -n "${has_names:-}" ]; then sed 1d; else cat; fi
    has_names=1
}

# Routers on patterns; routers whose nodes send several messages; the trees of router `trees`; Theorem 4 without its walk
sweep() {
    "$program" sweep --db $db -q --seed 1 "$@"
}
patterns=uniform,worst,hotspot,block,broadcast,rmat,column,turning
for copy in free unit; do
    sweep --copy $copy --side $sides --congestion 16,64 --pattern $patterns \
        --routers replicate,random,stream,expander,circulate,unicast,trees --param tree=auto
    sweep --copy $copy --side $trees_side --congestion 16,64 --pattern $patterns,moe --routers trees \
        --param tree=xy,halves,spread,diag,dds
done
sweep --copy free --side 32 --congestion 16,64 --per-node 4,16 --pattern uniform,worst,column,turning \
    --routers replicate,random,stream,expander,circulate,unicast,trees
sweep --copy free --side 32 --congestion 16 --pattern uniform,worst,block --routers expander --param walk=0 \
    --param graph=random,rs
csv report $db >"$out/routers.csv"
csv report $db --table fits --routers replicate,random,stream,expander >"$out/fits.csv"
sed -i "1!{/^[a-z]*,rows/d}" "$out/routers.csv"
for what in steps ratio; do
    "$program" report $db --plot $what --copy free --pattern worst --congestion 16,64 \
        --routers replicate,stream,random,expander,unicast -o "$doc/results-$what.svg"
done

# Each router's extremes over the patterns, c and sides
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["ran_as"] == "" && $at["asked_per_node"] <= 1 && $at["parameters"] ~ /^(tree=auto)?$/ && $at["refused"] + $at["failed"] == 0 {
        key = sprintf("%-10s  %-4s", $at["router"], $at["copy"])
        ratio = $at["steps_per_sqrt_cn"]; bound = $at["steps_per_lower_bound"]; peak = $at["buffer_peak_max"] + 0
        sets[key]++
        if (!(key in low) || ratio < low[key]) low[key] = ratio
        if (ratio > high[key]) high[key] = ratio
        if (bound > most[key]) most[key] = bound
        if (peak > packets[key]) packets[key] = peak
    }
    END {
        print "router      copy  sets    /sqrt(cn)     most /bound  buffer peak"
        for (key in low)
            printf "%s  %4d  %5.2f to %5.2f  %10.1f  %11d\n", key, sets[key], low[key], high[key], most[key],
                packets[key] | "sort"
    }' "$out/routers.csv" >"$out/routers.txt"

# Kernels, on their easiest and worst patterns
unset has_names
{
    for side in $kernel_sides; do
        for pattern in random transpose adversary hotcolumn; do
            for kernel in sort prefix broadcast spread pack migrate; do
                [ $pattern != adversary ] || [ $kernel = sort ] || continue
                csv kernel $kernel --side "$side" --pattern $pattern --copy free
            done
            for method in blocks greedy spread; do
                csv kernel route --side "$side" --pattern $pattern --copy free --param method=$method
            done
            csv kernel route --side "$side" --pattern $pattern --copy free --k 4
            csv kernel route --side "$side" --pattern $pattern --copy free --k 16
        done
    done
} >"$out/kernels.csv"

# What is certified of expander graphs
unset has_names
{
    for graph in "1024 16 4" "4096 256 4" "4096 256 16"; do
        set -- $graph
        "$program" expander make --inputs "$1" --c "$2" --r "$3" -o build/book.expander -q
        csv expander check build/book.expander
    done
    for graph in "1024 64 4 16 3" "4096 256 16 16 3"; do
        set -- $graph
        "$program" expander make --inputs "$1" --c "$2" --r "$3" --graph rs --q "$4" --k "$5" -o build/book.expander -q
        csv expander check build/book.expander
    done
} >"$out/expanders.csv"

# Sums (--reduce) beside multicasts of the same sets
unset has_names
{
    for pattern in $(echo $patterns | tr , ' '); do
        "$program" gen --side 32 --pattern "$pattern" --congestion 16 --seed 1 -o "build/$pattern.mcast" -q
        csv compare "build/$pattern.mcast" --routers trees,replicate,circulate --copy free
    done
} >"$out/multicasts.csv"
unset has_names
for pattern in $(echo $patterns | tr , ' '); do
    csv compare "build/$pattern.mcast" --routers trees,replicate,circulate --reduce
done >"$out/sums.csv"
