#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Values { uint values[]; };
layout(push_constant) uniform Push { Values parameters; uint count; };
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
/* All write the parameters of the same draw: so many vertices, of one instance. */
void main()
{
   parameters.values[0] = count;
   parameters.values[1] = 1;
   parameters.values[2] = 0;
   parameters.values[3] = 0;
   result = color;
}
