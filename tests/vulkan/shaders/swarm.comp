#version 450
// SPDX-License-Identifier: MIT
// Points that a moving one attracts.
layout(local_size_x = 64) in;
struct Point { vec4 position; vec4 speed; };
layout(set = 0, binding = 0) buffer Points { Point points[]; };
layout(push_constant) uniform Push { vec2 middle; float seconds; uint count; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   if (i >= count)
      return;
   Point point = points[i];
   const vec2 way = middle - point.position.xy;
   point.speed.xy += way * seconds / (0.1 + dot(way, way));
   point.speed.xy *= 1.0 - 0.2 * seconds;
   point.position.xy += point.speed.xy * seconds;
   point.position.w = min(length(point.speed.xy), 1.0);
   points[i] = point;
}
