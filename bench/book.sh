#!/bin/sh
# book.sh - remakes results/: a CSV file per kind of run, the tables that pages quote, and the picture of doc/results.md:
#     sh bench/book.sh PROGRAM [quick]
# Every figure is a count of whole runs, whose deliveries are checked; only wall_seconds differ from run to run. `quick`
# takes smaller meshes and writes into build/results, so that nothing of the tree changes.
set -eu
program=$(realpath "$1")
sides=32,64,128 trees_side=64 kernel_sides='16 32 64 128' out=results pictures=doc placed=
if [ "${2:-}" = quick ]; then
    sides=16,32 trees_side=32 kernel_sides='16 32' out=build/results pictures=build/results
    placed='test/data/1138_bus.mtx 34x34 routes.jsonl 64x64'
fi
mkdir -p build "$out"
trap 'exit 1' HUP INT TERM

# begin FILE: the rows of the next calls of csv go there, below one line of names
begin() {
    file=$out/$1.csv
    : >"$file"
}
csv() {
    "$program" "$@" --csv -q | tr -d '\r' | if [ -s "$file" ]; then sed 1d; else cat; fi >"$file.new"
    cat "$file.new" >>"$file"
    rm "$file.new"
}

# Routers on patterns and the trees of router `trees`; routers whose nodes send several messages; Theorem 4 without its walk
rm -f build/book.db build/book-other.db
sweep() {
    "$program" sweep -q --seed 1 "$@"
}
patterns=uniform,worst,hotspot,block,broadcast,rmat,column,turning
routers=replicate,random,stream,expander,circulate,unicast,trees
for copy in free unit; do
    sweep --db build/book.db --copy $copy --side $sides --congestion 16,64 --pattern $patterns --routers $routers \
        --param tree=auto
    sweep --db build/book.db --copy $copy --side $trees_side --congestion 16,64 --pattern $patterns,moe --routers trees \
        --param tree=xy,halves,spread,diag,dds,shortest,up-down
done
sweep --db build/book-other.db --copy free --side 32 --congestion 16,64 --per-node 4,16 \
    --pattern uniform,worst,column,turning --routers $routers
sweep --db build/book-other.db --copy free --side 32 --congestion 16 --pattern uniform,worst,block --routers expander \
    --param walk=0 --param graph=random,rs
begin routers
csv report build/book.db build/book-other.db
begin fits
csv report build/book.db --table fits --routers replicate,random,stream,expander
"$program" report build/book.db --plot ratio --copy free --pattern worst --congestion 16,64 \
    --routers replicate,stream,random,expander,unicast -o "$pictures/results-ratio.svg"

# Kernels, on four patterns
begin kernels
for side in $kernel_sides; do
    for pattern in random transpose adversary hotcolumn; do
        for kernel in sort prefix broadcast migrate; do
            csv kernel $kernel --side "$side" --pattern $pattern --copy free
        done
        for method in blocks "blocks --buffer 8" greedy spread; do
            # shellcheck disable=SC2086
            csv kernel route --side "$side" --pattern $pattern --copy free --param method=$method
        done
        csv kernel route --side "$side" --pattern $pattern --copy free --k 4
        csv kernel route --side "$side" --pattern $pattern --copy free --k 16
    done
done

# What is certified of expander graphs: inputs, groups, edges per input; of Reed-Solomon graphs also q and k
begin expanders
while read -r inputs groups edges more; do
    # shellcheck disable=SC2086
    "$program" expander make --inputs "$inputs" --c "$groups" --r "$edges" $more -o build/book.expander -q
    csv expander check build/book.expander
done <<'END'
1024 16 4
4096 256 4
4096 256 16
1024 64 4 --graph rs --q 16 --k 3
4096 256 16 --graph rs --q 16 --k 3
END

# Multicasts and sums (--reduce) of the same sets
for way in "--copy free" --reduce; do
    begin "$([ "$way" = --reduce ] && echo sums || echo multicasts)"
    for pattern in $(echo $patterns | tr , ' '); do
        "$program" gen --side 32 --pattern "$pattern" --congestion 16 --seed 1 -o "build/$pattern.mcast" -q
        # shellcheck disable=SC2086
        csv compare "build/$pattern.mcast" --routers trees,replicate,circulate $way
    done
done

# Placements of matrices, graphs, expert routes and spikes
# shellcheck disable=SC2086
python3 bench/place.py "$program" $placed >"$out/place.csv"
python3 bench/tables.py "$out"

# Multicasts on broken meshes, and the picture of doc/broken.md
python3 bench/broken.py "$program" "$out" "$pictures" "${2:-}"
