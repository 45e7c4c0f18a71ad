#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) flat in VECTOR shown;
layout(location = 0) out VECTOR result;
void main()
{
   result = shown;
}
