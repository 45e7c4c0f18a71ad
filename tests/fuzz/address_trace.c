/* SPDX-License-Identifier: MIT */
/* The readers of address traces, compressed or not. The first byte is for the options, the others are
 * the file. What is read is simulated in a small cache. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/address_trace.h"
#include "memory/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory of these bytes. */
static int
file_of(const uint8_t *data, size_t size)
{
   const int file = memfd_create("trace", MFD_CLOEXEC);
   if (file < 0 || write(file, data, size) != (ssize_t)size) {
      perror("memfd_create");
      abort();
   }
   return file;
}

/* Reads all of a trace that is not too long; small files can be of many blocks. */
static void
read_trace(struct address_trace *trace, struct cm_cache *cache)
{
   static struct address_batch batch;
   char error[512] = "";
   for (unsigned batches = 0; batches < 4; batches++) {
      if (!address_trace_read(trace, &batch, error, sizeof error)) {
         /* One line, which says something. */
         if (!error[0] || strchr(error, '\n'))
            abort();
         return;
      }
      if (!batch.count && !batch.invalidates)
         return;
      for (unsigned i = 0; i < batch.count; i++) {
         if (batch.blocks[i] >= (1ull << 56) - 1)
            abort();
         cm_cache_access(cache, batch.blocks[i] << cache->block_shift, CM_STREAM_TEXTURE,
                         batch.is_write[i] ? CM_WRITE : CM_READ);
      }
      if (batch.invalidates)
         cm_cache_invalidate(cache, batch.invalid_begin, batch.invalid_end);
   }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   if (!size)
      return 0;
   const struct address_options options = {
      .format =
         data[0] % 16 < ADDRESS_FORMAT_COUNT ? (enum address_format)(data[0] % 16) : ADDRESS_FORMAT_AUTO,
      .block_shift = 4 + data[0] / 16 % 8,
      .objects = data[0] >= 128,
   };
   const struct cm_cache_config config = {.size = 2u << options.block_shift,
                                          .ways = 2,
                                          .block = 1u << options.block_shift,
                                          .instances = 1,
                                          .next = CM_UNIT_DRAM};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   char error[512] = "";
   const int descriptor = file_of(data + 1, size - 1);
   char name[40];
   snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
   struct input_file *file = input_file_open(name, error, sizeof error);
   close(descriptor);
   struct address_trace *trace =
      file ? address_trace_open(file, "trace", &options, error, sizeof error) : NULL;
   if (!trace) {
      if (!error[0] || strchr(error, '\n'))
         abort();
      return 0;
   }
   if (!cm_cache_init(&cache, &config, NULL, &dram))
      abort();
   read_trace(trace, &cache);
   cm_cache_finish(&cache);
   address_trace_close(trace);
   return 0;
}
