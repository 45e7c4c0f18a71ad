/* SPDX-License-Identifier: MIT */
/** The organisation that results from a configuration of the DRAM system. */
#ifndef CM_DRAM_ORGANISATION_H
#define CM_DRAM_ORGANISATION_H

#include "dram/address_mapping.h"
#include "dram/device.h"

/** The device's timing with the configuration's changes. */
struct cm_dram_timing cm_dram_config_timing(const struct cm_dram_system_config *config);

/** Chips that work in parallel: a rank. */
uint32_t cm_dram_config_chips(const struct cm_dram_system_config *config);

/** Bytes of a row of a rank, all its chips. */
uint32_t cm_dram_config_row_bytes(const struct cm_dram_system_config *config);

/** Bytes of a burst. */
uint32_t cm_dram_config_burst_bytes(const struct cm_dram_system_config *config);

/** Refreshes of a rank, or of banks of it, in tREFI. */
uint32_t cm_dram_config_refreshes(const struct cm_dram_system_config *config);

/** Bits of an address's fields. */
struct cm_dram_geometry cm_dram_config_geometry(const struct cm_dram_system_config *config);

#endif
