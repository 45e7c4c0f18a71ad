#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that are missing and fetches Mesa's source, uPlot, DuckDB (and
# a newer Meson and newer protocols of Wayland where the system's are too old). TBRSIM_PACKAGES names an additional
# list of packages. Silent when everything is there; then it does not touch the network.
. "$(dirname "$0")/common.sh"

as_root()
{
   if [ "$(id -u)" = 0 ]; then
      env DEBIAN_FRONTEND=noninteractive "$@"
   elif command -v sudo >/dev/null; then
      sudo env DEBIAN_FRONTEND=noninteractive "$@"
   else
      fail "make deps: not root and no sudo; install these packages first: $missing"
   fi
}

install_packages()
{
   find_missing_packages
   [ -n "$missing" ] || return 0
   echo "make deps: installing$missing" >&2
   # The lists on the machine may be absent or too old to fetch from.
   # shellcheck disable=SC2086
   as_root apt-get update -qq
   # shellcheck disable=SC2086
   as_root apt-get install -y -qq --no-install-recommends $missing >&2
}

# An apt state of our own with the main section of one of Debian's suites, separate from the machine's own
# configuration: same mirror, same keyring, nothing of the system's is changed. "apt-get $other" uses it.
prepare_suite()
{
   [ "${prepared:-}" != "$1" ] || return 0
   mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' |
      head -n 1)
   # Before the first apt-get update, apt does not know the origins yet.
   [ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
   [ -n "$mirror" ] || fail "make deps: apt has no Debian mirror configured"
   keyring=$(sed -n 's/^Signed-By: *\(\/.*\)/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null |
      grep -m 1 debian-archive || :)
   [ -n "$keyring" ] || keyring=/usr/share/keyrings/debian-archive-keyring.gpg
   [ -e "$keyring" ] || fail "make deps: no $keyring; install debian-archive-keyring"

   [ -n "${scratch:-}" ] || scratch=$(mktemp -d)
   trap 'rm -rf "$scratch"' EXIT
   rm -rf "$scratch/lists"
   mkdir -p "$scratch/lists/partial"
   for type in deb deb-src; do
      echo "$type [signed-by=$keyring] $mirror $1 main"
   done >"$scratch/sources.list"
   other="-o Dir::Etc::sourcelist=$scratch/sources.list -o Dir::Etc::sourceparts=/dev/null
      -o Dir::State::lists=$scratch/lists -o APT::Sandbox::User="
   # shellcheck disable=SC2086
   apt-get -qq $other update >&2
   prepared=$1
}

fetch_meson()
{
   find_meson
   [ -z "$MESON" ] || return 0
   wanted=meson
   find_missing
   candidate=$(apt-cache policy meson | sed -n 's/^ *Candidate: //p')
   if [ -n "$missing" ] && dpkg --compare-versions "$candidate" ge $MESON_VERSION; then
      as_root apt-get install -y -qq --no-install-recommends meson >&2
      return 0
   fi
   echo "make deps: fetching Meson from Debian 13" >&2
   prepare_suite trixie
   # shellcheck disable=SC2086
   (cd "$scratch" && apt-get -qq $other download meson >&2)
   dpkg-deb -x "$scratch"/meson_*.deb "$scratch/meson"
   # It finds its own modules, so that ninja can call it from any environment.
   cat >"$scratch/meson/usr/bin/meson" <<'END'
#!/usr/bin/python3
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib/python3/dist-packages"))
from mesonbuild.mesonmain import main

sys.exit(main())
END
   mkdir -p "$CACHE"
   rm -rf "$CACHE/meson"
   mv "$scratch/meson" "$CACHE/meson"
}

# Protocols that Mesa's surfaces of Vulkan need, where the system's are older: files that are read when Mesa is built, and
# nothing that is installed.
fetch_protocols()
{
   find_protocols
   [ -z "$PROTOCOLS" ] && ! has_protocols || return 0
   echo "make deps: fetching Wayland's protocols from Debian 13" >&2
   prepare_suite trixie
   # shellcheck disable=SC2086
   (cd "$scratch" && apt-get -qq $other download wayland-protocols >&2) || {
      echo "make deps: the mirror has no wayland-protocols $PROTOCOLS_VERSION: programs of Vulkan will have no windows of Wayland" >&2
      return 0
   }
   dpkg-deb -x "$scratch"/wayland-protocols_*.deb "$scratch/wayland-protocols"
   sed -i -e 's|^prefix=.*|prefix=${pcfiledir}/../..|' -e 's|${pc_sysrootdir}||' \
      "$scratch/wayland-protocols/usr/share/pkgconfig/wayland-protocols.pc"
   mkdir -p "$CACHE"
   rm -rf "$CACHE/wayland-protocols"
   mv "$scratch/wayland-protocols" "$CACHE/wayland-protocols"
}

is_mesa()
{
   [ -e "$1" ] && echo "$MESA_SHA256  $1" | sha256sum --check --status
}

fetch_mesa()
{
   [ -z "${MESA_SRC:-}" ] && [ ! -e "$MESA_DIRECTORY/meson.build" ] || return 0
   here=subprojects/packagecache/$MESA_TARBALL
   ! is_mesa "$here" || return 0
   if ! is_mesa "$CACHE/$MESA_TARBALL"; then
      echo "make deps: fetching Mesa's source from Debian's $MESA_SUITE" >&2
      prepare_suite "$MESA_SUITE"
      # Where apt cannot, it says why.
      # shellcheck disable=SC2086
      (cd "$scratch" && apt-get -qq $other source --download-only --tar-only mesa >&2) || :
      is_mesa "$scratch/$MESA_TARBALL" ||
         fail "make deps: the mirror does not give $MESA_TARBALL with SHA-256 $MESA_SHA256; MESA_SRC=DIR takes an unpacked Mesa $MESA_RELEASE"
      mkdir -p "$CACHE"
      mv "$scratch/$MESA_TARBALL" "$CACHE/$MESA_TARBALL"
   fi
   mkdir -p subprojects/packagecache
   ln -f "$CACHE/$MESA_TARBALL" "$here" 2>/dev/null || cp "$CACHE/$MESA_TARBALL" "$here"
}

is_release()
{
   [ -e "$1" ] && echo "$2  $1" | sha256sum --check --status
}

# A release that the npm registry has and Debian does not: its address there, SHA-256, and what does not work without it.
fetch_release()
{
   tarball=${1##*/}
   is_release "$CACHE/$tarball" "$2" && return 0
   echo "make deps: fetching $tarball from the npm registry" >&2
   part=$(mktemp -d)
   /usr/lib/apt/apt-helper -qq -o APT::Sandbox::User= download-file \
      "https://registry.npmjs.org/$1" "$part/$tarball" "SHA256:$2" >&2 &&
      is_release "$part/$tarball" "$2" || {
      rm -rf "$part"
      echo "make deps: no $tarball with SHA-256 $2: $3 will not work;" \
         "put one into $CACHE and make deps again" >&2
      return 1
   }
   mkdir -p "$CACHE"
   mv "$part/$tarball" "$CACHE/$tarball"
   rm -rf "$part"
}

# A file of the cache in the checkout, too.
keep_here()
{
   mkdir -p subprojects/packagecache
   ln -f "$CACHE/$1" "subprojects/packagecache/$1" 2>/dev/null || cp "$CACHE/$1" "subprojects/packagecache/$1"
}

# The library that draws the charts of tbrsim report.
fetch_uplot()
{
   ! is_release "subprojects/packagecache/$UPLOT_TARBALL" "$UPLOT_SHA256" || return 0
   fetch_release "uplot/-/$UPLOT_TARBALL" "$UPLOT_SHA256" "tbrsim report" || return 0
   keep_here "$UPLOT_TARBALL"
}

# The library that writes Parquet, of which the release has builds by architecture.
fetch_duckdb()
{
   [ ! -e "subprojects/packagecache/$DUCKDB_LIBRARY" ] || return 0
   case $(dpkg --print-architecture) in
   amd64) architecture=x64 sha256=$(duckdb_value SHA256_X64) ;;
   arm64) architecture=arm64 sha256=$(duckdb_value SHA256_ARM64) ;;
   *) return 0 ;;
   esac
   name=node-bindings-linux-$architecture
   release=$name-$(duckdb_value RELEASE).tgz
   if [ ! -e "$CACHE/$DUCKDB_LIBRARY" ]; then
      fetch_release "@duckdb/$name/-/$release" "$sha256" "--format parquet" || return 0
      tar -x -z -f "$CACHE/$release" -C "$CACHE" --no-same-owner --strip-components=1 package/libduckdb.so
      chmod 755 "$CACHE/libduckdb.so"
      mv "$CACHE/libduckdb.so" "$CACHE/$DUCKDB_LIBRARY"
      rm "$CACHE/$release"
   fi
   keep_here "$DUCKDB_LIBRARY"
}

command -v apt-get >/dev/null || fail "make deps: this is not a Debian system; see scripts/packages.txt for what is needed"
install_packages
fetch_meson
fetch_protocols
fetch_mesa
fetch_uplot
fetch_duckdb
