#!/bin/sh
# run.sh - measures what doc/bench.md shows, and writes it: sh bench/run.sh FOLDER-OF-PROGRAMS
# About half an hour on two cores; goals.c and speed.c say what is measured.
set -eu
programs=$1
page=doc/bench.md
{
    cat bench/preface.md
    echo
    echo "## Steps and buffers of \`replicate\`"
    echo
    "$programs"/goals
    echo
    echo "## Kernels beneath it"
    echo
    "$programs"/kernels
    echo
    echo "## Whole routes, timed"
    echo
    "$programs"/speed 1024 3
} >"$page.new"
mv "$page.new" "$page"
echo "$page is new"
