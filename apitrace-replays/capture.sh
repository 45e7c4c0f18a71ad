#!/bin/sh
# SPDX-License-Identifier: MIT
# capture.sh NAME [OUTPUT.trace]: captures one of the programs below anew, on
# llvmpipe of the tbrsim build, under an X server of its own. capture.sh --list
# lists the names. Programs that are not installed are named with their package.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tbrsim=${TBRSIM:-$here/../build/bin/tbrsim}
PATH=/usr/bin:/usr/games:$PATH

# Each recipe: package, frames that are kept (apitrace's CALLSET), API, command.
recipe()
{
   environment=
   seconds=
   case $1 in
   glmark2_buffer) glmark2 buffer 0-40/8 ;;
   glmark2_desktop) glmark2 desktop:effect=shadow 0-56/8 ;;
   glmark2_effect2d) glmark2 "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;" 0-3 ;;
   glmark2_function) glmark2 function 0-40/8 ;;
   glmark2_ideas) glmark2 ideas 0-144/12 ;;
   glmark2_shadow) glmark2 shadow 0-56/8 ;;
   glmark2_texture) glmark2 texture:texture-filter=mipmap 0-40/8 ;;
   glmark2_*) glmark2 "$(echo "${1#glmark2_}" | tr _ :)" 0-39 ;;
   mrrescue)
      package=mrrescue frames=0-59 api=egl seconds=20
      environment="LOVE_GRAPHICS_USE_OPENGLES=1 SDL_VIDEO_X11_FORCE_EGL=1"
      command=mrrescue
      ;;
   weston)
      package=weston frames=0-39 api=egl seconds=15
      environment="XDG_RUNTIME_DIR=$scratch"
      command="weston --backend=x11-backend.so --width=960 --height=540 --socket=tbrsim-capture"
      ;;
   warzone2100)
      package=warzone2100 frames=0-60 api=egl seconds=120
      command="warzone2100 --window --resolution=960x540 --nosound --gfxbackend=opengles --autogame --skirmish=highground.json"
      ;;
   supertuxkart)
      package=supertuxkart frames=0-60 api=gl
      environment="MESA_GL_VERSION_OVERRIDE=3.3 MESA_GLSL_VERSION_OVERRIDE=330"
      command="supertuxkart -N --no-sound -w -s 960x540 --track=snowtuxpeak --numkarts=3 --profile-time=10"
      ;;
   minetest)
      package=minetest frames=0-60 api=gl seconds=60
      command="minetest --go --world $scratch/world --gameid minetest_game --name player1"
      ;;
   neverball)
      package=neverball frames=0-60 api=gl seconds=20
      command=neverball
      ;;
   *) echo "capture.sh: no recipe '$1'; capture.sh --list lists them" >&2; exit 2 ;;
   esac
}

glmark2()
{
   package=glmark2-es2-x11 frames=$2 api=egl
   command="glmark2-es2 -b $1:duration=2 --size 960x540"
}

if [ "${1:---list}" = --list ]; then
   echo "bundled: glmark2_buffer glmark2_desktop glmark2_effect2d glmark2_function glmark2_ideas glmark2_shadow glmark2_texture"
   echo "more:    glmark2_SCENE (any scene of glmark2) mrrescue weston warzone2100 supertuxkart minetest neverball"
   exit 0
fi
name=$1
output=${2:-$name.trace}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
recipe "$name"
program=${command%% *}
command -v "$program" >/dev/null || { echo "capture.sh: $program is missing; apt-get install $package" >&2; exit 1; }

# A program that does not end by itself is ended; what was captured until then counts.
# shellcheck disable=SC2086
"$tbrsim" run --driver llvmpipe --no-model --screen 960x540 -- env $environment \
   ${seconds:+timeout $seconds} apitrace trace --api="$api" --output "$scratch/whole.trace" $command || [ -n "$seconds" ]
apitrace trim --frames="$frames" --output "$scratch/trimmed.trace" "$scratch/whole.trace"
apitrace repack --brotli=11 "$scratch/trimmed.trace" "$scratch/packed.trace"
mv "$scratch/packed.trace" "$output"
ls -l "$output"
