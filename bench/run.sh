#!/bin/sh
# run.sh - measures what doc/bench.md and the end of doc/kernels.md show, and writes them:
#     sh bench/run.sh FOLDER-OF-PROGRAMS
# and then, by bench/theorem3.sh, the tables of doc/theorem3.md. Two hours on two cores; goals.c,
# kernels.c, speed.c, threads.c and theorem3_*.c say what is measured.
set -eu
programs=$1
# what is written by hand comes first and ends with this line
page=doc/kernels.md
{
    sed '/^## Measured$/q' "$page"
    echo
    "$programs"/kernels
    "$programs"/kernels sort 2048 | tail -n +3
    echo
    "$programs"/speed regular -r 3
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"

page=doc/bench.md
{
    cat bench/preface.md
    echo
    echo "## Steps and buffers of \`replicate\`"
    echo
    "$programs"/goals
    echo
    echo "## Whole routes, timed"
    echo
    "$programs"/speed greedy -r 3
    "$programs"/speed routers -1
    "$programs"/speed memory
    echo
    echo "## Two threads where other programs use the cores"
    echo
    "$programs"/threads
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"

sh bench/theorem3.sh "$programs"
