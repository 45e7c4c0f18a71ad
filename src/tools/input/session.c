/* SPDX-License-Identifier: MIT */
#include "input/session.h"

#include "input/source.h"
#include "tools.h"

static struct cm_recording *
open_recording(const char *path)
{
   char error[512];
   size_t frames;
   struct cm_recording *recording = cm_recording_open(path, error, sizeof(error));
   /* Most traces are compressed with brotli, which nothing but its name tells. */
   if (!recording)
      fail(STATUS_FAILED, "%s%s", error, source_recording_hint(path));
   cm_recording_frames(recording, &frames);
   if (!frames && cm_recording_damage(recording))
      fail(STATUS_FAILED, "%s", cm_recording_damage(recording));
   if (!frames)
      fail(STATUS_FAILED, "%s: no frame was recorded", path);
   if (cm_recording_damage(recording))
      say("%s", cm_recording_damage(recording));
   return recording;
}

/* The frames (of cm_recording_frames) with the program's numbers; all for NULL. */
static void
find_frames(const struct cm_recording *recording, const char *path, const char *frames, unsigned *first,
            unsigned *last)
{
   size_t count;
   const struct cm_indexed_frame *list = cm_recording_frames(recording, &count);
   *first = 0;
   *last = (unsigned)count - 1;
   if (!frames)
      return;
   const struct frame_range range = options_frames(frames);
   while (*first < count && list[*first].number != range.first)
      (*first)++;
   *last = *first;
   while (*last < count && list[*last].number != range.last)
      (*last)++;
   if (*last >= count)
      fail(STATUS_USAGE, "--frames %s: %s has the frames %u-%u", frames, path, list[0].number,
           list[count - 1].number);
}

/* The configurations as they were given stay: another recording may take them, too. */
static void
load_configurations(struct session *session, const struct configurations *given)
{
   struct configurations *configurations = &session->configurations;
   *configurations = *given;
   if (given->count) {
      configurations->list = allocate(given->count * sizeof(*given->list));
      memcpy(configurations->list, given->list, given->count * sizeof(*given->list));
   }
   configurations_finish(configurations, session->simulations.recording);
}

struct session
session_open(const char *path, const struct frame_selection *frames,
             const struct configurations *configurations)
{
   struct session session = {.path = path, .simulations = {.recording = open_recording(path), .jobs = 1}};
   struct simulations *simulations = &session.simulations;
   session.damaged = cm_recording_damage(simulations->recording);
   find_frames(simulations->recording, path, frames->frames, &simulations->first_frame,
               &simulations->last_frame);
   const unsigned num_frames = simulations->last_frame - simulations->first_frame + 1;
   if (frames->warm_up >= num_frames)
      fail(STATUS_USAGE,
           "%s: --warm-up %u leaves no frame of %u to count, expected more frames or a smaller --warm-up",
           path, frames->warm_up, num_frames);
   if (configurations)
      load_configurations(&session, configurations);
   if (configurations && !cm_recording_has_regions(simulations->recording))
      say(
         "%s: recorded before version 12 of the format: instructions are those of the shaders' text, where a "
         "loop counts once, and both sides of a branch; a new recording has how often they ran",
         path);
   return session;
}

struct session
session_open_accesses(const char *path, const struct frame_selection *frames,
                      const struct configurations *configurations)
{
   struct session session = session_open(path, frames, configurations);
   struct simulations *simulations = &session.simulations;
   if (cm_recording_count_gpus(simulations->recording, simulations->first_frame, simulations->last_frame) > 1)
      fail(STATUS_USAGE,
           "%s: the frames are of several GPUs, each with addresses of its own; select with --frames", path);
   simulations->count = session.configurations.count;
   simulations->list = allocate(simulations->count * sizeof(*simulations->list));
   return session;
}

unsigned
session_frame_number(const struct session *session, unsigned frame)
{
   size_t count;
   return cm_recording_frames(session->simulations.recording, &count)[frame].number;
}

bool
session_check(struct session *session)
{
   const char *damage = cm_recording_damage(session->simulations.recording);
   if (damage && !session->damaged)
      say("%s", damage);
   session->damaged |= damage != NULL;
   return !session->damaged;
}

void
session_close(struct session *session)
{
   cm_recording_close(session->simulations.recording);
}
