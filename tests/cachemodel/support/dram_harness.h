/* SPDX-License-Identifier: MIT */
/** DRAM systems for tests: by device name, with plain settings that a test changes. */
#ifndef DRAM_HARNESS_H
#define DRAM_HARNESS_H

#include "dram/dram_system.h"

/** A device's number by its name; fails the test where there is none. */
uint32_t dram_device_number(const char *name);

/** One channel of one rank with the width of the device's chips, page policy open, queues of 32, no
 * power-down, no controller latency, mapping row-rank-bank-column-channel, interleave 64. */
struct cm_dram_system_config dram_plain(uint32_t device);

/** The most ranks that a channel of a device may have. */
uint32_t dram_max_ranks(uint32_t device);

/** Makes a system; fails the test, with the reason, where the configuration is wrong. */
struct cm_dram_system *dram_create(const struct cm_dram_system_config *config);

/** The address of a block of 64 bytes in a system of one channel with dram_plain's mapping. */
uint64_t dram_address(const struct cm_dram_system_config *config, uint32_t rank, uint32_t bank, uint64_t row,
                      uint32_t block);

#endif
