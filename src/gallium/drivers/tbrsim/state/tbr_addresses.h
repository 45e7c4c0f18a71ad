/* SPDX-License-Identifier: MIT */
/**
 * Memory by address: buffers that shaders access without a binding (Vulkan's bufferDeviceAddress).
 *
 * An address is the simulated GPU's and not the host's: its upper 32 bits are the number of the buffer, from 1 on, its lower
 * 32 the offset in it. So each access is one to a known buffer, also where several buffers share memory, and addresses do not
 * differ from run to run.
 */
#ifndef TBR_ADDRESSES_H
#define TBR_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/simple_mtx.h"
#include "util/u_dynarray.h"

struct tbr_context;
struct tbr_resource;
struct tbr_screen;

/** A buffer that has an address. Generated code reads these 16 bytes (shader/tbr_nir_addresses.h). */
struct tbr_addressed_buffer {
   uint8_t *memory;
   uint32_t bytes; /**< 0: no buffer has the number */
   uint32_t id;    /**< in the event stream */
};

/** All of them at some time, by number. It does not change. */
struct tbr_address_table {
   int32_t users;  /**< references (atomic) */
   uint32_t count; /**< of numbers; up to CM_MAX_ADDRESSED */
   struct tbr_addressed_buffer buffers[];
};

/** A screen's. */
struct tbr_addresses {
   simple_mtx_t lock;               /**< of the next three */
   struct util_dynarray buffers;    /**< struct tbr_resource *, by number; NULL: none */
   struct util_dynarray free;       /**< uint32_t, numbers of buffers that are gone */
   struct tbr_address_table *table; /**< referenced; NULL: it is out of date */
   uint64_t last_use,
      last_write; /**< batches whose fragment shaders access memory by address, or may store to what has
                                      * an address: sequence numbers; 0: none (atomic) */
   uint64_t write_before; /**< the last such batch before last_write (atomic) */
};

/** The buffer's address, from now on; 0, with a message, where there are none left. It has to have its memory. */
uint64_t tbr_addresses_of(struct tbr_resource *buffer);
/** The buffer is destroyed. */
void tbr_addresses_forget(struct tbr_resource *buffer);

/** Before a draw or a dispatch whose shaders access memory by address: context->addresses become those of now, and the event
 * stream knows the buffers. False when out of memory. */
bool tbr_addresses_update(struct tbr_context *context);
/** Makes *destination a reference to the table. */
void tbr_address_table_reference(struct tbr_address_table **destination, struct tbr_address_table *table);

/** Appends to a list of uint32_t, by number, the buffers' identifiers in the event stream. False when out of memory. */
bool tbr_address_table_list(const struct tbr_address_table *table, struct util_dynarray *ids);

/** Shaders may have changed any buffer that has an address. */
void tbr_addresses_note_write(struct tbr_screen *screen);

/** Says, once, that there is no buffer where a shader accessed memory. */
void tbr_addresses_report_outside(uint64_t address);

/** What a new screen has. */
void tbr_addresses_init(struct tbr_addresses *addresses);
/** The screen ends. */
void tbr_addresses_fini(struct tbr_addresses *addresses);

#endif
