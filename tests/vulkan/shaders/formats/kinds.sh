#!/bin/sh
# SPDX-License-Identifier: MIT
# kinds.sh GLSLANG SHADER FILE.h: the shader for floats, integers and unsigned integers, as arrays that are named after it
# with _float, _int and _uint.
set -e
name=$(basename "$3" .h)
for kind in float: int:i uint:u; do
   prefix=${kind#*:}
   kind=${kind%:*}
   "$1" --quiet -V --vn "${name}_$kind" -o "$3.$kind" -DVECTOR="${prefix}vec4" -DSAMPLER2D="${prefix}sampler2D" \
      -DTEXTUREBUFFER="${prefix}textureBuffer" -DIMAGE2D="${prefix}image2D" -DIMAGEBUFFER="${prefix}imageBuffer" "$2"
done
sed -e 's/const uint32_t/static const uint32_t/' -e '/pragma once/d' "$3.float" "$3.int" "$3.uint" >"$3"
rm "$3.float" "$3.int" "$3.uint"
