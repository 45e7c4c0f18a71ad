/* SPDX-License-Identifier: MIT */
/** A capture of gfxreconstruct, of a program of Vulkan: whether it is one and complete, and what it holds. */
#ifndef GFXR_FILE_H
#define GFXR_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct gfxr_file {
   uint64_t *ends;          /**< of each frame: where the call ends that presents it, in bytes */
   unsigned frames;         /**< that are presented */
   bool truncated;          /**< it ends in the middle of a block, as where the program was killed */
   uint64_t size;           /**< in bytes */
   char *program;           /**< the captured program's name; NULL: it gave none */
   bool made_on_other_gpus; /**< not on the simulated GPU or lavapipe, whose memory is alike */
};

/** Whether a file begins as these do. */
bool gfxr_file_is(const char *path);

/** Reads the whole file, and asks gfxrecon-info. Exits with a message if it cannot be read, is damaged, or of another
 * API than Vulkan. */
struct gfxr_file *gfxr_file_open(const char *path);
void gfxr_file_close(struct gfxr_file *file);

/** A copy that ends after frame last, in a temporary file that is removed when the command ends. */
const char *gfxr_file_trim(const struct gfxr_file *file, const char *path, unsigned last);

#endif
