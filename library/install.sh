#!/bin/sh
# install.sh - puts what users need into $DESTDIR$PREFIX, or takes it away again: one list for both.
#
#     PREFIX= LIBDIR= ZSHDIR= FISHDIR= DESTDIR= VERSION= PRIVATE= install.sh PROGRAM BUILD install|uninstall
#
# PRIVATE are the libraries that a program needs which takes the static one. Folders that others may
# use stay behind an uninstall.
set -eu

program=$1 build=$2 action=$3
major=${VERSION%%.*}
shared=libmeshcast.so.$VERSION
pc=$LIBDIR/pkgconfig/meshcast.pc

# MODE SOURCE TARGET, of files that are copied
files() {
    cat <<END
755 $program $PREFIX/bin/meshcast
644 library/meshcast.h $PREFIX/include/meshcast.h
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
644 doc/own_router_example.c $PREFIX/share/doc/meshcast/own_router_example.c
END
}

links() {
    echo "$LIBDIR/libmeshcast.so.$major"
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
    rm -f "$DESTDIR$pc"
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
