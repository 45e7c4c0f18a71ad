/* SPDX-License-Identifier: MIT */
#include "state/tbr_screen.h"

#include "config/config.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "model/tbr_process.h"

void
tbr_screen_note_ended_loops(struct tbr_screen *screen)
{
   if (p_atomic_read(&screen->loops_ended) && !p_atomic_xchg(&screen->reported_loops, 1))
      mesa_logi("a shader's loops were ended after %u iterations (shader.loop_limit); what it "
                "computed is wrong",
                screen->config->shader.loop_limit);
}

void
tbr_screen_check_owner(const struct tbr_screen *screen)
{
   if (!screen->in_forked_child)
      return;
   mesa_loge(
      "a forked child cannot draw with a context of its parent, whose threads it does not have; expected a "
      "display that the child opens itself; the process ends");
   tbr_process_abort();
}
