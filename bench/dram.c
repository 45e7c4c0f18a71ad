/* SPDX-License-Identifier: MIT */
/* How many requests per second the DRAM model takes: one thread, processor time, the best of several runs. As a
 * caller does that waits for what it reads: so many requests are under way, and the completion of the oldest
 * is asked for before the next one is submitted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dram/device.h"
#include "dram/dram_system.h"

#define REQUESTS 2000000u
#define REPEATS 3
#define UNDER_WAY 64

static uint64_t random_state = 1;

static uint32_t
random_below(uint32_t n)
{
   random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
   return (uint32_t)(random_state >> 33) % n;
}

/* What is asked for. */
struct access {
   uint64_t address;
   bool write;
};

static struct access
streaming(uint32_t i)
{
   return (struct access){(uint64_t)i * 64, false};
}

static struct access
uniform(uint32_t i)
{
   return (struct access){(uint64_t)random_below(1u << 24) * 64, false};
}

/* Four streams, two of them written, with a jump now and then: texture, vertices, colour, Parameter Buffer.
 */
static struct access
mixed(uint32_t i)
{
   static uint64_t at[4] = {0, 64 << 20, 128 << 20, 192 << 20};
   const uint32_t stream = random_below(4);
   if (i == 0 || random_below(16) == 0)
      at[stream] = ((uint64_t)stream << 26) + (uint64_t)random_below(1u << 20) * 64;
   at[stream] += 64;
   return (struct access){at[stream], stream >= 2};
}

static const struct {
   const char *name;
   struct access (*next)(uint32_t i);
} patterns[] = {{"streaming", streaming}, {"random", uniform}, {"mixed", mixed}};

static uint32_t
device_number(const char *name)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      if (strcmp(cm_dram_device(number)->name, name) == 0)
         return number;
   }
   fprintf(stderr, "no device %s\n", name);
   exit(1);
}

static struct cm_dram_system_config
dual_channel(const char *device, uint32_t width)
{
   static char mapping[] = "row-rank-bank-column-channel";
   return (struct cm_dram_system_config){
      .device = device_number(device),
      .channels = 2,
      .channel_width = width,
      .ranks = 1,
      .mapping = mapping,
      .interleave = 256,
      .read_queue = 32,
      .write_queue = 32,
      .write_high = 24,
      .write_low = 8,
      .row_hit_limit = 16,
      .power_down_after = 32,
      .controller_latency = 38,
   };
}

static double
seconds(void)
{
   struct timespec now;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
   return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Requests a second; counts and the last completion's cycle. */
static double
run(const struct cm_dram_system_config *config, struct access (*next)(uint32_t i),
    struct cm_dram_system_counters *counters, double *bytes_per_cycle)
{
   struct cm_dram_system *system = cm_dram_system_create(config);
   cm_dram_ticket tickets[UNDER_WAY];
   if (!system) {
      fprintf(stderr, "memory is out\n");
      exit(1);
   }
   random_state = 1;
   const double begin = seconds();
   uint64_t now = 0;
   for (uint32_t i = 0; i < REQUESTS; i++) {
      const struct access access = next(i);
      if (i >= UNDER_WAY) {
         const uint64_t done = cm_dram_system_completion(system, tickets[i % UNDER_WAY]);
         now = done > now ? done : now;
      }
      tickets[i % UNDER_WAY] =
         cm_dram_system_submit(system, access.address, 64, access.write, CM_STREAM_TEXTURE, now);
   }
   const uint64_t end = cm_dram_system_drain(system);
   const double time = seconds() - begin;
   cm_dram_system_count(system, counters);
   *bytes_per_cycle = REQUESTS * 64.0 / (double)end / cm_dram_system_bytes_per_cycle(system);
   cm_dram_system_destroy(system);
   return REQUESTS / time;
}

int
main(void)
{
   const struct cm_dram_system_config configs[] = {
      dual_channel("LPDDR3_8Gb_x32_1333", 32), dual_channel("DDR3_4Gb_x16_1600", 64),
      dual_channel("LPDDR4_8Gb_x16_3200", 16), dual_channel("LPDDR5X_16Gb_x16_8533", 16),
      dual_channel("DDR5_16Gb_x8_4800", 32),
   };
   printf("| device, two channels | requests | M requests/s | row hits | of the pins' rate |\n");
   printf("| --- | --- | ---: | ---: | ---: |\n");
   for (unsigned c = 0; c < sizeof configs / sizeof configs[0]; c++) {
      for (unsigned p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
         struct cm_dram_system_counters counters;
         double best = 0, rate = 0;
         for (int repeat = 0; repeat < REPEATS; repeat++) {
            const double speed = run(&configs[c], patterns[p].next, &counters, &rate);
            best = speed > best ? speed : best;
         }
         printf("| %s | %s | %.1f | %.0f %% | %.0f %% |\n", cm_dram_device(configs[c].device)->name,
                patterns[p].name, best / 1e6, 100.0 * (double)counters.row_hits / REQUESTS, 100 * rate);
      }
   }
   return 0;
}
