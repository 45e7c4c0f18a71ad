#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_nonuniform_qualifier : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) buffer Words { uint words[]; } buffers[5];
layout(set = 0, binding = 2) buffer Counters { uint counters[8]; } counted[2];
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   const uint place = pixel.x + pixel.y * 7u, own = (pixel.x + pixel.y / 3u) % 5u;
   const uint value = buffers[nonuniformEXT(own)].words[64u + place % 512u];
   const uint count = counted[nonuniformEXT(pixel.y & 1u)].counters[pixel.x % 8u];
   result = vec4(value % 256u, value / 256u % 256u, count * 4u, buffers[nonuniformEXT(own)].words.length() / 8u) / 255.0;
   result.a = 1.0;
}
