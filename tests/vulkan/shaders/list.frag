#version 450
// SPDX-License-Identifier: MIT
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Node { vec4 circle, color; Node next; };
layout(push_constant) uniform Push { Node first; };
layout(location = 0) out vec4 result;
void main()
{
   result = vec4(0.1, 0.1, 0.2, 1.0);
   for (Node node = first; uvec2(node) != uvec2(0); node = node.next) {
      const vec2 distance = gl_FragCoord.xy - node.circle.xy;
      if (dot(distance, distance) < node.circle.z * node.circle.z)
         result = mix(result, node.color, 0.5);
   }
}
