#!/bin/sh
# papers.sh - runs the experiments of the literature and writes doc/papers.md with its pictures:
#     [QUICK=1] [ONLY="E1 E3"] [CHOICES="E4.rate=0.01 startup=500"] [THREADS=T] sh papers/papers.sh PROGRAM
# ONLY runs these experiments and takes the parts of the others from the last run (build/papers/whole).
# QUICK=1 runs fewer and shorter points and writes build/papers/quick/papers.md instead of the page.
set -eu
program=$1
parts=build/papers/whole
page=doc/papers.md
flags=
if test -n "${QUICK:-}"; then
    parts=build/papers/quick
    page=$parts/papers.md
    flags=-q
fi
command -v gnuplot >/dev/null || {
    echo "papers.sh: gnuplot draws the pictures; install it (Debian: gnuplot-nox)" >&2
    exit 1
}
for choice in ${CHOICES:-}; do
    flags="$flags -s $choice"
done
mkdir -p "$parts"
# shellcheck disable=SC2086
"$program" $flags ${THREADS:+-t "$THREADS"} "$parts" ${ONLY:-}
"$program" -p papers/page.md "$parts" >"$parts/page.new"
mv "$parts/page.new" "$page"
test "$page" != doc/papers.md || cp "$parts"/papers-*.svg doc/
echo "$page and its pictures are new"
