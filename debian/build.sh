#!/bin/sh
# build.sh VERSION - makes the Debian packages in build/deb and has lintian look at them.
#
# Data of others, which only tests read, is left out. JOBS is the number of compilers at once.
set -eu
version=$1
tree=build/deb/meshcast-$version
rm -rf build/deb && mkdir -p "$tree"
{ git ls-files --cached --others --exclude-standard 2>/dev/null || find . -path ./build -prune -o -type f -print; } |
    grep -v -e '^\(\./\)*test/data/' -e '^\(\./\)*test/corpus/' | tar -c -T - | tar -x -C "$tree"
(cd "$tree" && DEB_BUILD_OPTIONS=parallel=${JOBS:-1} MAKEFLAGS='' MFLAGS='' dpkg-buildpackage -us -uc)
lintian --fail-on error,warning build/deb/meshcast_"$version"_*.changes
ls build/deb/*.deb
