#!/bin/sh
# staged_install.sh - installs into a folder, uses what is there as a stranger would, takes it away.
#
# Both examples are built from the installed files alone, by pkg-config, with the shared and with the
# static library, and must print what the installed program counts. MESHCAST_MAKE is the make with the
# options of this build, MESHCAST_SANITIZE its sanitizers. The first thing that is wrong ends it.
set -eu
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cc=${CC:-cc} sanitize=${MESHCAST_SANITIZE:-}

fail() {
    echo "staged install: $*" >&2
    exit 1
}

run_make() { # the tests' own make is none of its business
    MAKEFLAGS='' MFLAGS='' MAKELEVEL='' ${MESHCAST_MAKE:-make} --no-print-directory \
        DESTDIR="$stage" PREFIX=/opt/mesh "$@" >"$stage/make.log" 2>&1 || {
        cat "$stage/make.log" >&2
        fail "make $* failed"
    }
}

# a build without what it needs says how that is installed
lacking=$(MAKEFLAGS='' MFLAGS='' MAKELEVEL='' ${MESHCAST_MAKE:-make} CC=no-compiler BUILD="$stage/lacking" \
    "$stage/lacking/base/decimal.o" 2>&1) && fail "a compiler that is missing compiled"
case $lacking in
*"Missing, by their Debian names: gcc libc6-dev "*"make dependencies"*) ;;
*) fail "what is missing is not told: $lacking" ;;
esac

run_make install
root=$stage/opt/mesh
for file in bin/meshcast include/meshcast.h lib/libmeshcast.a lib/libmeshcast.so \
    lib/libmeshcast.so.0 lib/pkgconfig/meshcast.pc share/man/man1/meshcast.1 share/man/man1/meshcast-route.1 \
    share/man/man3/meshcast.3 share/man/man5/meshcast-set.5 \
    share/bash-completion/completions/meshcast share/zsh/site-functions/_meshcast \
    share/fish/vendor_completions.d/meshcast.fish share/doc/meshcast/route_example.c \
    share/doc/meshcast/own_router_example.c share/doc/meshcast/plugin_example.c \
    share/doc/meshcast/library.md; do
    [ -s "$root/$file" ] || fail "$file is not there, or empty"
done
for header in library/meshcast*.h; do
    [ -s "$root/include/${header##*/}" ] || fail "$header is not installed"
done

# the Python module finds the library that was installed with it, as the system's loader does
module=$(dirname "$root"/lib/python3*/dist-packages/meshcast.py)
[ -s "$module/meshcast.py" ] || fail "the Python module is not there, or empty"
python=/usr/bin/python3
[ -x "$python" ] || python=python3
[ -n "$sanitize" ] || env -u MESHCAST_LIBRARY PYTHONPATH="$module" LD_LIBRARY_PATH="$root/lib" PYTHONDONTWRITEBYTECODE=yes "$python" -c '
import meshcast
assert meshcast.route(meshcast.Set.generate("uniform", side=4), "trees").missing == 0' ||
    fail "the Python module does not find its library"

# the version is one everywhere
version=$("$root/bin/meshcast" --version)
export PKG_CONFIG_PATH="$root/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage"
[ "$version" = "meshcast $(pkg-config --modversion meshcast)" ] || fail "versions differ: $version"
grep -q "^meshcast (${version#meshcast }) " debian/changelog || fail "debian/changelog is not of $version"
[ -e "$root/lib/libmeshcast.so.${version#meshcast }" ] || fail "the library is not of $version"

# the library's name has the number of its interface
abi=$(sed -n 's/^#define MESHCAST_ABI //p' "$root/include/meshcast.h")
readelf -W -d "$root/lib/libmeshcast.so" | grep -q "SONAME.*\[libmeshcast.so.$abi\]" ||
    fail "the library's name is not of MESHCAST_ABI $abi"

# what the library shows are the functions of the headers, all of them but the one that a plugin has
cat "$root"/include/meshcast*.h | grep -o '\bmeshcast_[a-z0-9_]*(' | tr -d '(' | sort -u |
    grep -v '^meshcast_plugin$' >"$stage/functions"
[ "$(wc -l <"$stage/functions")" -gt 60 ] || fail "the headers have too few functions"
nm -D --defined-only "$root/lib/libmeshcast.so" | awk '{ print $3 }' | grep '^meshcast_' | sort |
    diff - "$stage/functions" >"$stage/differing" ||
    fail "library and headers differ: $(cat "$stage/differing")"

# nothing is shown besides
shown() { nm "$@" | awk 'NF == 3 && $3 !~ /^meshcast_/ && $3 !~ /^_/ { print $3 }'; }
[ -z "$(shown -D --defined-only "$root/lib/libmeshcast.so")" ] || fail "the library shows too much"
[ -n "$sanitize" ] || [ -z "$(shown -g --defined-only "$root/lib/libmeshcast.a")" ] ||
    fail "the static library shows too much"

# what changes while it runs belongs to a handle; the library's own variables are what the whole process has once: the plugins
# that options name, what the program says of its own commands, temporary files, signals and cores, and the memory in use (its credit is initialised)
variables=$(size -A "$root/lib/libmeshcast.a" | awk '$1 ~ /^\.t?data$/ && $2 > 8'
    nm "$root/lib/libmeshcast.a" | awk '$2 ~ /^[bBC]$/ && $3 !~ /^(plugins|plugin_count|watch_.*|store_of_program|.*_signals|signal_is_.*|shared_cores|account|reserved|was_refused|commands_of_program|is_short)$/')
[ -n "$sanitize" ] || [ -z "$variables" ] || fail "the library has variables: $variables"

# the program and the library are hardened: the linker's tables are read-only before main(), the stack
# is watched, and what the C library can check of sizes it checks; the program may lie anywhere
for file in bin/meshcast lib/libmeshcast.so; do
    readelf -W -l -d "$root/$file" >"$stage/elf"
    grep -q GNU_RELRO "$stage/elf" || fail "$file: no RELRO"
    grep -q 'FLAGS_1.* NOW' "$stage/elf" || fail "$file: no immediate binding"
    ! grep -q 'GNU_STACK.*E ' "$stage/elf" || fail "$file: a stack that can be executed"
    readelf -W --dyn-syms "$root/$file" >"$stage/symbols"
    grep -q __stack_chk_fail "$stage/symbols" || fail "$file: the stack is not watched"
    [ -z "${MESHCAST_FORTIFY:-}" ] || grep -q '__[a-z]*printf_chk' "$stage/symbols" ||
        fail "$file: not fortified"
    needed=$(sed -n 's/.*NEEDED.*\[\(lib[a-z]*\).*/\1/p' "$stage/elf")
    case $file:$needed in
    bin/*) grep -q 'FLAGS_1.* PIE' "$stage/elf" || fail "$file: not position-independent" ;;
    lib/*lapack* | lib/*arpack* | lib/*blas* | lib/*gfortran*) fail "$file needs too much" ;;
    esac
done

# each header is C99 and C++ and stands alone
for header in "$root"/include/meshcast*.h; do
    for language in 'c -std=c99' 'c++ -std=c++11'; do
        # shellcheck disable=SC2086
        echo "#include <${header##*/}>" | $cc -x $language -pedantic -Wall -Wextra -Werror \
            -fsyntax-only -I"$root/include" - || fail "${header##*/} is not $language"
    done
done

# shellcheck disable=SC2046,SC2086
build() { # NAME LIBRARIES
    name=$1
    shift
    $cc -std=c11 -Wall -Wextra -Werror $sanitize $(pkg-config --cflags meshcast) \
        "$root/share/doc/meshcast/$name.c" -o "$stage/$name" "$@" || fail "$name does not build"
}
run() { LD_LIBRARY_PATH="$root/lib" "$stage/$1" || fail "$1 ended with status $?"; }

# shellcheck disable=SC2046
build route_example $(pkg-config --libs meshcast)
# shellcheck disable=SC2046
build own_router_example $(pkg-config --libs meshcast)
run route_example >"$stage/route.shared"
run own_router_example >"$stage/own.shared"
# shellcheck disable=SC2046
static=$(pkg-config --static --libs meshcast | sed 's/-lmeshcast/-l:libmeshcast.a/')
# shellcheck disable=SC2086
build route_example $static
# shellcheck disable=SC2086
build own_router_example $static
run route_example | cmp - "$stage/route.shared" || fail "the static library gives something else"
run own_router_example | cmp - "$stage/own.shared" || fail "the static library gives something else"

# the examples say what the program says
{
    echo 'mcast 1 8 8'
    node=0
    while [ $node -lt 64 ]; do
        echo "$node 0 7 56 63"
        node=$((node + 1))
    done
} >"$stage/corners.mcast"
steps=$("$root/bin/meshcast" route "$stage/corners.mcast" --router replicate --seed 7 \
    --param variant=paper --json | sed -n 's/^  "steps": \([0-9]*\),$/\1/p')
grep -q "^$steps steps, " "$stage/route.shared" || fail "route_example: expected $steps steps"
"$root/bin/meshcast" gen --side 32 --pattern uniform --degree 8 --seed 1 -o "$stage/uniform.mcast"
steps=$("$root/bin/meshcast" route "$stage/uniform.mcast" --router trees --json |
    sed -n 's/^  "steps": \([0-9]*\),$/\1/p')
grep -q "^trees  *$steps steps, " "$stage/own.shared" || fail "own_router_example: $steps steps"

# the manual names every function, and its own example prints what it says
page=$root/share/man/man3/meshcast.3
while read -r function; do
    grep -q "\b$function\b" "$page" || fail "meshcast(3) does not name $function"
done <"$stage/functions"
example() { # NUMBER
    awk -v wanted="$1" '/^\.EE/ { on = 0 } on == wanted { print } /^\.EX/ { on = ++count }' "$page" |
        sed 's/\\e/\\/g'
}
example 1 >"$root/share/doc/meshcast/page_example.c"
# shellcheck disable=SC2046
build page_example $(pkg-config --libs meshcast)
rm "$root/share/doc/meshcast/page_example.c"
example 2 >"$stage/page.expected"
run page_example | cmp - "$stage/page.expected" || fail "meshcast(3): the example prints more"

# so does each example of the page of the library, which is a block of C and one of what it prints
page=$root/share/doc/meshcast/library.md
block() { # LANGUAGE NUMBER
    awk -v mark="^\`\`\`$1\$" -v wanted="$2" '/^```$/ { on = 0 } on == wanted { print }
        $0 ~ mark { on = ++count }' "$page"
}
examples=$(grep -c '^```c$' "$page")
[ "$examples" -ge 4 ] || fail "library.md has $examples examples"
number=1
while [ $number -le "$examples" ]; do
    block c $number >"$root/share/doc/meshcast/page_example.c"
    # shellcheck disable=SC2046
    build page_example $(pkg-config --libs meshcast)
    block text $number >"$stage/page.expected"
    run page_example | cmp - "$stage/page.expected" ||
        fail "library.md, example $number prints something else"
    number=$((number + 1))
done
rm "$root/share/doc/meshcast/page_example.c"

# a plugin that is built from what is installed runs in the program that is installed
# shellcheck disable=SC2046
$cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -o "$stage/tour.so" $(pkg-config --cflags meshcast) \
    "$root/share/doc/meshcast/plugin_example.c" || fail "plugin_example does not build"
"$root/bin/meshcast" route "$stage/uniform.mcast" --router "$stage/tour.so" -q >"$stage/tour" ||
    fail "the plugin does not run"

# so it does where the library was loaded for one user alone, as interpreters load it
cat >"$stage/local.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **word)
{
    void *library = count < 3 ? NULL : dlopen(word[1], RTLD_NOW | RTLD_LOCAL);
    void *symbol = library == NULL ? NULL : dlsym(library, "meshcast_router_load");
    void *(*load)(const char *path, void *error) = NULL;
    *(void **)&load = symbol;
    return load == NULL || load(word[2], NULL) == NULL;
}
END
# shellcheck disable=SC2086
$cc $sanitize "$stage/local.c" -o "$stage/local" || fail "a program that loads the library does not build"
ASAN_OPTIONS=detect_leaks=0 "$stage/local" "$root/lib/libmeshcast.so.$abi" "$stage/tour.so" ||
    fail "a library that is loaded for one user loads no plugin"

# a folder with blanks and more in its name, beside a file that is not ours
mkdir -p "$stage/opt"
echo ours >"$stage/opt/odd"
run_make install PREFIX='/opt/odd & |name'
grep -q '^prefix=/opt/odd & |name$' "$stage/opt/odd & |name/lib/pkgconfig/meshcast.pc" ||
    fail "the description does not name the folder"
run_make uninstall PREFIX='/opt/odd & |name'
[ "$(cat "$stage/opt/odd")" = ours ] || fail "a file that was there is not"
rm "$stage/opt/odd"

# the program for MPI goes, too, though this make does not build it
touch "$root/bin/meshcast-mpi"
run_make uninstall
left=$(find "$stage/opt" -type f -o -type l)
[ -z "$left" ] || fail "uninstall left $left"

# without a compiler for MPI make says which packages have one
if run=$(MAKEFLAGS='' MFLAGS='' MAKELEVEL='' ${MESHCAST_MAKE:-make} all MPI=1 MPICC="$stage/nothing" 2>&1); then
    fail "make MPI=1 finds a compiler that is not there"
fi
