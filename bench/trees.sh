#!/bin/sh
# trees.sh - measures the trees of schemes against the number of sources and their degrees, and writes the tables of
# doc/trees.md behind its line "## Measured", which is written by hand up to there, and its pictures:
#     sh bench/trees.sh PROGRAM [ROWS]
# PROGRAM is meshcast. ROWS, a file of rows as measured, is made if it is not there; the default is build/trees.csv.
# Some two minutes on one core.
set -eu
program=$1
rows=${2:-build/trees.csv}
page=doc/trees.md
seeds="1 2 3 4 5"
command -v gnuplot >/dev/null || {
    echo "trees.sh: gnuplot draws the pictures; install it (Debian: gnuplot-nox)" >&2
    exit 1
}
sets=$(mktemp -d)
trap 'rm -rf "$sets"' EXIT
trap 'exit 1' HUP INT TERM

# pick K SEED <SET: the messages of K sources, drawn
pick() {
    awk -v k="$1" -v seed="$2" '
        NR == 1 { print; next }
        /^(#|end)/ { next }
        { message[n++] = $0 }
        END {
            srand(seed)
            for (i = 0; i < k; i++) {
                j = i + int(rand() * (n - i))
                print message[j]
                message[j] = message[i]
            }
        }'
}

# figures: what the program has printed, as steps,links,busiest,peak,header,mean header,mean latency,outcome
figures() {
    awk '
        /^  (steps|cycles)  / { steps = $2 }
        /^  (packet hops|channel crossings)/ { links = $3 }
        /busiest link \+/ { busiest = $7 }
        /^  busiest link  / { busiest = $3 }
        /buffer peak/ { peak = $3 }
        /largest header/ { header = $6 }
        /mean header/ { mean = $6 }
        /latency, mean/ { latency = $3 }
        /deadlock/ { outcome = "deadlock" }
        END {
            printf "%s,%s,%s,%s,%s,%s,%s,%s\n", steps, links, busiest, peak, header, mean, latency,
                outcome == "" ? "delivers" : outcome
        }'
}

# on_machine KIND D K TREE COPY SLOTS CLASSES SEED SET
on_machine() {
    classes=
    test "$7" = 2 || classes="--param classes=$7"
    printf '%s,%s,%s,%s,%s,%s,%s,%s,' "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8"
    { "$program" route "$9" --router trees --param tree="$4" --param slots="$6" $classes --copy "$5" \
        --threads 1 -q 2>&1 || true; } | figures
}

measure() {
    echo "kind,d,sources,tree,copy or ports,slots,classes,seed,steps,links,busiest,peak,header,mean header,latency,outcome"
    for d in 4 16 64; do
        for seed in $seeds; do
            "$program" gen --side 32 --pattern uniform --degree $d --congestion $d --seed "$seed" \
                -o "$sets/all"
            for k in 1 4 16 64 256 1024; do
                pick $k "$seed" <"$sets/all" >"$sets/some"
                for copy in free unit; do
                    for tree in xy vh diag dds min; do
                        on_machine machine $d $k $tree $copy 0 2 "$seed" "$sets/some"
                    done
                done
                test $d-$k = 16-1024 || continue
                for copy in free unit; do
                    for slots in 1 2 4 8 16 32 64; do
                        for tree in xy vh diag dds; do
                            on_machine buffers $d $k $tree $copy $slots 2 "$seed" "$sets/some"
                        done
                        for tree in vh diag dds; do
                            on_machine buffers $d $k $tree $copy $slots 1 "$seed" "$sets/some"
                        done
                    done
                done
            done
        done
    done
    for d in 8 64; do
        for seed in $seeds; do
            "$program" gen --topology mesh:8x8x8 --pattern uniform --degree $d --congestion $d \
                --seed "$seed" -o "$sets/all"
            for k in 1 4 16 64 256 512; do
                for ports in all one; do
                    for tree in vh diag dds min; do
                        printf 'network,%s,%s,%s,%s,,,%s,' $d $k $tree $ports "$seed"
                        "$program" network "$sets/all" --scheme $tree --sources $k --seed "$seed" \
                            --switching store-and-forward --ports $ports --threads 1 -q | figures
                    done
                done
            done
        done
    done
    for d in 8 64; do
        for seed in $seeds; do
            "$program" gen --topology mesh:8x8x8 --pattern uniform --degree $d --congestion $d \
                --seed "$seed" -o "$sets/all"
            for buffer in 4 16; do
                for tree in vh diag:1 diag dds:1 dds min diag:sides dds:sides; do
                    param="--vcs 4"
                    case $tree in
                    *:sides) param="--vcs 4 --param classes=sides" ;;
                    *:1) param="--vcs 1" ;;
                    esac
                    printf 'classes,%s,512,%s,all,%s,,%s,' $d $tree $buffer "$seed"
                    { "$program" network "$sets/all" --scheme "${tree%:*}" $param --flits 4 \
                        --buffer $buffer --switching cut-through --threads 1 -q 2>&1 || true; } | figures
                done
            done
        done
    done
}
mkdir -p "$(dirname "$rows")"
test -s "$rows" || {
    measure >"$rows.new"
    mv "$rows.new" "$rows"
}

# means CONDITION COLUMN: a line for each d, number of sources, cost of copies or ports, and slots, with the mean over seeds
# of each tree in the order of its list
means() {
    awk -F, -v trees="$3" "
        BEGIN { n = split(trees, tree, \" \") }
        NR > 1 && ($1) {
            key = \$2 \" \" \$3 \" \" \$5 \" \" \$6
            if (!(key in seen)) { seen[key] = 1; order[++keys] = key }
            sum[key, \$4] += \$($2); count[key, \$4]++
            if (\$16 == \"deadlock\") stopped[key, \$4]++
        }
        END {
            for (i = 1; i <= keys; i++) {
                line = order[i]
                for (t = 1; t <= n; t++) {
                    k = order[i] SUBSEP tree[t]
                    line = line \" \" (k in stopped ? \"-\" : sprintf(\"%.1f\", sum[k] / count[k]))
                }
                print line
            }
        }" "$rows"
}

# bold HEAD..: lines \"LABEL.. VALUE..\" of which the first N fields are labels, as rows of a table, the least value in bold
table() {
    awk -v labels="$1" '{
        least = ""
        for (i = labels + 1; i <= NF; i++)
            if ($i != "-" && (least == "" || $i + 0 < least)) least = $i + 0
        row = "|"
        for (i = 1; i <= NF; i++) {
            value = $i
            if (i > labels && value != "-" && value + 0 == least) value = "**" value "**"
            row = row " " value " |"
        }
        print row
    }'
}

{
    sed '/^## Measured$/q' "$page"
    echo
    echo "Made by \`sh bench/trees.sh ./meshcast\`: means over five seeds of sets and of sources; the least of a row in bold."
    echo
    echo "Steps on the machine of 32 x 32 nodes, unbounded queues:"
    echo
    echo "| d | sources | copies | \`xy\` | \`vh\` | \`diag\` | \`dds\` | \`min\` |"
    echo "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |"
    means '$1 == "machine"' 9 "xy vh diag dds min" | awk '{ $4 = ""; print }' | table 3
    echo
    echo "The same with all 1024 sources and free copies: links of all trees, trees on the busiest link, packets in the" \
        "fullest node, integers in the largest header and in the mean one on a link:"
    echo
    echo "| d | | \`xy\` | \`vh\` | \`diag\` | \`dds\` | \`min\` |"
    echo "| ---: | --- | ---: | ---: | ---: | ---: | ---: |"
    for column in "10 links" "11 busiest" "12 peak" "13 header" "14 mean"; do
        set -- $column
        means '$1 == "machine" && $3 == 1024 && $5 == "free"' "$1" "xy vh diag dds min" |
            awk -v name="$2" '{ printf "%s %s", $1, name; for (i = 5; i <= NF; i++) printf " %s", (i == 5 && name ~ /busiest|header|mean/) ? "-" : sprintf("%.0f", $i); print "" }'
    done | sort -s -n -k1,1 | table 2
    echo
    echo "Bounded channels, 1024 sources with d = 16: steps, by the slots of a channel, with a class for either side; and the" \
        "runs of five that stop in a deadlock where both sides share one (\`classes=1\`):"
    echo
    echo "| copies | slots | \`xy\` | \`vh\` | \`diag\` | \`dds\` | deadlocks of \`vh\` | of \`diag\` | of \`dds\` |"
    echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    means '$1 == "buffers" && $7 == 2' 9 "xy vh diag dds" | sort -k3,3 -k4,4n >"$sets/steps"
    awk -F, '$1 == "buffers" && $7 == 1 {
            key = $5 " " $6 " " $4
            count[key] += $16 == "deadlock"
        }
        END { for (key in count) print key, count[key] }' "$rows" >"$sets/deadlocks"
    awk 'NR == FNR { count[$1, $2, $3] = $4; next }
        { print $3, $4, $5, $6, $7, $8, count[$3, $4, "vh"], count[$3, $4, "diag"], count[$3, $4, "dds"] }' \
        "$sets/deadlocks" "$sets/steps" | awk '{
            least = $3
            for (i = 3; i <= 6; i++) if ($i + 0 < least + 0) least = $i
            row = "|"
            for (i = 1; i <= NF; i++) row = row " " (i > 2 && i < 7 && $i == least ? "**" $i "**" : $i) " |"
            print row
        }'
    echo
    echo "The network mesh:8x8x8, store-and-forward, messages of one flit: cycles until all are delivered, and the mean latency of a" \
        "message:"
    echo
    echo "| d | sources | ports | cycles \`vh\` | \`diag\` | \`dds\` | \`min\` | latency \`vh\` | \`diag\` | \`dds\` | \`min\` |"
    echo "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    means '$1 == "network"' 9 "vh diag dds min" | awk '{ print $1, $2, $3, $4, $5, $6, $7 }' >"$sets/cycles"
    means '$1 == "network"' 15 "vh diag dds min" | awk '{ print $4, $5, $6, $7 }' >"$sets/latency"
    paste -d' ' "$sets/cycles" "$sets/latency" | awk '{
        row = "| " $1 " | " $2 " | " $3 " |"
        for (from = 4; from <= 8; from += 4) {
            least = $from
            for (i = from; i < from + 4; i++) if ($i + 0 < least + 0) least = $i
            for (i = from; i < from + 4; i++) row = row " " ($i == least ? "**" $i "**" : $i) " |"
        }
        print row
    }'
    echo
    echo "The same network with all 512 sources, cut-through, messages of four flits, by the flits of a virtual channel; cycles; -: some" \
        "of five runs stop in a deadlock:"
    echo
    echo "| d | flits | \`vh\`, 4 channels a link | \`diag\`, 1 | \`diag\`, 4 | \`diag\`, 4, \`classes=sides\` |" \
        "\`dds\`, 1 | \`dds\`, 4 | \`dds\`, 4, \`classes=sides\` | \`min\`, 4 |"
    echo "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    means '$1 == "classes"' 9 "vh diag:1 diag diag:sides dds:1 dds dds:sides min" |
        awk '{ print $1, $4, $5, $6, $7, $8, $9, $10, $11, $12 }' | table 2
} >"$page.new"
mv "$page.new" "$page"

# ratios CONDITION COLUMN TREES: "sources ratio.." to the first tree of the list
ratios() {
    means "$1" "$2" "$3" | awk '{
        first = NF; for (i = 1; i <= NF; i++) if ($i ~ /[.]/) { first = i; break }
        line = $2
        for (i = first; i <= NF; i++) line = line " " $i / $first
        print line
    }'
}
for d in 4 16 64; do
    for copy in free unit; do
        ratios "\$1 == \"machine\" && \$2 == $d && \$5 == \"$copy\"" 9 "vh xy diag dds min" >"$sets/machine-$d-$copy"
    done
done
for d in 8 64; do
    for ports in all one; do
        ratios "\$1 == \"network\" && \$2 == $d && \$5 == \"$ports\"" 15 "vh diag dds min" >"$sets/network-$d-$ports"
    done
done
style='set style line 1 lc rgb "#555555" lw 1.5 pt 0 dt 2
set style line 2 lc rgb "#56B4E9" lw 2 pt 5 ps 0.6
set style line 3 lc rgb "#D55E00" lw 2 pt 7 ps 0.6
set style line 4 lc rgb "#0072B2" lw 2 pt 9 ps 0.7
set style line 5 lc rgb "#009E73" lw 2 pt 11 ps 0.7
set border 3 lc rgb "gray40"
set tics nomirror scale 0.5
set grid ytics lc rgb "gray85" dt solid lw 0.5
set logscale x 2
set xlabel "sources"'
gnuplot <<END
set terminal svg size 980,590 font "sans,12" background "white"
set output "doc/trees-sources.svg"
$style
set multiplot layout 2,3 margins 0.07,0.98,0.10,0.94 spacing 0.05,0.14
set yrange [0.2:1.7]
set xrange [0.8:1400]
set xtics (1, 4, 16, 64, 256, 1024)
do for [c in "free unit"] {
    do for [d in "4 16 64"] {
        set title sprintf("d = %s, %s", d, c eq "free" ? "free copies" : "copies cost a step")
        set ylabel (d eq "4" ? "steps / those of vh" : "")
        file = sprintf("$sets/machine-%s-%s", d, c)
        if (c eq "free") { set xlabel "" } else { set xlabel "sources" }
        if (c eq "free" && d eq "4") { set key bottom left samplen 1.5 } else { set key off }
        plot 1 ls 1 notitle, file using 1:3 with linespoints ls 2 title "xy", \
            file using 1:4 with linespoints ls 3 title "diag", \
            file using 1:5 with linespoints ls 4 title "dds", \
            file using 1:6 with linespoints ls 5 title "min"
    }
}
END
gnuplot <<END
set terminal svg size 980,330 font "sans,12" background "white"
set output "doc/trees-network.svg"
$style
set multiplot layout 1,4 margins 0.07,0.98,0.16,0.88 spacing 0.05,0.1
set yrange [0.5:1.5]
set xrange [0.8:700]
set xtics (1, 4, 16, 64, 512)
do for [d in "8 64"] {
    do for [p in "one all"] {
        set title sprintf("d = %s, %s", d, p eq "one" ? "one port" : "all ports")
        set ylabel (d eq "8" && p eq "one" ? "latency / that of vh" : "")
        file = sprintf("$sets/network-%s-%s", d, p)
        if (d eq "8" && p eq "one") { set key bottom left samplen 1.5 } else { set key off }
        plot 1 ls 1 notitle, file using 1:3 with linespoints ls 3 title "diag", \
            file using 1:4 with linespoints ls 4 title "dds", \
            file using 1:5 with linespoints ls 5 title "min"
    }
}
END
for d in 4 16 64; do
    for column in 11 12; do
        means "\$1 == \"machine\" && \$2 == $d && \$5 == \"free\"" $column "vh diag dds min" |
            awk '{ print $2, $5, $6, $7, $8 }' >"$sets/load-$d-$column"
    done
done
gnuplot <<END
set terminal svg size 980,590 font "sans,12" background "white"
set output "doc/trees-load.svg"
$style
set style line 6 lc rgb "#555555" lw 2 pt 13 ps 0.7
set multiplot layout 2,3 margins 0.07,0.98,0.10,0.94 spacing 0.05,0.14
set xrange [0.8:1400]
set xtics (1, 4, 16, 64, 256, 1024)
set logscale y 2
do for [c in "11 12"] {
    do for [d in "4 16 64"] {
        set title sprintf("d = %s", d)
        set ylabel (d ne "4" ? "" : c eq "11" ? "trees on the busiest link" : "packets in the fullest node")
        set yrange [0.8:(c eq "11" ? 512 : 128)]
        set xlabel (c eq "11" ? "" : "sources")
        file = sprintf("$sets/load-%s-%s", d, c)
        if (c eq "11" && d eq "4") { set key bottom right samplen 1.5 } else { set key off }
        plot (c eq "11" ? 62 : NaN) ls 1 title "longest way", \
            file using 1:2 with linespoints ls 6 title "vh", \
            file using 1:3 with linespoints ls 3 title "diag", \
            file using 1:4 with linespoints ls 4 title "dds", \
            file using 1:5 with linespoints ls 5 title "min"
    }
}
END
for copy in free unit; do
    means "\$1 == \"buffers\" && \$7 == 2 && \$5 == \"$copy\"" 9 "xy vh diag dds" | awk '{ $1 = $2 = $3 = ""; print }' >"$sets/slots-$copy"
done
gnuplot <<END
set terminal svg size 760,330 font "sans,12" background "white"
set output "doc/trees-buffers.svg"
$style
set style line 6 lc rgb "#555555" lw 2 pt 13 ps 0.7
set multiplot layout 1,2 margins 0.10,0.98,0.16,0.88 spacing 0.09,0.1
set logscale y 2
set xlabel "slots of a channel"
set xrange [0.9:80]
set xtics (1, 2, 4, 8, 16, 32, 64)
do for [c in "free unit"] {
    set title (c eq "free" ? "free copies" : "copies cost a step")
    set ylabel (c eq "free" ? "steps" : "")
    file = "$sets/slots-" . c
    if (c eq "free") { set key top right samplen 1.5 } else { set key off }
    plot file using 1:2 with linespoints ls 2 title "xy", file using 1:3 with linespoints ls 6 title "vh", \
        file using 1:4 with linespoints ls 3 title "diag", file using 1:5 with linespoints ls 4 title "dds"
}
END
echo "$page and its pictures are new"
