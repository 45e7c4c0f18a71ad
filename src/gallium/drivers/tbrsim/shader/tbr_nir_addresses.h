/* SPDX-License-Identifier: MIT */
/** NIR passes for memory by address (state/tbr_addresses.h). */
#ifndef TBR_NIR_ADDRESSES_H
#define TBR_NIR_ADDRESSES_H

#include <stdbool.h>

struct nir_shader;

/** Whether the shader accesses memory by address. */
bool tbr_nir_uses_addresses(struct nir_shader *nir);

/** Of a shader that Mesa's draw executes: replaces addresses by those of the host, which it finds in the shader buffer
 * TBR_MARKS_BUFFER (struct tbr_vertex_marks). Where no buffer is, loads give zeros, and stores are lost. Last: what logs
 * accesses needs the addresses as they are. */
void tbr_nir_translate_addresses(struct nir_shader *nir);

#endif
