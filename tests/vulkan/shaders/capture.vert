#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(xfb_buffer = 0, xfb_stride = 32) out;
layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex
{
   vec4 gl_Position;
};
layout(location = 0, xfb_buffer = 0, xfb_offset = 16) out vec4 shown;
void main()
{
   gl_Position = vec4(0.6 * position.xy, position.zw);
   shown = color.yzxw;
}
