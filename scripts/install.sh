#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is built under $DESTDIR$PREFIX, or with --remove takes it away again. Everything is in a directory of its
# own, lib/tbrsim, where neither the linker nor glvnd looks: the system's Mesa is what it was for all other programs.
. "$(dirname "$0")/common.sh"

case $PREFIX in
/*) ;;
*) fail "make install: PREFIX=$PREFIX is not an absolute path" ;;
esac
root=${DESTDIR:-}$PREFIX
own=$root/lib/tbrsim
! [ -e "$own" ] || [ -x "$own/bin/tbrsim" ] || fail "make install: $own is not an earlier tbrsim"

remove()
{
   rm -rf "$own" "$root/share/doc/tbrsim"
   rm -f "$root/bin/tbrsim" "$root/share/bash-completion/completions/tbrsim" "$root/share/zsh/site-functions/_tbrsim" \
      "$root"/share/man/man1/tbrsim.1 "$root"/share/man/man1/tbrsim-*.1
}
if [ "${1:-}" = --remove ]; then
   remove
   exit 0
fi

stage=$BUILD/stage/usr/local
[ -x "$stage/bin/tbrsim" ] || fail "make install: nothing is built in $BUILD; 'make' builds it"
remove
mkdir -p "$own/share" "$root/bin" "$root/share/man/man1" "$root/share/bash-completion/completions" \
   "$root/share/zsh/site-functions" "$root/share/doc/tbrsim"
cp -R "$stage/bin" "$stage/lib" "$stage/libexec" "$own/"
for part in drirc.d glvnd tbrsim vulkan; do
   cp -R "$stage/share/$part" "$own/share/"
done
ln -s ../lib/tbrsim/bin/tbrsim "$root/bin/tbrsim"
cp "$stage"/share/man/man1/tbrsim*.1 "$root/share/man/man1/"
cp "$stage/share/bash-completion/completions/tbrsim" "$root/share/bash-completion/completions/"
cp "$stage/share/zsh/site-functions/_tbrsim" "$root/share/zsh/site-functions/"
cp -R docs README.md LICENSE subprojects/NOTICES.md "$root/share/doc/tbrsim/"
