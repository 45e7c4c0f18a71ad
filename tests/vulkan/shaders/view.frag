#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 shown;
layout(location = 0) out vec4 result;
void main()
{
   result = gl_ViewIndex == 0 ? shown : 1.0 - shown.gbra;
}
