# SPDX-License-Identifier: MIT
# Sourced by the other scripts, from the top of the checkout.
set -eu
cd "$(dirname "$0")/.."

# A private python or meson in front of Debian's would not find Debian's modules.
PATH=/usr/bin:$PATH
export PATH

# Objects of a fresh clone are found in the compiler cache whatever its directory.
export CCACHE_NOHASHDIR=1

fail()
{
   echo "$*" >&2
   exit 1
}

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/tbrsim
MESON_VERSION=1.4
PROTOCOLS_VERSION=1.38

# The Mesa that is built: that of subprojects/mesa-$MESA.wrap.
DEFAULT_MESA=$(sed -n "/'mesa_version'/s/.* value : '\([^']*\)'.*/\1/p" meson.options)
MESA=${MESA:-$DEFAULT_MESA}
mesa_versions()
{
   (cd subprojects && echo mesa-*.wrap) | sed 's/mesa-\([^ ]*\)\.wrap/\1/g'
}
wrap_value()
{
   sed -n "s/^$1 *= *//p" "subprojects/mesa-$MESA.wrap"
}
[ -e "subprojects/mesa-$MESA.wrap" ] ||
   fail "make: there is no subprojects/mesa-$MESA.wrap; MESA is one of: $(mesa_versions) (docs/mesa.md says how one is added)"
MESA_TARBALL=$(wrap_value source_filename)
MESA_SHA256=$(wrap_value source_hash)
MESA_DIRECTORY=subprojects/$(wrap_value directory)
MESA_RELEASE=${MESA_DIRECTORY#*mesa-}
MESA_SUITE=$(wrap_value suite)

# Another Mesa than the default one has build directories of its own.
BUILD_SUFFIX=
[ "$MESA" = "$DEFAULT_MESA" ] || BUILD_SUFFIX=-$MESA
BUILD=${BUILD:-build$BUILD_SUFFIX}

# uPlot, as python/tbrsim/report/uplot.py names it; the npm registry has it.
uplot_value()
{
   sed -n "s/^$1 = \"\(.*\)\"/\1/p" python/tbrsim/report/uplot.py 2>/dev/null || :
}
UPLOT_TARBALL=uplot-$(uplot_value VERSION).tgz
UPLOT_SHA256=$(uplot_value SHA256)

# DuckDB's library, as python/tbrsim/duckdb.py names it; the npm registry has it.
duckdb_value()
{
   sed -n "s/^$1 = \"\(.*\)\"/\1/p" python/tbrsim/duckdb.py 2>/dev/null || :
}
DUCKDB_LIBRARY=libduckdb-$(duckdb_value VERSION).so

# The system's Meson where it is new enough, else the one that deps.sh unpacked.
# MESON is set empty where there is neither.
find_meson()
{
   MESON=
   if [ -x /usr/bin/meson ] && dpkg --compare-versions "$(/usr/bin/meson --version)" ge $MESON_VERSION; then
      MESON=/usr/bin/meson
   elif /usr/bin/python3 "$CACHE/meson/usr/bin/meson" --version >/dev/null 2>&1; then
      MESON="/usr/bin/python3 $CACHE/meson/usr/bin/meson"
   fi
}

# Whether the system's protocols of Wayland are new enough for Mesa's surfaces of Vulkan.
has_protocols()
{
   dpkg --compare-versions "$(pkg-config --modversion wayland-protocols 2>/dev/null || echo 0)" ge $PROTOCOLS_VERSION
}

# Where not: those that deps.sh unpacked, as Meson's option pkg_config_path, in PROTOCOLS. Empty where there are none.
find_protocols()
{
   PROTOCOLS=
   path=$CACHE/wayland-protocols/usr/share/pkgconfig
   if [ -e "$path/wayland-protocols.pc" ] && ! has_protocols; then
      PROTOCOLS=$path${PKG_CONFIG_PATH:+,$(echo "$PKG_CONFIG_PATH" | tr : ,)}
   fi
}

# A new build directory. Debian's Python is named, as `ninja` typed by hand may configure again without our PATH.
setup_build()
{
   find_protocols
   $MESON setup --native-file scripts/debian.ini ${PROTOCOLS:+"-Dpkg_config_path=$PROTOCOLS"} "$@"
}

# Names in $wanted that are not installed.
find_missing()
{
   # shellcheck disable=SC2086
   installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' || :)
   missing=
   for package in $wanted; do
      case "
$installed
" in
      *"
$package
"*) ;;
      *) missing="$missing $package" ;;
      esac
   done
}

# Packages of scripts/packages.txt, and of the list $TBRSIM_PACKAGES, that are not installed: in $missing.
find_missing_packages()
{
   # shellcheck disable=SC2086
   wanted=$(sed '/^#/d' scripts/packages.txt ${TBRSIM_PACKAGES:-} | tr '\n' ' ')
   find_missing
}

# Ends with a line that names all that `make deps` would install or fetch, after what went wrong.
fail_without_deps()
{
   missing=
   ! command -v dpkg-query >/dev/null || find_missing_packages
   what=${missing:+the packages$missing}
   find_meson
   [ -n "$MESON" ] || what="${what:+$what; }Meson $MESON_VERSION or later"
   [ -n "${MESA_SRC:-}" ] || [ -e "$MESA_DIRECTORY/meson.build" ] || [ -e "subprojects/packagecache/$MESA_TARBALL" ] ||
      what="${what:+$what; }Mesa's source (or an unpacked tree: make MESA_SRC=DIR)"
   fail "make: $1${what:+; missing: $what. 'make deps' installs and fetches what is missing}"
}
