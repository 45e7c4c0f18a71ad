/* SPDX-License-Identifier: MIT */
#include "state/tbr_names.h"

#include <ctype.h>
#include <string.h>

#include "nir.h"
#include "nir_serialize.h"
#include "util/blob.h"
#include "util/hash_table.h"
#include "util/log.h"
#include "util/mesa-sha1.h"
#include "util/simple_mtx.h"
#include "util/u_atomic.h"
#include "util/u_debug.h"
#include "util/u_memory.h"
#include "state/tbr_context.h"
#include "model/tbr_model.h"
#include "state/tbr_resource.h"
#include "state/tbr_screen.h"

struct tbr_names {
   simple_mtx_t mutex;
   struct hash_table *strings;    /**< by text, which it owns */
   struct hash_table_u64 *groups; /**< by the group it is in and its string */
   uint32_t num_strings, num_groups;
   bool calls; /**< TBRSIM_CALL_MARKERS */
};

bool
tbr_names_init_screen(struct tbr_screen *screen)
{
   struct tbr_names *names = CALLOC_STRUCT(tbr_names);
   if (!names)
      return false;
   screen->names = names;
   simple_mtx_init(&names->mutex, mtx_plain);
   names->strings = _mesa_hash_table_create(NULL, _mesa_hash_string, _mesa_key_string_equal);
   names->groups = _mesa_hash_table_u64_create(NULL);
   names->calls = debug_get_bool_option("TBRSIM_CALL_MARKERS", false);
   return names->strings && names->groups;
}

static void
free_text(struct hash_entry *entry)
{
   FREE((char *)entry->key);
}

void
tbr_names_destroy_screen(struct tbr_screen *screen)
{
   struct tbr_names *names = screen->names;
   if (!names)
      return;
   if (names->strings)
      _mesa_hash_table_destroy(names->strings, free_text);
   if (names->groups)
      _mesa_hash_table_u64_destroy(names->groups);
   simple_mtx_destroy(&names->mutex);
   FREE(names);
   screen->names = NULL;
}

/* ---- strings and groups -------------------------------------------------- */

/** The number of a text of that length. A new one is in the stream before anybody else can name it. */
static uint32_t
string_number(struct tbr_screen *screen, const char *text, size_t length)
{
   struct tbr_names *names = screen->names;
   length = strnlen(text, length);
   if (!screen->model || !length)
      return 0;
   char copy[CM_MAX_NAME_BYTES + 1];
   static uint32_t said;
   if (length > CM_MAX_NAME_BYTES && p_atomic_xchg(&said, 1) == 0)
      mesa_logi("names are cut off after %u bytes", CM_MAX_NAME_BYTES);
   length = MIN2(length, CM_MAX_NAME_BYTES);
   memcpy(copy, text, length);
   copy[length] = '\0';

   simple_mtx_lock(&names->mutex);
   const struct hash_entry *entry = _mesa_hash_table_search(names->strings, copy);
   uint32_t number = entry ? (uint32_t)(uintptr_t)entry->data : 0;
   char *key = number ? NULL : strdup(copy);
   if (key && _mesa_hash_table_insert(names->strings, key, (void *)(uintptr_t)(names->num_strings + 1))) {
      number = ++names->num_strings;
      tbr_model_define_name(screen->model,
                            &(struct cm_name){.type = CM_NAME_STRING, .number = number, .text = copy});
   } else {
      free(key);
   }
   simple_mtx_unlock(&names->mutex);
   return number;
}

uint32_t
tbr_names_string(struct tbr_screen *screen, const char *text)
{
   return string_number(screen, text, CM_MAX_NAME_BYTES + 1);
}

static uint32_t
group_number(struct tbr_screen *screen, uint32_t parent, uint32_t string)
{
   struct tbr_names *names = screen->names;
   const uint64_t key = (uint64_t)parent << 32 | string;
   simple_mtx_lock(&names->mutex);
   uint32_t number = (uint32_t)(uintptr_t)_mesa_hash_table_u64_search(names->groups, key);
   if (!number) {
      number = ++names->num_groups;
      _mesa_hash_table_u64_insert(names->groups, key, (void *)(uintptr_t)number);
      tbr_model_define_name(screen->model, &(struct cm_name){.type = CM_NAME_GROUP,
                                                             .number = number,
                                                             .string = string,
                                                             .parent = parent});
   }
   simple_mtx_unlock(&names->mutex);
   return number;
}

/* ---- the context's functions --------------------------------------------- */

static void
open_group(struct tbr_context *context, const char *name, size_t length)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   struct tbr_draw_names *names = &context->names;
   if (names->num_groups == CM_MAX_GROUP_DEPTH) {
      static uint32_t said;
      if (p_atomic_xchg(&said, 1) == 0)
         mesa_logi("debug groups in more than %u others are taken as the last of these",
                   CM_MAX_GROUP_DEPTH - 1);
      names->too_deep++;
      return;
   }
   /* A group without a name is one all the same. */
   const uint32_t string = string_number(screen, *name ? name : "(unnamed)", *name ? length : SIZE_MAX),
                  parent = tbr_names_group(names);
   names->groups[names->num_groups++] = string ? group_number(screen, parent, string) : parent;
}

static void
close_group(struct tbr_context *context)
{
   struct tbr_draw_names *names = &context->names;
   if (names->too_deep)
      names->too_deep--;
   else if (names->num_groups)
      names->num_groups--;
}

static void
debug_group(struct pipe_context *base, const char *name, int length)
{
   struct tbr_context *context = tbr_context(base);
   if (!tbr_screen(base->screen)->model)
      return;
   if (name)
      open_group(context, length > 0 ? name : "", length);
   else
      close_group(context);
}

/** The number that a call's marker begins with; 0: it is none. */
static uint32_t
call_number(const char *text, size_t length)
{
   uint64_t number = 0;
   size_t at = 0;
   for (; at < length && isdigit((unsigned char)text[at]) && number <= UINT32_MAX; at++)
      number = number * 10 + (text[at] - '0');
   const bool is_call =
      at && length - at > 3 && !memcmp(text + at, " gl", 3) && isupper((unsigned char)text[at + 3]);
   return is_call && number <= UINT32_MAX ? number : 0;
}

static void
emit_string_marker(struct pipe_context *base, const char *text, int length)
{
   struct tbr_screen *screen = tbr_screen(base->screen);
   struct tbr_draw_names *names = &tbr_context(base)->names;
   const uint32_t call = screen->names->calls && length > 0 ? call_number(text, length) : 0;
   if (call)
      names->call = call;
   else if (length > 0)
      names->marker = string_number(screen, text, length);
}

static void
label_resource(struct pipe_context *base, struct pipe_resource *labelled, const char *label)
{
   struct tbr_screen *screen = tbr_screen(base->screen);
   struct tbr_resource *resource = tbr_resource(labelled);
   if (!screen->model)
      return;
   const uint32_t string = label ? tbr_names_string(screen, label) : 0;
   simple_mtx_lock(&screen->announce_mutex);
   const bool changed = resource->label != string;
   resource->label = string;
   if (changed && p_atomic_read(&resource->announced_id) == resource->id)
      tbr_names_announce_label(screen, resource);
   simple_mtx_unlock(&screen->announce_mutex);
}

void
tbr_names_announce_label(struct tbr_screen *screen, const struct tbr_resource *resource)
{
   simple_mtx_assert_locked(&screen->announce_mutex);
   tbr_model_define_name(screen->model, &(struct cm_name){.type = CM_NAME_LABEL,
                                                          .number = resource->id,
                                                          .string = resource->label});
}

void
tbr_names_init_context(struct pipe_context *context)
{
   context->debug_group = debug_group;
   context->emit_string_marker = emit_string_marker;
   context->label_resource = label_resource;
}

/* ---- shaders ------------------------------------------------------------- */

struct tbr_shader_name
tbr_names_of_shader(struct tbr_screen *screen, const struct nir_shader *nir)
{
   struct tbr_shader_name name = {0};
   struct blob blob;
   unsigned char digest[SHA1_DIGEST_LENGTH];
   if (!screen->model)
      return name;
   blob_init(&blob);
   nir_serialize(&blob, nir, true);
   _mesa_sha1_compute(blob.data, blob.size, digest);
   for (unsigned i = 0; i < sizeof name.hash; i++)
      name.hash = name.hash << 8 | digest[i];
   blob_finish(&blob);
   name.label = nir->info.label ? tbr_names_string(screen, nir->info.label) : 0;
   return name;
}

void
tbr_names_announce_shader(struct tbr_context *context, enum cm_shader_stage stage, uint32_t id,
                          struct tbr_shader_name *name)
{
   struct tbr_screen *screen = tbr_screen(context->base.screen);
   if (name->announced || !screen->model)
      return;
   tbr_model_define_name(screen->model, &(struct cm_name){.type = CM_NAME_SHADER,
                                                          .number = id,
                                                          .string = name->label,
                                                          .stage = stage,
                                                          .hash = name->hash});
   name->announced = true;
}
