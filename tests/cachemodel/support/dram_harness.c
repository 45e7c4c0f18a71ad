/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "dram/organisation.h"
#include "support/dram_harness.h"
#include "support/test.h"

uint32_t
dram_device_number(const char *name)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      if (strcmp(cm_dram_device(number)->name, name) == 0)
         return number;
   }
   fail_msg("no device %s", name);
   return 0;
}

struct cm_dram_system_config
dram_plain(uint32_t device)
{
   static char mapping[] = "row-rank-bank-column-channel";
   return (struct cm_dram_system_config){
      .device = device,
      .channels = 1,
      .channel_width = cm_dram_device(device)->width,
      .ranks = 1,
      .mapping = mapping,
      .interleave = 64,
      .page_policy = CM_DRAM_PAGE_OPEN,
      .read_queue = 32,
      .write_queue = 32,
      .write_high = 24,
      .write_low = 8,
   };
}

uint32_t
dram_max_ranks(uint32_t device)
{
   const uint32_t banks = cm_dram_device(device)->bank_groups * cm_dram_device(device)->banks_per_group;
   return banks * 4 > 64 ? 64 / banks : 4;
}

struct cm_dram_system *
dram_create(const struct cm_dram_system_config *config)
{
   struct cm_config_problem problem;
   if (!cm_dram_system_config_check(config, 1, &problem))
      fail_msg("%s: %s", problem.key, problem.message);
   struct cm_dram_system *system = cm_dram_system_create(config);
   assert_non_null(system);
   return system;
}

uint64_t
dram_address(const struct cm_dram_system_config *config, uint32_t rank, uint32_t bank, uint64_t row,
             uint32_t block)
{
   const struct cm_dram_device *device = cm_dram_device(config->device);
   const uint32_t banks = device->bank_groups * device->banks_per_group;
   return ((row * config->ranks + rank) * banks + bank) * cm_dram_config_row_bytes(config) + block * 64;
}
