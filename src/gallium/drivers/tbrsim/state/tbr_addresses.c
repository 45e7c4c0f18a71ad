/* SPDX-License-Identifier: MIT */
#include "state/tbr_addresses.h"

#include <assert.h>

#include "events/event_stream.h"
#include "util/log.h"
#include "util/u_atomic.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"
#include "state/tbr_context.h"
#include "state/tbr_resource.h"
#include "state/tbr_screen.h"

static_assert(sizeof(struct tbr_addressed_buffer) == 16, "as generated code has it");

void
tbr_addresses_init(struct tbr_addresses *addresses)
{
   simple_mtx_init(&addresses->lock, mtx_plain);
   util_dynarray_init(&addresses->buffers, NULL);
   util_dynarray_init(&addresses->free, NULL);
}

void
tbr_addresses_fini(struct tbr_addresses *addresses)
{
   tbr_address_table_reference(&addresses->table, NULL);
   util_dynarray_fini(&addresses->buffers);
   util_dynarray_fini(&addresses->free);
   simple_mtx_destroy(&addresses->lock);
}

/* ---- tables ---------------------------------------------------------------- */

void
tbr_address_table_reference(struct tbr_address_table **destination, struct tbr_address_table *table)
{
   struct tbr_address_table *old = *destination;
   if (table)
      p_atomic_inc(&table->users);
   if (old && !p_atomic_dec_return(&old->users))
      FREE(old);
   *destination = table;
}

bool
tbr_address_table_list(const struct tbr_address_table *table, struct util_dynarray *ids)
{
   uint32_t *appended = table->count ? util_dynarray_grow(ids, uint32_t, table->count) : NULL;
   if (table->count && !appended)
      return false;
   for (uint32_t n = 0; n < table->count; n++)
      appended[n] = table->buffers[n].id;
   return true;
}

/** Of the buffers of now; NULL when out of memory. */
static struct tbr_address_table *
make_table(const struct tbr_addresses *addresses)
{
   const uint32_t count = util_dynarray_num_elements(&addresses->buffers, struct tbr_resource *);
   struct tbr_address_table *table = CALLOC(1, sizeof *table + count * sizeof *table->buffers);
   if (!table)
      return NULL;
   table->users = 1;
   table->count = count;
   for (uint32_t n = 0; n < count; n++) {
      const struct tbr_resource *buffer =
         *util_dynarray_element(&addresses->buffers, struct tbr_resource *, n);
      /* One that was asked for its address too early has no memory. */
      if (buffer && buffer->storage->memory)
         table->buffers[n] = (struct tbr_addressed_buffer){
            .memory = buffer->storage->memory,
            .bytes = buffer->base.width0,
            .id = buffer->id,
         };
   }
   return table;
}

/* ---- buffers ----------------------------------------------------------------- */

/** The next number; 0: there is none left. */
static uint32_t
take_number(struct tbr_addresses *addresses)
{
   struct util_dynarray *buffers = &addresses->buffers;
   if (util_dynarray_num_elements(&addresses->free, uint32_t))
      return util_dynarray_pop(&addresses->free, uint32_t);
   /* Number 0 is no buffer's: addresses that are nearly 0 are wrong. */
   const uint32_t count = util_dynarray_num_elements(buffers, struct tbr_resource *);
   const uint32_t number = MAX2(count, 1);
   struct tbr_resource **added = number < CM_MAX_ADDRESSED
                                    ? util_dynarray_grow(buffers, struct tbr_resource *, number + 1 - count)
                                    : NULL;
   if (!added)
      return 0;
   memset(added, 0, (number + 1 - count) * sizeof *added);
   return number;
}

uint64_t
tbr_addresses_of(struct tbr_resource *buffer)
{
   struct tbr_addresses *addresses = &tbr_screen(buffer->base.screen)->addresses;
   assert(buffer->base.target == PIPE_BUFFER);
   simple_mtx_lock(&addresses->lock);
   if (!buffer->address_number) {
      buffer->address_number = take_number(addresses);
      if (buffer->address_number) {
         *util_dynarray_element(&addresses->buffers, struct tbr_resource *, buffer->address_number) = buffer;
         tbr_address_table_reference(&addresses->table, NULL);
      }
   }
   const uint32_t number = buffer->address_number;
   simple_mtx_unlock(&addresses->lock);
   if (!number)
      mesa_loge("a buffer gets no address: out of memory, or more than %u buffers have one",
                CM_MAX_ADDRESSED - 1);
   return (uint64_t)number << 32;
}

void
tbr_addresses_forget(struct tbr_resource *buffer)
{
   struct tbr_addresses *addresses = &tbr_screen(buffer->base.screen)->addresses;
   if (!buffer->address_number)
      return;
   simple_mtx_lock(&addresses->lock);
   struct tbr_resource **entry =
      util_dynarray_element(&addresses->buffers, struct tbr_resource *, buffer->address_number);
   assert(*entry == buffer);
   *entry = NULL;
   util_dynarray_append(&addresses->free, uint32_t, buffer->address_number);
   tbr_address_table_reference(&addresses->table, NULL);
   simple_mtx_unlock(&addresses->lock);
}

/** A reference, unless the last one has gone and the buffer waits to be forgotten. */
static struct pipe_resource *
take_reference(struct tbr_resource *buffer)
{
   int32_t count = p_atomic_read(&buffer->base.reference.count);
   while (count) {
      const int32_t found = p_atomic_cmpxchg(&buffer->base.reference.count, count, count + 1);
      if (found == count)
         return &buffer->base;
      count = found;
   }
   return NULL;
}

/** Announces the buffers. Not with the lock, which who destroys a buffer needs: the model may wait for that one. False when
 * out of memory. */
static bool
announce_all(struct tbr_context *context)
{
   struct tbr_addresses *addresses = &tbr_screen(context->base.screen)->addresses;
   struct util_dynarray taken;
   util_dynarray_init(&taken, NULL);
   bool ok = true;
   simple_mtx_lock(&addresses->lock);
   util_dynarray_foreach (&addresses->buffers, struct tbr_resource *, buffer) {
      struct pipe_resource **entry =
         *buffer && ok ? util_dynarray_grow(&taken, struct pipe_resource *, 1) : NULL;
      ok = ok && (!*buffer || entry);
      if (entry)
         *entry = take_reference(*buffer);
   }
   simple_mtx_unlock(&addresses->lock);
   util_dynarray_foreach (&taken, struct pipe_resource *, buffer) {
      if (*buffer)
         tbr_resource_announce(context, tbr_resource(*buffer));
      pipe_resource_reference(buffer, NULL);
   }
   util_dynarray_fini(&taken);
   return ok;
}

bool
tbr_addresses_update(struct tbr_context *context)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   struct tbr_addresses *addresses = &screen->addresses;
   simple_mtx_lock(&addresses->lock);
   if (!addresses->table)
      addresses->table = make_table(addresses);
   struct tbr_address_table *table = NULL;
   tbr_address_table_reference(&table, addresses->table);
   simple_mtx_unlock(&addresses->lock);
   const bool is_new = table != context->addresses;
   tbr_address_table_reference(&context->addresses, NULL);
   context->addresses = table;
   if (!table)
      return false;
   /* What draws have been told of the buffers is out of date. */
   if (is_new)
      context->dirty |= TBR_DIRTY_FRAGMENT_STORAGE;
   return !is_new || !screen->model || announce_all(context);
}

void
tbr_addresses_note_write(struct tbr_screen *screen)
{
   struct tbr_addresses *addresses = &screen->addresses;
   simple_mtx_lock(&addresses->lock);
   util_dynarray_foreach (&addresses->buffers, struct tbr_resource *, buffer) {
      if (*buffer)
         p_atomic_inc(&(*buffer)->writes);
   }
   simple_mtx_unlock(&addresses->lock);
}
