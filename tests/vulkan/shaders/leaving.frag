#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_EXT_terminate_invocation : require
layout(location = 0) out vec4 result;
/* On the left every second pixel terminates; on the right every second one becomes a helper, whose neighbours' derivatives are
 * as before. */
void main()
{
   const uvec2 pixel = uvec2(gl_FragCoord.xy);
   if (pixel.x < 8) {
      if (pixel.x % 2 == 0)
         terminateInvocation;
      result = vec4(1.0, 0.0, 0.0, 1.0);
      return;
   }
   if (pixel.x % 2 == 0)
      demote;
   const float slope = dFdx(float(pixel.x * pixel.x));
   result = vec4(0.0, slope == float(2 * pixel.x - 1) ? 1.0 : 0.5, helperInvocationEXT() ? 1.0 : 0.0, 1.0);
}
