/* SPDX-License-Identifier: MIT */
/** NIR passes for storage: buffers, images, barriers. */
#ifndef TBR_NIR_STORAGE_H
#define TBR_NIR_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

struct nir_shader;

/**
 * Makes every access to storage buffers one to an image, so that all of them reach the load/store unit
 * (tbr_load_store.h) through gallivm's interface for images. The image's number is that of the binding there; of a
 * buffer the first coordinate is the byte offset and the second one how many words are accessed. So does every access to
 * memory by address: its offset is the lower half of the address, the third coordinate the upper one. Control barriers
 * become stores to TBR_BARRIER; barriers of memory alone are dropped: no two invocations run at the same time.
 */
bool tbr_nir_lower_storage(struct nir_shader *nir);

/** How a shader reads its constants: bits of constant buffers. */
struct tbr_block_reads {
   uint32_t preloaded; /**< at offsets that are known before it runs, or of constant buffer 0 */
   uint32_t loaded;    /**< at others, by the load/store unit */
};

/**
 * Makes loads of uniform blocks at computed offsets loads of the load/store unit, as tbr_nir_lower_storage does, which
 * comes before it; the others stay constants, which a processor reads before it runs the shader: so do Mali GPUs (Arm, "The
 * Bifrost Shader Core": uniforms at constant offsets come from registers, others from the load/store unit).
 */
struct tbr_block_reads tbr_nir_lower_uniform_blocks(struct nir_shader *nir);

#endif
