#!/bin/sh
# SPDX-License-Identifier: MIT
# Configures once, builds, and stages what the command needs: afterwards
# $BUILD/bin/tbrsim works from anywhere. MESA_SRC=DIR takes an unpacked Mesa tree
# instead of the tarball. DEMO=1: only what is staged, and in a new directory only for a look: Mesa less
# optimised, the driver's tile pipeline (which is optimised as always) for CPUs like this one. TESTS=1: what a demo has
# compiled stays as it is.
. "$(dirname "$0")/common.sh"

find_meson
[ -n "$MESON" ] || fail_without_deps "nothing is built yet"

if command -v ccache >/dev/null; then
   CC=${CC:-ccache gcc} CXX=${CXX:-ccache g++}
   export CC CXX
fi

# Mesa's tree with our hooks; remade when the hooks' patch has changed.
patch_file=subprojects/packagefiles/$(wrap_value diff_files)
unpack_mesa()
{
   part=$MESA_DIRECTORY.part
   rm -rf "$part"
   if [ -n "${MESA_SRC:-}" ]; then
      [ "$(cat "$MESA_SRC/VERSION" 2>/dev/null)" = "$MESA_RELEASE" ] ||
         fail "make: MESA_SRC=$MESA_SRC is not an unpacked Mesa $MESA_RELEASE"
      cp -a "$MESA_SRC" "$part"
   elif [ -e "subprojects/packagecache/$MESA_TARBALL" ]; then
      mkdir -p "$part"
      tar -x -f "subprojects/packagecache/$MESA_TARBALL" -C "$part" --strip-components=1 --no-same-owner
   else
      fail_without_deps "nothing is built yet"
   fi
   patch -s -p1 -d "$part" <"$patch_file"
   rm -rf "$MESA_DIRECTORY"
   mv "$part" "$MESA_DIRECTORY"
}
patch -R -p1 -s -f --dry-run -d "$MESA_DIRECTORY" <"$patch_file" >/dev/null 2>&1 || unpack_mesa

mkdir -p "$BUILD"
# Mesa's options are read when a build directory is made; where they have changed since, it is remade.
options="$MESA $(sed -n '/subproject(/,/^  )/p' meson.build | cksum)"
if [ -e "$BUILD/build.ninja" ] && [ "$(cat "$BUILD/mesa-options" 2>/dev/null)" != "$options" ]; then
   setup_build --wipe -Dmesa_version="$MESA" "$BUILD" . >"$BUILD.log" 2>&1 || {
      tail -n 20 "$BUILD.log" >&2
      fail "make: configuring anew failed; all of it is in $BUILD.log, and 'make clean' starts afresh"
   }
   mv "$BUILD.log" "$BUILD/setup.log"
fi
kind=
[ -z "${DEMO:-}" ] || kind="-Dlevel=$(scripts/cpu_level.sh) -Doptimization=1"
if [ ! -e "$BUILD/build.ninja" ]; then
   # shellcheck disable=SC2086
   setup_build -Dmesa_version="$MESA" $kind ${SETUP_ARGS:-} "$BUILD" . >"$BUILD/setup.log" 2>&1 || {
      tail -n 20 "$BUILD/setup.log" >&2
      fail_without_deps "configuring failed; all of it is in $BUILD/setup.log"
   }
   [ -z "$kind" ] || touch "$BUILD/demo"
fi
echo "$options" >"$BUILD/mesa-options"
# They may have been fetched since the build directory was made.
find_protocols
if [ "$(cat "$BUILD/protocols" 2>/dev/null)" != "$PROTOCOLS" ]; then
   $MESON configure "-Dpkg_config_path=$PROTOCOLS" "$BUILD"
   echo "$PROTOCOLS" >"$BUILD/protocols"
fi
if [ -n "${DEMO:-}" ]; then
   /usr/bin/python3 scripts/build_staged.py "$BUILD"
else
   # After a demo, all of it. Tests need every vector level, but don't measure speed.
   if [ -e "$BUILD/demo" ] && [ -n "${TESTS:-}" ]; then
      $MESON configure -Dlevel=all "$BUILD"
   elif [ -e "$BUILD/demo" ]; then
      $MESON configure -Dlevel=all -Doptimization=3 "$BUILD"
      rm "$BUILD/demo"
   fi
   if [ -t 1 ]; then ninja -C "$BUILD"; else ninja -C "$BUILD" --quiet; fi
fi
DESTDIR=$(realpath "$BUILD")/stage $MESON install -C "$BUILD" --no-rebuild --only-changed --quiet --tags runtime,tbrsim >"$BUILD/stage.log"
# It may have been fetched since the build directory was made, and only tbrsim report needs it.
if [ -e "subprojects/packagecache/$UPLOT_TARBALL" ]; then
   cp -u "subprojects/packagecache/$UPLOT_TARBALL" "$BUILD/stage/usr/local/share/tbrsim/"
fi
# The same of --format parquet.
if [ -e "subprojects/packagecache/$DUCKDB_LIBRARY" ]; then
   ln -f "subprojects/packagecache/$DUCKDB_LIBRARY" "$BUILD/stage/usr/local/share/tbrsim/" 2>/dev/null ||
      cp -u "subprojects/packagecache/$DUCKDB_LIBRARY" "$BUILD/stage/usr/local/share/tbrsim/"
fi
ln -sfn stage/usr/local/bin "$BUILD/bin"
ln -sfn "$BUILD/compile_commands.json" compile_commands.json # for clangd
