#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform sampler2D images[4];
void main()
{
   vec2 place = fract(shown.xy * 2.0);
   float level = floor(place.x * 5.0);
   if (shown.y < 0.5)
      result = shown.x < 0.5 ? textureLod(images[0], place, level) : textureLod(images[1], place, level);
   else
      result = shown.x < 0.5 ? textureLod(images[2], place, level) : textureLod(images[3], place, level);
}
