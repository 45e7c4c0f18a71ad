#!/bin/sh
# SPDX-License-Identifier: MIT
# capture.sh [--size WIDTHxHEIGHT] [--install] NAME [OUTPUT]
#
# Captures a program of recipes.sh, unattended, on llvmpipe of the tbrsim build, under an X server of that size
# (960x540) and with a home directory of its own. Without OUTPUT the capture is NAME-SIZE.trace, of Vulkan NAME-SIZE.gfxr, in
# ~/.cache/tbrsim/captures (or $TBRSIM_CAPTURES), and is made again only if its recipe or package changed or the file
# is not the one that was made: NAME-SIZE.made has what it was made from, and its SHA-256. --install installs the
# Debian package where it is missing, as root. capture.sh --list lists the names.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tbrsim=${TBRSIM:-$here/../build/bin/tbrsim}
PATH=$PATH:/usr/games
package='' api='' command=''
# shellcheck source=recipes.sh
. "$here/recipes.sh"

fail()
{
   echo "capture.sh: $*" >&2
   exit 1
}

list()
{
   sed -n 's/^   \([a-z][a-z0-9_| -]*\))\( .*\)*$/\1/p' "$here/recipes.sh" | sed 's/ *| */\n/g'
   echo glmark2_SCENE
}

is_installed()
{
   [ "$(dpkg-query --showformat '${db:Status-Status}' --show "$1" 2>/dev/null)" = installed ]
}

# What a capture is made from.
origin()
{
   printf '%s: %s\n' package "$package $(dpkg-query --showformat '${Version}' --show "$package")" size "$size" api "$api" \
      frames "$frames" seconds "$seconds" keys "$keys" command "$command"
   [ -z "$files" ] || (cd "$here" && find "$files" -type f | LC_ALL=C sort | xargs sha256sum)
}

# type_keys KEYS: each at its second.
type_keys()
{
   start=$(date +%s)
   for key in $1; do
      left=$((start + ${key%%:*} - $(date +%s)))
      sleep $((left > 0 ? left : 0))
      key=${key#*:}
      xdotool "${key%%:*}" "${key#*:}"
   done
}

# Inside the X server: the program, captured. One that does not end itself is ended (124, or 137 where it had to be killed).
session()
{
   [ -z "$keys" ] || type_keys "$keys" &
   export HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/run" width height scratch files="$here/$files"
   export SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null
   [ "$api" = egl ] || export MESA_GL_VERSION_OVERRIDE=3.3COMPAT MESA_GLSL_VERSION_OVERRIDE=330
   mkdir -p "$HOME" "$XDG_RUNTIME_DIR"
   cd "$HOME"
   case $api in
   vulkan)
      set -- env VK_INSTANCE_LAYERS=VK_LAYER_LUNARG_gfxreconstruct GFXRECON_CAPTURE_FILE="$scratch/whole.gfxr" \
         GFXRECON_CAPTURE_FILE_TIMESTAMP=false GFXRECON_CAPTURE_COMPRESSION_TYPE=ZSTD GFXRECON_LOG_LEVEL=warning
      ;;
   *) set -- apitrace trace --api="$api" --output "$scratch/whole.trace" ;;
   esac
   timeout --kill-after=5 "${seconds:-0}" "$@" sh -c "$command" && status=0 || status=$?
   case ${seconds:+ended}$status in
   0 | ended0 | ended124 | ended137) ;;
   *) fail "the program failed: status $status" ;;
   esac
}

# The last 12 frames, without the one that was being drawn when the program was ended.
trim()
{
   # All that the program draws is kept.
   [ $extension = trace ] || { mv "$scratch/whole.gfxr" "$scratch/packed.gfxr"; return; }
   if [ "$frames" ]; then
      first=${frames%-*} last=${frames#*-}
   else
      count=$(apitrace info "$scratch/whole.trace" | sed -n 's/.*"FramesCount": *\([0-9]*\).*/\1/p')
      first=$((count > 13 ? count - 13 : 0)) last=$((count > 1 ? count - 2 : 0))
   fi
   case $last in
   */*) apitrace trim --frames="$frames" --output "$scratch/trimmed.trace" "$scratch/whole.trace" ;;
   *) "$here/trim.py" "$scratch/whole.trace" "$first" "$last" "$scratch/trimmed.trace" ;;
   esac
   apitrace repack --brotli=5 "$scratch/trimmed.trace" "$scratch/packed.trace"
}

size=960x540 install=
while :; do
   case ${1:---list} in
   --list) list; exit 0 ;;
   --size) size=$2; shift 2 ;;
   --install) install=yes; shift ;;
   --*) fail "usage: capture.sh [--size WIDTHxHEIGHT] [--install] NAME [OUTPUT] | --list" ;;
   *) break ;;
   esac
done
name=$1 width=${size%x*} height=${size#*x}
recipe "$name" || fail "no recipe '$name'; capture.sh --list lists them"
if [ "${TBRSIM_CAPTURE_SESSION-}" ]; then
   scratch=$TBRSIM_CAPTURE_SESSION
   session
   exit
fi
extension=trace tool=
[ "$api" != vulkan ] || extension=gfxr tool=gfxreconstruct
for wanted in "$package" ${keys:+xdotool} $tool; do
   is_installed "$wanted" && continue
   [ "$install" ] || fail "$wanted is missing; apt-get install $wanted"
   apt-get update -qq
   DEBIAN_FRONTEND=noninteractive apt-get install --yes -qq "$wanted" >&2
done
cache=${TBRSIM_CAPTURES:-${XDG_CACHE_HOME:-$HOME/.cache}/tbrsim/captures}
output=${2:-$cache/$name-$size.$extension} made=
if [ $# -lt 2 ]; then
   made=${output%.*}.made
   mkdir -p "$cache"
   if [ -e "$made" ] && [ "$(cat "$made")" = "$(origin; sha256sum "$output" 2>/dev/null)" ]; then
      echo "$output"
      exit 0
   fi
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
TBRSIM_CAPTURE_SESSION=$scratch env -u DISPLAY "$tbrsim" run --driver llvmpipe --no-model --screen "$size" -- \
   "$here/capture.sh" --size "$size" "$name" >&2
trim >&2
mv "$scratch/packed.$extension" "$output"
[ -z "$made" ] || { origin; sha256sum "$output"; } >"$made"
echo "$output"
