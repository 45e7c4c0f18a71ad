/* SPDX-License-Identifier: MIT */
/** What becomes of lavapipe's shaders. */
#ifndef TBR_VULKAN_NIR_H
#define TBR_VULKAN_NIR_H

#include "nir_builder.h"
#include "vulkan/tbr_vulkan.h"

/** Replaces a shader's uses of descriptors by slots, and its push constants by constant buffer 0. map: where its input
 * attachments are; NULL: in memory. */
void tbr_nir_lower_descriptors(nir_shader *nir, const struct tbr_attachment_map *map,
                               struct tbr_descriptor_slots *slots);
/** A fragment shader's outputs get the locations of the map's colour buffers. */
void tbr_nir_map_outputs(nir_shader *nir, const struct tbr_attachment_map *map);
/** Replaces a load of an input attachment by what the tile buffers hold there (enum tbr_attachment_number). */
void tbr_nir_fetch_input(nir_builder *b, nir_intrinsic_instr *load, unsigned attachment);

#endif
