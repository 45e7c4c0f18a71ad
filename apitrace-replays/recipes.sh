# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016,SC2034
#
# What capture.sh captures. A recipe is the Debian package, the API, and the command, a line of shell that runs with
# $width, $height, $scratch (an empty directory) and $HOME (empty, too). Further:
#    frames    frames of the program that are kept, apitrace's CALLSET; without it the last 12
#    seconds   after which the program is ended, where it does not end itself
#    keys      what is typed meanwhile: SECONDS:COMMAND:KEY, with key, keydown and keyup of xdotool
#    files     files of ours that it needs
recipe()
{
   frames='' seconds='' keys='' files=''
   case $1 in
   glmark2_buffer) glmark2 buffer 0-40/8 ;;
   glmark2_desktop) glmark2 desktop:effect=shadow 0-56/8 ;;
   glmark2_desktopblur) glmark2 desktop:effect=blur:windows=8 0-11 ;;
   glmark2_effect2d) glmark2 'effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;' 0-3 ;;
   glmark2_function) glmark2 function 0-40/8 ;;
   glmark2_ideas) glmark2 ideas 0-144/12 ;;
   glmark2_shadow) glmark2 shadow 0-56/8 ;;
   glmark2_terrain) glmark2 terrain 0-7 60 ;;
   glmark2_texture) glmark2 texture:texture-filter=mipmap 0-40/8 ;;
   glmark2_*) glmark2 "$(echo "${1#glmark2_}" | tr _ :)" 0-11 ;;
   endless-sky)
      package=endless-sky api=gl seconds=140
      keys='45:key:n 50:key:a 53:key:Return 57:key:b 60:key:Return 66:key:Return 74:key:d 80:key:s 84:key:Right 88:key:b
         92:key:Return 96:key:l 100:key:d 104:key:Down 107:key:Down 110:key:Return
         114:key:Return 118:key:Return 124:key:d 130:key:Return'
      command='
         mkdir -p $HOME/.local/share/endless-sky
         echo "fullscreen 1" >$HOME/.local/share/endless-sky/preferences.txt
         endless-sky'
      ;;
   gcompris)
      package=gcompris-qt api=gl seconds=60
      command='
         mkdir -p $HOME/.config/gcompris
         printf "%s\n" "[Internal]" "exeCount=9" "lastGCVersionRan=999999" >$HOME/.config/gcompris/gcompris-qt.conf
         QT_QPA_PLATFORM=xcb QSG_RENDER_LOOP=basic gcompris-qt --window --mute --launch ballcatch'
      ;;
   godot)
      package=godot3 api=gl seconds=180 frames=30-41 files=godot
      command='
         cp -r $files $scratch/project
         godot3 --fixed-fps 60 --audio-driver Dummy --path $scratch/project --resolution ${width}x$height'
      ;;
   minetest)
      package=minetest api=gl seconds=150
      command='
         mkdir -p $HOME/.minetest $scratch/world
         printf "%s\n" "gameid = minetest_game" "backend = dummy" >$scratch/world/world.mt
         printf "%s\n" "screen_w = $width" "screen_h = $height" "enable_shaders = true" "enable_dynamic_shadows = true" \
            "enable_sound = false" "fixed_map_seed = 1" "time_speed = 0" "world_start_time = 8000" >$HOME/.minetest/minetest.conf
         minetest --go --world $scratch/world --name player1'
      ;;
   mrrescue)
      package=mrrescue api=egl seconds=40 keys='10:key:Return 16:key:Return 22:key:Return'
      command='LOVE_GRAPHICS_USE_OPENGLES=1 SDL_VIDEO_X11_FORCE_EGL=1 mrrescue'
      ;;
   neverball | neverputt)
      package=$1 api=gl seconds=40 keys='6:key:Return 10:key:Return 14:key:Return 18:key:Return'
      command='
         mkdir -p $HOME/.neverball
         printf "%s\n" "width $width" "height $height" "fullscreen 0" >$HOME/.neverball/neverballrc
         '$1
      ;;
   openarena)
      package=openarena api=gl seconds=120
      command='openarena +set cl_renderer opengl1 +set r_fullscreen 0 +set r_mode -1 +set r_customwidth $width \
         +set r_customheight $height +set s_initsound 0 +devmap oa_dm1'
      ;;
   supertux)
      package=supertux api=gl seconds=70 keys='24:key:space 32:key:space 40:key:space 50:keydown:Right'
      command='supertux2 --window --geometry ${width}x$height --disable-sound --disable-music \
         /usr/share/games/supertux2/levels/world1/welcome_antarctica.stl'
      ;;
   supertuxkart)
      package=supertuxkart api=gl frames=100-109
      command='supertuxkart -N --no-sound -f -s ${width}x$height --track=hacienda --numkarts=3 --profile-time=10 \
         --enable-dynamic-lights --enable-ssao --enable-bloom --enable-ibl --enable-light-shaft --shadows=1024'
      ;;
   torcs)
      package=torcs api=gl seconds=90 keys='10:key:Return 14:key:Return 18:key:Return 22:key:Return 30:key:Return 40:keydown:Up'
      command='
         mkdir -p $HOME/.torcs/config
         sed "s/val=\"640\"/val=\"$width\"/; s/val=\"480\"/val=\"$height\"/" /usr/share/games/torcs/config/screen.xml \
            >$HOME/.torcs/config/screen.xml
         torcs'
      ;;
   vkcube)
      package=vulkan-tools api=vulkan
      command='vkcube --c 8 --width $width --height $height'
      ;;
   warzone2100)
      package=warzone2100 api=egl seconds=300
      command='SDL_VIDEO_X11_FORCE_EGL=1 warzone2100 --window --resolution=${width}x$height --nosound --gfxbackend=opengles \
         --autogame --skirmish=highground.json'
      ;;
   weston)
      package=weston api=egl seconds=30 frames=0-39
      command='XDG_RUNTIME_DIR=$scratch weston --backend=x11-backend.so --width=$width --height=$height --socket=tbrsim-capture'
      ;;
   *) return 1 ;;
   esac
}

# glmark2 SCENE FRAMES [SECONDS]
glmark2()
{
   package=glmark2-es2-x11 frames=$2 api=egl
   command='glmark2-es2 -b "'$1':duration='${3:-20}'" --size ${width}x$height'
}
