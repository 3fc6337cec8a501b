#!/bin/sh
# races.sh PROGRAM - every router and some kernels with three threads, in a program built with the thread sanitizer
# (`make races`). A race is a failure; it is on standard error.
set -u
program=$1 failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TSAN_OPTIONS='ignore_noninstrumented_modules=1 halt_on_error=1'

check() {
    "$program" "$@" --threads 3 --quiet >/dev/null || { echo "failed: $*" >&2 && failed=1; }
}

"$program" gen --side 40 --pattern uniform --congestion 4 --seed 1 -o "$folder/set"
for router in replicate random stream circulate unicast expander trees; do
    check route "$folder/set" --router $router
    check route "$folder/set" --router $router --copy free --trace "$folder/trace"
done
for kernel in sort prefix broadcast route migrate; do check kernel $kernel --side 32; done
check network "$folder/set" --scheme dual
check expander check --inputs 512 --c 300 --r 4
exit $failed
