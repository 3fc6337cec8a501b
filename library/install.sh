#!/bin/sh
# install.sh - puts what users need into $DESTDIR$PREFIX, or takes it away again: one list for both.
#
#     PREFIX= LIBDIR= PYTHONDIR= ZSHDIR= FISHDIR= DESTDIR= VERSION= PRIVATE= RANKS= install.sh PROGRAM BUILD install|uninstall
#
# PYTHONDIR is the folder of the Python module; if it is empty, the one where Debian's Python looks for what is under PREFIX.
# PRIVATE are the libraries that a program needs which takes the static one. Folders that others may
# use stay behind an uninstall. RANKS is the program for ranks of MPI, or empty; an uninstall removes it either way.
set -eu

program=$(realpath "$1") build=$2 action=$3
abi=$(sed -n 's/^#define MESHCAST_ABI //p' library/meshcast.h)
shared=libmeshcast.so.$VERSION
pc=$LIBDIR/pkgconfig/meshcast.pc

# Under /usr one folder serves every version of Python 3, elsewhere each has its own.
python_folder() {
    python=/usr/bin/python3
    [ -x "$python" ] || python=python3
    case $PREFIX in
    /usr) version=python3 ;;
    *) version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])' 2>/dev/null || echo python3) ;;
    esac
    echo "$PREFIX/lib/$version/dist-packages"
}
module=${PYTHONDIR:-$(python_folder)}

# MODE SOURCE TARGET, of files that are copied
files() {
    cat <<END
755 $program $PREFIX/bin/meshcast
644 $build/libmeshcast.a $LIBDIR/libmeshcast.a
755 $build/$shared $LIBDIR/$shared
644 doc/man/meshcast.1 $PREFIX/share/man/man1/meshcast.1
644 doc/man/meshcast.3 $PREFIX/share/man/man3/meshcast.3
644 doc/man/meshcast-set.5 $PREFIX/share/man/man5/meshcast-set.5
644 cli/completion.bash $PREFIX/share/bash-completion/completions/meshcast
644 cli/completion.zsh $ZSHDIR/_meshcast
644 cli/completion.fish $FISHDIR/meshcast.fish
644 doc/model.md $PREFIX/share/doc/meshcast/model.md
644 doc/route_example.c $PREFIX/share/doc/meshcast/route_example.c
644 doc/library.md $PREFIX/share/doc/meshcast/library.md
644 doc/own_router_example.c $PREFIX/share/doc/meshcast/own_router_example.c
644 doc/plugin_example.c $PREFIX/share/doc/meshcast/plugin_example.c
644 python/meshcast.py $module/meshcast.py
END
    [ -z "${RANKS:-}" ] || echo "755 $RANKS $PREFIX/bin/meshcast-mpi"
    for header in library/meshcast*.h; do
        echo "644 $header $PREFIX/include/${header##*/}"
    done
}

links() {
    echo "$LIBDIR/libmeshcast.so.$abi"
    echo "$LIBDIR/libmeshcast.so"
}

# for pkg-config
description() {
    cat <<END
prefix=$PREFIX
libdir=$LIBDIR
includedir=\${prefix}/include

Name: meshcast
Description: multicast routers on an emulated mesh machine
Version: $VERSION
Cflags: -I\${includedir}
Libs: -L\${libdir} -lmeshcast
Libs.private: $PRIVATE
END
}

put() {
    files | while read -r mode source target; do
        install -D -m "$mode" "$source" "$DESTDIR$target"
        echo "$DESTDIR$target"
    done
    for command in $("$program" complete -- "" | grep '^[a-z]'); do
        page=$DESTDIR$PREFIX/share/man/man1/meshcast-$command.1
        sh doc/man.sh "$program" "$command" >"$page"
        chmod 644 "$page"
        echo "$page"
    done
    links | while read -r link; do
        ln -sf "$shared" "$DESTDIR$link"
        echo "$DESTDIR$link"
    done
    mkdir -p "$DESTDIR$LIBDIR/pkgconfig"
    description >"$DESTDIR$pc"
    chmod 644 "$DESTDIR$pc"
    echo "$DESTDIR$pc"
    # a new library in a folder that the loader knows is found from now on
    if [ -z "$DESTDIR" ] && [ "$(id -u)" = 0 ]; then ldconfig 2>/dev/null || true; fi
}

take_away() {
    files | while read -r _ _ target; do rm -f "$DESTDIR$target"; done
    links | while read -r link; do rm -f "$DESTDIR$link"; done
    rm -f "$DESTDIR$pc" "$DESTDIR$PREFIX/bin/meshcast-mpi" "$DESTDIR$PREFIX"/share/man/man1/meshcast-*.1
    rm -f "$DESTDIR$module/__pycache__"/meshcast.cpython-*.pyc # what Python has compiled
    rmdir "$DESTDIR$module/__pycache__" 2>/dev/null || true
    rmdir "$DESTDIR$PREFIX/share/doc/meshcast" 2>/dev/null || true
}

for folder in "$PREFIX" "$LIBDIR" "$ZSHDIR" "$FISHDIR"; do
    case $folder in
    /*) ;;
    *) echo "install.sh: PREFIX, LIBDIR, ZSHDIR and FISHDIR begin with /, not '$folder'" >&2 && exit 2 ;;
    esac
done
case $action in
install) put ;;
uninstall) take_away ;;
*) echo "install.sh: expected install or uninstall, not '$action'" >&2 && exit 2 ;;
esac
