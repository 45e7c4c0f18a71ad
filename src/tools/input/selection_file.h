/* SPDX-License-Identifier: MIT */
/** Files of tbrsim select: the frames that represent all frames of a recording. */
#ifndef SELECTION_FILE_H
#define SELECTION_FILE_H

#include <stdint.h>

#include "config/config.h"
#include "events/recording.h"
#include "selection/estimate.h"

/** Sizes of caches for which the warm-up is known: 64 KiB and its doubles, and any size. */
#define SELECTION_CACHES 12
#define SELECTION_FIRST_CACHE ((uint64_t)64 << 10)

/** A representative frame. */
struct selected_frame {
   uint32_t number; /**< the program's, counting from 0 */
   struct cm_representative represents;
   /** Frames before it that fill caches of SELECTION_FIRST_CACHE << n bytes, for the last n of any size; ascending. */
   uint32_t warm_up[SELECTION_CACHES];
   uint64_t primitives, fragments; /**< of the frame, which identify it */
};

struct selection {
   const char *path;            /**< of the file */
   uint32_t frames;             /**< of the recording that was selected from */
   double error;                /**< standard error of a total that is expected, of the total */
   struct selected_frame *list; /**< in the order of the recording */
   uint32_t count;
   uint32_t *of; /**< for each frame its representative, a number of the list; not read from files: NULL */
};

/** Writes a file; exits with a message if it cannot. */
void selection_write(const struct selection *selection, const char *path, const char *recording);

/** Reads a file; exits with a message if it is not one. */
struct selection selection_read(const char *path);

/** Frames before a representative that must be simulated for a cache of so many bytes. */
uint32_t selection_warm_up(const struct selected_frame *frame, uint64_t cache_bytes);

/** The largest cache of a configuration, in bytes. */
uint64_t selection_largest_cache(const struct cm_config *config);

/** The program's frames that must be rendered to simulate the representatives with a largest cache of so many bytes,
 * as --frames takes them; *count (unless NULL) becomes how many they are. */
char *selection_frames(const struct selection *selection, uint64_t cache_bytes, uint32_t *count);

/** The frame of a recording (of cm_recording_frames) for a representative. Exits with a message if the
 * recording does not have it, or another one with its number. */
uint32_t selection_find(const struct selection *selection, const struct selected_frame *frame,
                        const struct cm_recording *recording, const char *recording_path);

#endif
