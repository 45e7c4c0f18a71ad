/* SPDX-License-Identifier: MIT */
#include <assert.h>

#include "dram/device.h"
#include "dram_devices.h"

#define DEVICE(number, name, ...) {#name, __VA_ARGS__},

static const struct cm_dram_device devices[] = {CM_DRAM_DEVICES(DEVICE)};

uint32_t
cm_dram_device_count(void)
{
   return sizeof devices / sizeof devices[0];
}

const struct cm_dram_device *
cm_dram_device(uint32_t number)
{
   assert(number >= 1 && number <= cm_dram_device_count());
   return &devices[number - 1];
}
