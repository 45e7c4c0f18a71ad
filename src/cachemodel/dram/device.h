/* SPDX-License-Identifier: MIT */
/**
 * DRAM devices: geometry, timing and power, made from data/dram-devices.csv at build time.
 */
#ifndef CM_DRAM_DEVICE_H
#define CM_DRAM_DEVICE_H

#include <stdint.h>

#include "config/dram_config.h"

struct cm_dram_device {
   const char *name;     /**< "LPDDR3_8Gb_x32_1333" */
   const char *protocol; /**< "LPDDR3" */
   uint32_t bank_groups, banks_per_group;
   uint32_t rows;         /**< of a bank */
   uint32_t columns;      /**< of a row, each of `width` bits */
   uint32_t width;        /**< bits of a chip's data bus */
   uint32_t burst_length; /**< transfers of a column command */
   /** Transfers in a cycle of the clock: 2, double data rate; of LPDDR5, 2 in a cycle of WCK, which has 2 or 4 in
    * one of CK, the clock of commands and timings: 4 or 8 */
   uint32_t beats_per_clock;
   uint32_t refresh_banks; /**< banks that a per-bank refresh takes at once; 0: the device has none */
   uint32_t tCK;           /**< clock period in ps; of LPDDR5, CK's */
   struct cm_dram_timing timing;
   /** What a chip draws in nW while its currents are those of the datasheets' names (dram_energy.h says what they
    * are): of all its supplies, current times voltage. */
   uint32_t IDD0, IDD2P, IDD2N, IDD3P, IDD3N, IDD4W, IDD4R, IDD5AB;
};

/** Cycles that a burst takes on the data bus. */
static inline uint32_t
cm_dram_burst_cycles(const struct cm_dram_device *device)
{
   return device->burst_length / device->beats_per_clock;
}

/** How many there are; they are numbered from 1. */
uint32_t cm_dram_device_count(void);

/** A device by its number (dram_system.device). */
const struct cm_dram_device *cm_dram_device(uint32_t number);

#endif
