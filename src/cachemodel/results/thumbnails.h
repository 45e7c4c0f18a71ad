/* SPDX-License-Identifier: MIT */
/**
 * The folder "thumbnails" next to stats.json: small pictures of what render passes have rendered, FRAME-PASS.png with the
 * numbers that passes.csv has.
 */
#ifndef CM_THUMBNAILS_H
#define CM_THUMBNAILS_H

#include <stddef.h>
#include <stdint.h>

#define CM_THUMBNAILS_NAME "thumbnails"

/** Writes a picture into the folder of a directory, which is made. It has its name once it is whole. 0, or the error number. */
int cm_thumbnails_write(int directory, uint64_t frame, uint32_t pass, const void *png, size_t size);

/** Removes the pictures in the folder of a directory, and the folder if nothing else is in it. A folder that is a link is
 * left alone. */
void cm_thumbnails_remove(int directory);

#endif
