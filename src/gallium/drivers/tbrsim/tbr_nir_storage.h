/* SPDX-License-Identifier: MIT */
/** NIR passes for storage: buffers, images, barriers. */
#ifndef TBR_NIR_STORAGE_H
#define TBR_NIR_STORAGE_H

#include <stdbool.h>

struct nir_shader;

/**
 * Makes every access to storage buffers one to an image, so that all of them reach the load/store unit
 * (tbr_load_store.h) through gallivm's interface for images. The image's number is that of the binding there; of a
 * buffer the first coordinate is the byte offset and the second one how many words are accessed. Control barriers
 * become stores to TBR_BARRIER; barriers of memory alone are dropped: no invocation runs beside another one.
 */
bool tbr_nir_lower_storage(struct nir_shader *nir);

#endif
