/* SPDX-License-Identifier: MIT */
/** A recording that a command reads: its frames and the configurations that are looked at. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>

#include "options.h"
#include "commands/simulation.h"

struct session {
   const char *path;
   struct configurations configurations; /**< loaded */
   /** The recording and the frames of it; the command fills the list. */
   struct simulations simulations;
   bool damaged; /**< the recording is damaged, which was reported */
};

/** Opens a recording, finds the frames and loads the configurations. Exits with a message if it is not one or
 * has no complete frame, if it does not have the frames, or if the configurations are wrong for it. Damage is
 * reported. configurations: as given, not loaded; NULL: none are. */
struct session session_open(const char *path, const struct frame_selection *frames,
                            const struct configurations *configurations);

/** The same for the accesses of simulations, one per configuration, which are in the list. Exits with a message
 * if the frames are of several GPUs, each of which has addresses of its own. */
struct session session_open_accesses(const char *path, const struct frame_selection *frames,
                                     const struct configurations *configurations);

/** The program's number of a frame of cm_recording_frames. */
unsigned session_frame_number(const struct session *session, unsigned frame);

/** Reports damage that was found since. False if there is any. */
bool session_check(struct session *session);

void session_close(struct session *session);

#endif
