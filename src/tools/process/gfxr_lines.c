/* SPDX-License-Identifier: MIT */
#include "process/gfxr_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"
#include "util/array.h"

#define MAX_SAID 20

struct gfxr_line {
   char *text;
   unsigned count; /* how often */
   bool is_note;   /* the layer said it when the capture was made */
};

/* Warnings that nothing is left out: the device is another one, results such as VK_SUBOPTIMAL_KHR are others, a surface without a
 * window (VK_EXT_headless_surface) has none whose size changes. */
static const char *const harmless[] = {
   "The replay device differs from the original capture device",
   "  Capture device info:",
   "  Replay device info:",
   "that does not match return value from capture file",
   "Skipping window resize for VkSurface object",
};

static bool
is_harmless(const char *text)
{
   for (unsigned h = 0; h < sizeof harmless / sizeof *harmless; h++) {
      if (strstr(text, harmless[h]))
         return true;
   }
   return false;
}

static void
add(struct gfxr_lines *lines, const char *message, bool is_note)
{
   for (unsigned l = 0; l < lines->count; l++) {
      if (!strcmp(lines->list[l].text, message)) {
         lines->list[l].count++;
         return;
      }
   }
   if (!cm_array_grow(&lines->list, lines->count, sizeof(*lines->list)))
      fail(STATUS_FAILED, "out of memory");
   lines->list[lines->count++] = (struct gfxr_line){text("%s", message), 1, is_note};
}

/* What follows a beginning; NULL: the line begins otherwise. */
static const char *
after(const char *line, const char *beginning)
{
   const size_t length = strlen(beginning);
   return strncmp(line, beginning, length) ? NULL : line + length;
}

void
gfxr_lines_take(struct gfxr_lines *lines, const char *line)
{
   const char *own = after(line, "[gfxrecon] "), *message;
   if (!own)
      return;
   if ((message = after(own, "FATAL - "))) {
      if (!lines->reason)
         lines->reason = text("%s", message);
   } else if ((message = after(own, "ERROR - "))) {
      add(lines, message, false);
   } else if ((message = after(own, "WARNING - "))) {
      if (!is_harmless(message))
         add(lines, message, false);
   } else if ((message = after(own, "INFO - Trace Message: "))) {
      add(lines, message, true);
   }
}

bool
gfxr_lines_say(const struct gfxr_lines *lines, const char *log)
{
   bool any = false;
   for (unsigned l = 0; l < lines->count; l++) {
      const struct gfxr_line *line = &lines->list[l];
      any |= !line->is_note;
      if (l >= MAX_SAID)
         continue;
      char *times = line->count > 1 ? text(" (%u times)", line->count) : text("%s", "");
      if (line->is_note)
         fprintf(stderr, "tbrsim (note): said when the capture was made: %s%s\n", line->text, times);
      else
         say("gfxrecon-replay: %s%s", line->text, times);
      free(times);
   }
   if (lines->count > MAX_SAID)
      say("gfxrecon-replay: %u more such lines are in %s", lines->count - MAX_SAID, log);
   return any;
}

void
gfxr_lines_free(struct gfxr_lines *lines)
{
   for (unsigned l = 0; l < lines->count; l++)
      free(lines->list[l].text);
   free(lines->list);
   free(lines->reason);
   *lines = (struct gfxr_lines){0};
}
