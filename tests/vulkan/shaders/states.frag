#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 shown;
layout(location = 1) flat in vec4 of_primitive;
layout(location = 2) noperspective in vec4 on_screen;
layout(location = 3) centroid in vec4 covered;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
layout(set = 0, binding = 0) uniform sampler2D image;
void main()
{
   /* Mesa's clipper has none where a corner is clipped to itself. */
   vec2 at = any(isnan(on_screen.xy)) ? vec2(0.3) : on_screen.xy;
   vec4 texel = texture(image, at * 1.7 + shown.zw);
   if (texel.a < 0.1)
      discard;
   first = gl_FrontFacing ? shown * 0.6 + texel * 0.4 : shown * 0.3 + of_primitive * 0.5;
   second = vec4(covered.rgb * 0.8 + texel.gbr * 0.2, shown.a);
}
