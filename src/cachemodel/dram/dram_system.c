/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>

#include "dram/address_mapping.h"
#include "dram/channel.h"
#include "dram/organisation.h"
#include "dram/dram_system.h"
#include "dram/scheduler.h"
#include "util/minmax.h"

struct cm_dram_system {
   struct cm_dram_address_mapping mapping;
   uint32_t channels;
   uint32_t burst_shift; /* bytes of a burst: 1 << burst_shift */
   uint32_t bank_shift;  /* as in struct cm_dram_constraints */
   uint32_t period, bytes_per_cycle;
   cm_dram_ticket next_ticket;
   struct cm_dram_channel *channel[16];
   struct cm_dram_system_counters counters; /* of submission */
   struct cm_dram_times times;
   uint8_t channel_of[CM_DRAM_TICKETS];
};

struct cm_dram_system *
cm_dram_system_create(const struct cm_dram_system_config *config)
{
   const struct cm_dram_device *device = cm_dram_device(config->device);
   const struct cm_dram_timing timing = cm_dram_config_timing(config);
   const struct cm_dram_geometry geometry = cm_dram_config_geometry(config);
   struct cm_dram_system *system = calloc(1, sizeof *system);
   char message[300];
   if (!system)
      return NULL;
   if (!cm_dram_address_mapping_parse(&system->mapping, config->mapping, &geometry, message, sizeof message))
      assert(!"cm_dram_system_config_check accepts the configuration");
   system->channels = config->channels;
   system->burst_shift = (uint32_t)__builtin_ctz(cm_dram_config_burst_bytes(config));
   system->bank_shift = geometry.bank_bits;
   system->period = device->tCK;
   system->bytes_per_cycle = device->beats_per_clock * config->channel_width / 8 * config->channels;
   for (uint32_t i = 0; i < config->channels; i++) {
      system->channel[i] = cm_dram_channel_create(config, device, &timing, i, &system->times);
      if (!system->channel[i]) {
         cm_dram_system_destroy(system);
         return NULL;
      }
   }
   return system;
}

void
cm_dram_system_destroy(struct cm_dram_system *system)
{
   if (!system)
      return;
   for (uint32_t i = 0; i < system->channels; i++)
      cm_dram_channel_destroy(system->channel[i]);
   free(system);
}

struct cm_dram_clock
cm_dram_clock_make(uint64_t from, uint64_t to)
{
   assert(from && to);
   uint64_t a = from, b = to;
   while (b) {
      const uint64_t rest = a % b;
      a = b;
      b = rest;
   }
   from /= a;
   to /= a;
   return (struct cm_dram_clock){.from = {from, UINT64_MAX / from, (UINT64_MAX - to) / from},
                                 .to = {to, UINT64_MAX / to, (UINT64_MAX - from) / to}};
}

struct cm_dram_clock
cm_dram_system_clock(const struct cm_dram_system *system, uint32_t clock_mhz)
{
   /* A caller's cycle is 10^6 / clock_mhz ps. */
   return cm_dram_clock_make((uint64_t)clock_mhz * system->period, 1000000);
}

uint32_t
cm_dram_system_bytes_per_cycle(const struct cm_dram_system *system)
{
   return system->bytes_per_cycle;
}

cm_dram_ticket
cm_dram_system_submit(struct cm_dram_system *system, uint64_t address, uint32_t bytes, bool write,
                      enum cm_stream stream, uint64_t arrival)
{
   assert(bytes >= 1 && address % CM_DRAM_REQUEST_BYTES + bytes <= CM_DRAM_REQUEST_BYTES);
   const cm_dram_ticket ticket = system->next_ticket++;
   const uint32_t slot = ticket % CM_DRAM_TICKETS;
   if (system->times.completions[slot] == CM_DRAM_PENDING)
      cm_dram_channel_complete(system->channel[system->channel_of[slot]], ticket);

   const struct cm_dram_location location = cm_dram_address_mapping_locate(&system->mapping, address);
   struct cm_dram_channel *channel = system->channel[location.channel];
   const uint64_t now = cm_dram_channel_now(channel), last = address + bytes - 1;
   const struct cm_dram_request request = {
      .arrival = cm_max64(arrival, now),
      .submitted_arrival = arrival,
      .ticket = ticket,
      .row = location.row,
      .bank = (uint8_t)(location.rank << system->bank_shift | location.bank),
      .bursts = (uint8_t)((last >> system->burst_shift) - (address >> system->burst_shift) + 1),
   };
   system->counters.late_requests += arrival < now;
   *(write ? &system->counters.writes : &system->counters.reads) += 1;
   (write ? system->counters.write_bytes : system->counters.read_bytes)[stream] += bytes;
   system->times.entered[slot] = system->times.completions[slot] = CM_DRAM_PENDING;
   system->channel_of[slot] = (uint8_t)location.channel;
   cm_dram_channel_submit(channel, write ? CM_DRAM_DIRECTION_WRITE : CM_DRAM_DIRECTION_READ, &request);
   return ticket;
}

uint64_t
cm_dram_system_entry(struct cm_dram_system *system, cm_dram_ticket ticket)
{
   assert(ticket < system->next_ticket && system->next_ticket - ticket <= CM_DRAM_TICKETS);
   return cm_dram_channel_enter(system->channel[system->channel_of[ticket % CM_DRAM_TICKETS]], ticket);
}

uint64_t
cm_dram_system_completion(struct cm_dram_system *system, cm_dram_ticket ticket)
{
   const uint32_t slot = ticket % CM_DRAM_TICKETS;
   assert(ticket < system->next_ticket && system->next_ticket - ticket <= CM_DRAM_TICKETS);
   if (system->times.completions[slot] == CM_DRAM_PENDING)
      cm_dram_channel_complete(system->channel[system->channel_of[slot]], ticket);
   return system->times.completions[slot];
}

void
cm_dram_system_set_clock(struct cm_dram_system *system, struct cm_dram_clock clock)
{
   for (uint32_t i = 0; i < system->channels; i++)
      cm_dram_channel_set_clock(system->channel[i], clock);
}

const uint64_t *
cm_dram_system_completions(const struct cm_dram_system *system)
{
   return system->times.completions;
}

void
cm_dram_system_advance(struct cm_dram_system *system, uint64_t cycle)
{
   for (uint32_t i = 0; i < system->channels; i++)
      cm_dram_channel_advance(system->channel[i], cycle);
}

uint64_t
cm_dram_system_drain(struct cm_dram_system *system)
{
   uint64_t last = 0;
   for (uint32_t i = 0; i < system->channels; i++) {
      const uint64_t completion = cm_dram_channel_drain(system->channel[i]);
      last = cm_max64(last, completion);
   }
   return last;
}

void
cm_dram_system_count(const struct cm_dram_system *system, struct cm_dram_system_counters *counters)
{
   *counters = system->counters;
   for (uint32_t i = 0; i < system->channels; i++)
      cm_dram_channel_count(system->channel[i], counters);
}

void
cm_dram_system_observe(struct cm_dram_system *system,
                       void (*observer)(const struct cm_dram_issue *issue, void *context), void *context)
{
   for (uint32_t i = 0; i < system->channels; i++)
      cm_dram_channel_observe(system->channel[i], observer, context);
}
