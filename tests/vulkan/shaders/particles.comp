#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Vertices { vec4 vertices[]; };
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D image;
layout(push_constant) uniform Push { vec4 offset; uint count; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   if (i >= count)
      return;
   const float angle = 6.2831853 * float(i) / float(count);
   const vec2 middle = 0.7 * vec2(cos(angle), sin(angle));
   vertices[6 * i + 0] = vec4(middle + vec2(-0.05, -0.05), 0.0, 1.0);
   vertices[6 * i + 2] = vec4(middle + vec2(0.05, -0.05), 0.0, 1.0);
   vertices[6 * i + 4] = vec4(middle + vec2(0.0, 0.05), 0.0, 1.0);
   for (uint corner = 0; corner < 3; corner++)
      vertices[6 * i + 2 * corner + 1] = vec4(float(i) / float(count), 0.5, float(corner) / 2.0, 1.0);
   imageStore(image, ivec2(i % 8, i / 8), vec4(float(i % 8) / 7.0, float(i / 8) / 7.0, 0.25, 1.0));
}
