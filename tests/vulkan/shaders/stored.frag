#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Values { uint values[]; };
layout(push_constant) uniform Push { Values image; uint width; };
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   image.values[pixel.y * width + pixel.x] = packUnorm4x8(color);
   result = color;
}
