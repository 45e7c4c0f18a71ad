#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Values { uint values[]; };
layout(push_constant) uniform Push { Values there, gone; };
layout(location = 0) out vec4 result;
/* Every second pixel has the address of memory that is gone, and does not load from it, which the compiler cannot know. */
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   const uint parity = (pixel.x + pixel.y) % 2;
   Values chosen = there;
   if (parity == 1)
      chosen = gone;
   result = vec4(0.0, 0.0, 1.0, 1.0);
   if (there.values[256 + parity] == 1)
      result = unpackUnorm4x8(chosen.values[pixel.y % 16 * 16 + pixel.x % 16]);
}
