#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 32, local_size_y = 32) in;
layout(set = 0, binding = 0) uniform sampler2D inputs[2];
layout(set = 0, binding = 1, r8) uniform writeonly image2D outputs[2];
void filter_one(int i, ivec2 place)
{
   vec2 middle = (vec2(place) + 0.5) / vec2(imageSize(outputs[i]));
   imageStore(outputs[i], place, texture(inputs[i], middle));
}
void main()
{
   ivec2 place = ivec2(gl_GlobalInvocationID.xy);
   if (all(lessThan(place, imageSize(outputs[0]))))
      filter_one(0, place);
   if (all(lessThan(place, imageSize(outputs[1]))))
      filter_one(1, place);
}
