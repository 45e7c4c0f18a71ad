/* SPDX-License-Identifier: MIT */
/* Random requests on random systems: command for command and cycle for cycle what a simulator that goes
 * through every cycle does, and the same counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dram/dram_energy.h"
#include "dram/organisation.h"
#include "support/dram_harness.h"
#include "support/naive_dram.h"
#include "support/test.h"
#include "util/minmax.h"

#define MAX_REQUESTS 200
#define MAX_CHANNELS 2

/* A request as the model is given it, and where it is. */
struct request {
   uint64_t address, arrival;
   uint32_t bytes;
   bool write;
   uint32_t channel, rank, bank, bursts;
   uint64_t row;
   cm_dram_ticket ticket;
};

struct scenario {
   struct cm_dram_system_config config;
   struct cm_dram_timing timing;
   char mapping[40];
   struct request requests[MAX_REQUESTS];
   uint32_t num_requests;
};

static uint32_t
power_of_two(uint64_t *random, uint32_t exponents)
{
   return 1u << random_below(random, exponents);
}

/* An order of the fields. */
static void
random_mapping(uint64_t *random, char *text, const char *order[5])
{
   const char *fields[] = {"row", "rank", random_below(random, 3) ? "bank" : "bank^row", "column", "channel"};
   text[0] = '\0';
   for (uint32_t left = 5; left; left--) {
      const uint32_t pick = random_below(random, left);
      order[5 - left] = fields[pick];
      strcat(strcat(text, text[0] ? "-" : ""), fields[pick]);
      fields[pick] = fields[left - 1];
   }
}

/* The address of a place, field by field from the least significant one. */
static uint64_t
compose(const struct cm_dram_system_config *config, const char *const order[5], const struct request *request,
        uint32_t column)
{
   const struct cm_dram_device *device = cm_dram_device(config->device);
   const uint32_t banks = device->bank_groups * device->banks_per_group;
   uint64_t address = column % config->interleave, weight = config->interleave;
   for (int i = 4; i >= 0; i--) {
      uint64_t value, count;
      if (strcmp(order[i], "row") == 0) {
         value = request->row;
         count = device->rows;
      } else if (strcmp(order[i], "rank") == 0) {
         value = request->rank;
         count = config->ranks;
      } else if (strcmp(order[i], "channel") == 0) {
         value = request->channel;
         count = config->channels;
      } else if (strcmp(order[i], "column") == 0) {
         value = column / config->interleave;
         count = device->columns * config->channel_width / 8 / config->interleave;
      } else {
         value = strcmp(order[i], "bank") == 0 ? request->bank : (request->bank ^ request->row) % banks;
         count = banks;
      }
      address += value * weight;
      weight *= count;
   }
   return address;
}

static void
random_config(uint64_t *random, struct scenario *s)
{
   struct cm_dram_system_config *config = &s->config;
   *config = dram_plain(1 + random_below(random, cm_dram_device_count()));
   const struct cm_dram_device *device = cm_dram_device(config->device);
   config->channels = power_of_two(random, 2);
   config->ranks = power_of_two(random, 3);
   if (config->ranks > dram_max_ranks(config->device))
      config->ranks = dram_max_ranks(config->device);
   config->refresh =
      device->refresh_banks && random_below(random, 2) ? CM_DRAM_REFRESH_PER_BANK : CM_DRAM_REFRESH_ALL_BANK;
   config->channel_width = device->width * power_of_two(random, 3);
   config->interleave = 64 * power_of_two(random, 4);
   config->page_policy = random_below(random, 3) ? CM_DRAM_PAGE_OPEN : CM_DRAM_PAGE_CLOSED;
   config->read_queue = 1 + random_below(random, random_below(random, 2) ? 64 : 6);
   config->write_queue = 1 + random_below(random, random_below(random, 2) ? 64 : 6);
   config->write_high = 1 + random_below(random, config->write_queue);
   config->write_low = random_below(random, config->write_high);
   config->turn_requests = random_below(random, 2) ? 0 : 1 + random_below(random, 20);
   config->row_hit_limit = random_below(random, 2) ? 0 : 1 + random_below(random, 6);
   config->power_down_after =
      random_below(random, 2) ? 0 : 1 + random_below(random, random_below(random, 3) ? 40 : 700);
   config->controller_latency = random_below(random, 50);
   config->mapping = s->mapping;
   /* Refreshes come often, and some timings differ. */
   config->timing.tREFI = config->ranks * (device->timing.tRFC + device->timing.tRAS + device->timing.tRP) +
                          200 + random_below(random, 2000);
   if (config->refresh == CM_DRAM_REFRESH_PER_BANK)
      config->timing.tREFI +=
         8 * (device->timing.tRFCpb + device->timing.tRAS + device->timing.tRP) - device->timing.tRFC;
   if (random_below(random, 2)) {
      config->timing.CL = 4 + random_below(random, 16);
      config->timing.tRCD = 2 + random_below(random, cm_min(20, device->timing.tRAS - 1));
      config->timing.tRP = 2 + random_below(random, 12);
      config->timing.tFAW = 1 + random_below(random, 80);
      config->timing.tXP = 1 + random_below(random, 20);
   }
   s->timing = cm_dram_config_timing(config);
}

static void
random_requests(uint64_t *random, struct scenario *s, const char *const order[5])
{
   const struct cm_dram_system_config *config = &s->config;
   const struct cm_dram_device *device = cm_dram_device(config->device);
   const uint32_t row_bytes = device->columns * config->channel_width / 8;
   const uint32_t burst_bytes = device->burst_length * config->channel_width / 8;
   const uint32_t rows = 1 + random_below(random, 4), gap = 1 + random_below(random, 60);
   const uint32_t banks = 1 + random_below(random, device->bank_groups * device->banks_per_group);
   const uint32_t write_percent = random_below(random, 100);
   uint64_t arrival = 0;
   s->num_requests = 50 + random_below(random, MAX_REQUESTS - 50);
   for (uint32_t i = 0; i < s->num_requests; i++) {
      struct request *request = &s->requests[i];
      arrival += random_below(random, 40) ? random_below(random, gap) : random_below(random, 3000);
      request->arrival = arrival;
      request->write = random_below(random, 100) < write_percent;
      request->channel = random_below(random, config->channels);
      request->rank = random_below(random, config->ranks);
      request->bank = random_below(random, banks);
      request->row = random_below(random, rows);
      const uint32_t offset = random_below(random, 3) ? 0 : random_below(random, 64);
      request->bytes = offset ? 1 + random_below(random, 64 - offset) : 64;
      request->bursts = (offset + request->bytes - 1) / burst_bytes - offset / burst_bytes + 1;
      request->address = compose(config, order, request, random_below(random, row_bytes / 64) * 64 + offset);
   }
}

/* Commands that the model issued, channel by channel. */
struct log {
   struct cm_dram_issue *commands[MAX_CHANNELS];
   uint32_t count[MAX_CHANNELS];
};
#define MAX_COMMANDS 100000

static void
log_command(const struct cm_dram_issue *issue, void *context)
{
   struct log *log = context;
   assert_true(log->count[issue->channel] < MAX_COMMANDS);
   log->commands[issue->channel][log->count[issue->channel]++] = *issue;
}

/* Submits all, in an order that keeps that of equal arrivals, then runs; or bit by bit, with scheduling
 * between. */
static void
run_model(uint64_t *random, struct scenario *s, struct cm_dram_system *system, bool bit_by_bit, uint64_t end)
{
   for (uint32_t i = 0; i < s->num_requests; i++) {
      struct request *request = &s->requests[i];
      if (bit_by_bit && random_below(random, 4) == 0) {
         const uint64_t before = i ? s->requests[i - 1].arrival : 0;
         cm_dram_system_advance(system,
                                before + random_below(random, (uint32_t)(request->arrival - before) + 1));
      }
      request->ticket = cm_dram_system_submit(system, request->address, request->bytes, request->write,
                                              CM_STREAM_TEXTURE, request->arrival);
   }
   if (bit_by_bit) {
      for (uint32_t i = 0; i < 5; i++) {
         cm_dram_system_entry(system, s->requests[random_below(random, s->num_requests)].ticket);
         cm_dram_system_completion(system, s->requests[random_below(random, s->num_requests)].ticket);
      }
   }
   const uint64_t last = cm_dram_system_drain(system);
   if (last > end + s->config.controller_latency)
      fail_msg("drained at %llu", (unsigned long long)last);
   cm_dram_system_advance(system, end);
}

/* Arrivals go back and forth by a little. */
static void
shuffle_arrivals(uint64_t *random, struct scenario *s)
{
   for (uint32_t i = 1; i < s->num_requests; i++) {
      if (random_below(random, 4) == 0) {
         const struct request swapped = s->requests[i];
         s->requests[i] = s->requests[i - 1];
         s->requests[i - 1] = swapped;
      }
   }
}

static uint32_t
age_ordered(const struct scenario *s, uint32_t channel, struct naive_request *requests, uint32_t *indices)
{
   uint32_t count = 0;
   for (uint32_t i = 0; i < s->num_requests; i++) {
      const struct request *request = &s->requests[i];
      if (request->channel != channel)
         continue;
      uint32_t place = count++;
      for (; place && requests[place - 1].arrival > request->arrival; place--) {
         requests[place] = requests[place - 1];
         indices[place] = indices[place - 1];
      }
      requests[place] = (struct naive_request){.arrival = request->arrival,
                                               .write = request->write,
                                               .rank = request->rank,
                                               .bank = request->bank,
                                               .row = request->row,
                                               .bursts = request->bursts};
      indices[place] = i;
   }
   return count;
}

static void
compare_commands(const struct log *log, uint32_t channel, const struct naive_result *naive, uint64_t seed)
{
   for (uint32_t i = 0; i < log->count[channel] && i < naive->num_commands; i++) {
      const struct cm_dram_issue *a = &log->commands[channel][i], *b = &naive->commands[i];
      if (a->cycle != b->cycle || a->command != b->command || a->rank != b->rank || a->bank != b->bank ||
          a->row != b->row)
         fail_msg("seed %llu, command %u: model %llu: %u of %u.%u, reference %llu: %u of %u.%u",
                  (unsigned long long)seed, i, (unsigned long long)a->cycle, a->command, a->rank, a->bank,
                  (unsigned long long)b->cycle, b->command, b->rank, b->bank);
   }
   assert_int_equal(log->count[channel], naive->num_commands);
}

static void
compare(struct scenario *s, struct cm_dram_system *system, const struct log *log, uint64_t end, uint64_t seed)
{
   static struct naive_request requests[MAX_REQUESTS];
   uint32_t indices[MAX_REQUESTS];
   struct naive_result sum = {0}, naive;
   struct cm_dram_system_counters counters;
   uint64_t latency[2] = {0, 0};
   for (uint32_t channel = 0; channel < s->config.channels; channel++) {
      const uint32_t count = age_ordered(s, channel, requests, indices);
      naive_dram_run(&s->config, cm_dram_device(s->config.device), &s->timing, requests, count, end, &naive);
      compare_commands(log, channel, &naive, seed);
      for (uint32_t i = 0; i < count; i++) {
         const uint64_t completion =
            requests[i].completion + (requests[i].write ? 0 : s->config.controller_latency);
         assert_true(requests[i].done);
         assert_int_equal(cm_dram_system_entry(system, s->requests[indices[i]].ticket), requests[i].entered);
         assert_int_equal(cm_dram_system_completion(system, s->requests[indices[i]].ticket), completion);
         latency[requests[i].write] += completion - requests[i].arrival;
      }
#define ADD(name) sum.name += naive.name
      ADD(row_hits);
      ADD(row_misses);
      ADD(row_conflicts);
      ADD(active_cycles);
      ADD(precharged_cycles);
      ADD(active_power_down_cycles);
      ADD(precharge_power_down_cycles);
      ADD(queue_full_requests);
      ADD(queue_full_cycles);
#undef ADD
      naive_dram_finish(&naive);
   }
   cm_dram_system_count(system, &counters);
#define EQUAL(name) assert_int_equal(counters.name, sum.name)
   EQUAL(row_hits);
   EQUAL(row_misses);
   EQUAL(row_conflicts);
   EQUAL(active_cycles);
   EQUAL(precharged_cycles);
   EQUAL(active_power_down_cycles);
   EQUAL(precharge_power_down_cycles);
   EQUAL(queue_full_requests);
   EQUAL(queue_full_cycles);
#undef EQUAL
   assert_int_equal(counters.read_latency_cycles, latency[0]);
   assert_int_equal(counters.write_latency_cycles, latency[1]);
   assert_int_equal(counters.late_requests, 0);
   assert_int_equal(counters.row_hits + counters.row_misses + counters.row_conflicts,
                    counters.reads + counters.writes);
   assert_int_equal(counters.reads + counters.writes, s->num_requests);
   assert_int_equal(counters.active_cycles + counters.precharged_cycles + counters.active_power_down_cycles +
                       counters.precharge_power_down_cycles,
                    end * s->config.channels * s->config.ranks);
}

static void
run_scenario(uint64_t seed, struct log *log)
{
   static struct scenario s;
   const char *order[5];
   uint64_t random = seed * 977 + 1;
   memset(&s, 0, sizeof s);
   random_mapping(&random, s.mapping, order);
   random_config(&random, &s);
   random_requests(&random, &s, order);
   const bool bit_by_bit = random_below(&random, 2);
   if (!bit_by_bit)
      shuffle_arrivals(&random, &s);
   const uint64_t end = s.requests[s.num_requests - 1].arrival + 260ull * s.num_requests + 5000;
   struct cm_dram_system *system = dram_create(&s.config);
   log->count[0] = log->count[1] = 0;
   cm_dram_system_observe(system, log_command, log);
   run_model(&random, &s, system, bit_by_bit, end);
   compare(&s, system, log, end, seed);
   cm_dram_system_destroy(system);
}

TEST(random)
{
   struct log log;
   for (int i = 0; i < MAX_CHANNELS; i++) {
      log.commands[i] = malloc(MAX_COMMANDS * sizeof *log.commands[i]);
      assert_non_null(log.commands[i]);
   }
   for (uint64_t seed = 0; seed < test_rounds(200); seed++)
      run_scenario(seed, &log);
   for (int i = 0; i < MAX_CHANNELS; i++)
      free(log.commands[i]);
}
