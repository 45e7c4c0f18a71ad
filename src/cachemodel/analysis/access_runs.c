/* SPDX-License-Identifier: MIT */
#include "analysis/access_runs.h"

#include <assert.h>
#include <stdlib.h>

#include "util/array.h"

/** Runs of a part, where no render pass bounds it. */
#define PART_RUNS 65536
/** No run. */
#define NO_RUN UINT64_MAX

struct cm_run_reader {
   struct cm_run_options options;
   struct cm_arrivals arrivals;
   struct cm_access_runs part; /* being filled */
   cm_run last;                /* its last run; NO_RUN: none that can be added to */
   bool out_of_memory;
};

/* ---- parts ------------------------------------------------------------------- */

void
cm_access_runs_free(struct cm_access_runs *part)
{
   free(part->runs);
   free(part->counts);
   free(part->invalidations);
}

void
cm_access_runs_add_next_uses(const struct cm_access_runs *part, struct cm_next_use *uses, uint32_t uncached)
{
   uint64_t blocks[1024];
   uint32_t run = 0;
   for (uint32_t i = 0; i <= part->num_invalidations; i++) {
      const uint32_t end = cm_access_runs_piece(part, i);
      while (run < end) {
         unsigned count = 0;
         for (; count < 1024 && run < end && 1 + cm_run_stream(part->runs[run]) != uncached; run++)
            blocks[count++] = cm_run_block(part->runs[run]);
         cm_next_use_add(uses, blocks, count);
         for (; run < end && 1 + cm_run_stream(part->runs[run]) == uncached; run++) {
            const uint64_t block = cm_run_block(part->runs[run]), nothing = NO_RUN - 1;
            cm_next_use_invalidate(uses, block, block);
            cm_next_use_add(uses, &nothing, 1);
         }
      }
      if (i < part->num_invalidations)
         cm_next_use_invalidate(uses, part->invalidations[i].first, part->invalidations[i].last);
   }
}

static void
end_part(struct cm_run_reader *reader)
{
   struct cm_access_runs part = reader->part;
   reader->part = (struct cm_access_runs){.num_runs = 0};
   reader->last = NO_RUN;
   if (part.num_runs || part.num_invalidations || part.resets || part.ends_frame || part.ends_stream)
      reader->options.take(reader->options.context, &part);
   else
      cm_access_runs_free(&part);
}

void
cm_run_reader_end(struct cm_run_reader *reader)
{
   reader->part.ends_stream = true;
   end_part(reader);
}

/* ---- what arrives ------------------------------------------------------------- */

static void
add_run(struct cm_run_reader *reader, cm_run run)
{
   assert(run != NO_RUN && (reader->options.resets || reader->part.num_runs <= PART_RUNS));
   struct cm_access_runs *part = &reader->part;
   if (!reader->options.resets && part->num_runs == PART_RUNS)
      end_part(reader);
   if (!cm_array_grow(&part->runs, part->num_runs, sizeof *part->runs) ||
       !cm_array_grow(&part->counts, part->num_runs, sizeof *part->counts)) {
      reader->out_of_memory = true;
      return;
   }
   part->runs[part->num_runs] = run;
   part->counts[part->num_runs++] = 1;
   reader->last = run;
}

static void
read_access(struct cm_run_reader *reader, const struct cm_unit_arrival *arrival)
{
   assert(arrival->address >> reader->options.unit_block_shift << reader->options.unit_block_shift ==
          arrival->address);
   if (!(reader->options.streams >> arrival->stream & 1))
      return;
   const cm_run run = cm_run_make(arrival->address >> reader->options.block_shift, arrival->stream,
                                  arrival->access != CM_READ);
   uint32_t *counts = reader->part.counts;
   if (run == reader->last && counts[reader->part.num_runs - 1] < UINT32_MAX)
      counts[reader->part.num_runs - 1]++;
   else
      add_run(reader, run);
}

static void
read_invalidation(struct cm_run_reader *reader, const struct cm_unit_arrival *arrival)
{
   assert(arrival->address < arrival->end);
   struct cm_access_runs *part = &reader->part;
   if (!cm_array_grow(&part->invalidations, part->num_invalidations, sizeof *part->invalidations)) {
      reader->out_of_memory = true;
      return;
   }
   const unsigned shift = reader->options.block_shift;
   part->invalidations[part->num_invalidations++] =
      (struct cm_run_invalidation){part->num_runs, arrival->address >> shift, (arrival->end - 1) >> shift};
   reader->last = NO_RUN;
}

static void
read_mark(struct cm_run_reader *reader, enum cm_mark mark)
{
   reader->part.resets = mark == CM_MARK_PASS_END && reader->options.resets;
   reader->part.ends_frame = mark == CM_MARK_FRAME_END;
   if (reader->part.resets || reader->part.ends_frame)
      end_part(reader);
}

static void
read_entries(void *context, const cm_entry *entries, uint32_t count)
{
   struct cm_run_reader *reader = context;
   for (uint32_t i = 0; i < count && !reader->out_of_memory; i++) {
      struct cm_unit_arrival arrival;
      switch (cm_arrivals_decode(&reader->arrivals, entries[i], &arrival)) {
      case CM_ARRIVAL_ACCESS: read_access(reader, &arrival); break;
      case CM_ARRIVAL_INVALIDATION: read_invalidation(reader, &arrival); break;
      case CM_ARRIVAL_MARK: read_mark(reader, arrival.mark); break;
      default: break;
      }
   }
}

/* ---- public ------------------------------------------------------------------- */

struct cm_run_reader *
cm_run_reader_create(const struct cm_run_options *options)
{
   assert(options->take && options->unit < CM_UNIT_COUNT);
   struct cm_run_reader *reader = calloc(1, sizeof *reader);
   if (!reader)
      return NULL;
   reader->options = *options;
   reader->arrivals = (struct cm_arrivals){.unit = options->unit, .block_shift = options->unit_block_shift};
   reader->last = NO_RUN;
   return reader;
}

void
cm_run_reader_destroy(struct cm_run_reader *reader)
{
   if (!reader)
      return;
   cm_access_runs_free(&reader->part);
   free(reader);
}

struct cm_access_reader
cm_run_reader_reader(struct cm_run_reader *reader)
{
   return (
      struct cm_access_reader){.read = read_entries, .context = reader, .units = 1u << reader->options.unit};
}

bool
cm_run_reader_complete(const struct cm_run_reader *reader)
{
   return !reader->out_of_memory;
}
