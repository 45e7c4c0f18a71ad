#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Palette { vec4 colors[]; };
layout(set = 0, binding = 0) uniform Block { Palette palettes[3]; };
layout(push_constant) uniform Push { Palette tint; uint count; };
layout(location = 0) out vec4 result;
/* Neighbours take their colours from different palettes. */
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   Palette palette = palettes[(pixel.x + pixel.y / 4) % 3];
   result = palette.colors[pixel.x / 8 % count] * tint.colors[pixel.y / 16 % count];
}
