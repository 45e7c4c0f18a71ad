/* SPDX-License-Identifier: MIT */
/* Changes to a configuration (--set), a line each; then whether it can be simulated. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static struct cm_config *config;
   char error[512];
   if (!config && !(config = cm_config_load(NULL, TBRSIM_CONFIGS, error, sizeof error))) {
      fprintf(stderr, "%s\n", error);
      abort();
   }
   struct cm_config changed = *config;
   changed.description = strdup(config->description);
   changed.dram_system.mapping = strdup(config->dram_system.mapping);
   char *text = strndup((const char *)data, size), *rest = text;
   for (char *line; (line = strsep(&rest, "\n"));)
      cm_config_set(&changed, line, error, sizeof error);
   cm_config_validate(&changed, error, sizeof error);
   free(changed.description);
   free(changed.dram_system.mapping);
   free(text);
   return 0;
}
