/* SPDX-License-Identifier: MIT */
#include "output/draw_list.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "events/names.h"
#include "output/output.h"
#include "tools.h"

/* null for no resource. */
static json_t *
resource_json(const struct cm_names *names, uint32_t resource)
{
   if (!resource)
      return json_null();
   json_t *object = json_object(), *uses = json_array();
   for (unsigned u = 0; u < CM_NUM_USES; u++) {
      if (cm_names_uses(names, resource) >> u & 1)
         json_array_append_new(uses, json_string(cm_resource_use_names[u]));
   }
   json_object_set_new(object, "id", json_integer(resource));
   json_object_set_new(object, "label", output_text(cm_names_label(names, resource)));
   json_object_set_new(object, "format", output_text(cm_names_format(names, resource)));
   json_object_set_new(object, "uses", uses);
   return object;
}

/* null for no shader. */
static json_t *
shader_json(const struct cm_names *names, enum cm_shader_stage stage, const struct cm_shader *shader)
{
   if (!shader->id)
      return json_null();
   char hash[17];
   snprintf(hash, sizeof(hash), "%016" PRIx64, cm_names_shader_hash(names, stage, shader->id));
   json_t *object = json_object();
   json_object_set_new(object, "hash", json_string(hash));
   json_object_set_new(object, "label", output_text(cm_names_shader_label(names, stage, shader->id)));
   json_object_set_new(object, "instructions", json_integer(shader->instructions));
   return object;
}

json_t *
draw_list_group(const struct cm_names *names, uint32_t group)
{
   const size_t size = cm_names_group_path(names, group, NULL, 0) + 1;
   char *path = allocate(size);
   cm_names_group_path(names, group, path, size);
   json_t *value = output_text(path);
   free(path);
   return value;
}

static json_t *
draw_json(const struct cm_names *names, const struct cm_pass *pass, const struct cm_draw *draw)
{
   json_t *object = json_object(), *targets = json_array(), *textures = json_array(),
          *vertices = json_array();
   for (uint32_t c = 0; c < pass->num_color; c++)
      json_array_append_new(targets, resource_json(names, pass->color[c].resource));
   for (uint32_t t = 0; t < draw->num_textures; t++)
      json_array_append_new(textures, resource_json(names, draw->textures[t].resource));
   for (uint32_t e = 0; e < draw->num_elements; e++)
      json_array_append_new(vertices, resource_json(names, draw->elements[e].buffer));
   json_object_set_new(object, "call", draw->call ? json_integer(draw->call) : json_null());
   json_object_set_new(object, "group", draw_list_group(names, draw->group));
   json_object_set_new(object, "marker", output_text(cm_names_string(names, draw->marker)));
   json_object_set_new(object, "vertex_shader", shader_json(names, CM_SHADER_VERTEX, &draw->vertex_shader));
   json_object_set_new(object, "control_shader",
                       shader_json(names, CM_SHADER_TESS_CONTROL, &draw->control_shader));
   json_object_set_new(object, "evaluation_shader",
                       shader_json(names, CM_SHADER_TESS_EVALUATION, &draw->evaluation_shader));
   json_object_set_new(object, "geometry_shader",
                       shader_json(names, CM_SHADER_GEOMETRY, &draw->geometry_shader));
   json_object_set_new(object, "fragment_shader",
                       shader_json(names, CM_SHADER_FRAGMENT, &draw->fragment_shader));
   json_object_set_new(object, "color", targets);
   json_object_set_new(object, "depth", resource_json(names, pass->depth.resource));
   json_object_set_new(object, "textures", textures);
   json_object_set_new(object, "indices", resource_json(names, draw->index_buffer));
   json_object_set_new(object, "vertices", vertices);
   return object;
}

/* null for nothing attached. */
static json_t *
attachment_json(const struct cm_names *names, const struct cm_attachment *attachment)
{
   json_t *object = resource_json(names, attachment->resource);
   if (!attachment->resource)
      return object;
   json_object_set_new(object, "level", json_integer(attachment->level));
   json_object_set_new(object, "layer", json_integer(attachment->layer));
   json_object_set_new(object, "load", json_boolean(attachment->load));
   json_object_set_new(object, "store", json_boolean(attachment->store));
   json_object_set_new(object, "clear", json_boolean(attachment->clear));
   return object;
}

static void
print_pass(const struct cm_names *names, const struct cm_pass *pass, unsigned number)
{
   json_t *object = json_object(), *targets = json_array(), *resolves = json_array();
   for (uint32_t c = 0; c < pass->num_color; c++) {
      json_array_append_new(targets, attachment_json(names, &pass->color[c]));
      json_array_append_new(resolves, resource_json(names, pass->resolve[c].resource));
   }
   json_object_set_new(object, "frame", json_integer(pass->frame));
   json_object_set_new(object, "pass", json_integer(number));
   json_object_set_new(object, "width", json_integer(pass->width));
   json_object_set_new(object, "height", json_integer(pass->height));
   json_object_set_new(object, "draws", json_integer(pass->num_draws));
   json_object_set_new(object, "end", json_string(cm_end_reason_names[pass->end]));
   json_object_set_new(object, "end_call", pass->end_call ? json_integer(pass->end_call) : json_null());
   json_object_set_new(object, "color", targets);
   json_object_set_new(object, "resolved_to", resolves);
   json_object_set_new(object, "depth", attachment_json(names, &pass->depth));
   json_object_set_new(object, "stencil", attachment_json(names, &pass->stencil));
   output_json(object, 0, stdout);
}

/* The reads without events among an item's names. */
static void
print_reads(const struct cm_names *names, const struct cm_item *item)
{
   for (size_t n = 0; n < item->num_names; n++) {
      if (item->names[n].type != CM_NAME_READ)
         continue;
      json_t *object = json_object();
      json_object_set_new(object, "read", resource_json(names, item->names[n].number));
      output_json(object, 0, stdout);
   }
}

static void
print_draws(const struct cm_names *names, const struct cm_pass *pass, unsigned number)
{
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      json_t *draw = draw_json(names, pass, &pass->draws[d]);
      json_object_set_new(draw, "frame", json_integer(pass->frame));
      json_object_set_new(draw, "pass", json_integer(number));
      json_object_set_new(draw, "draw", json_integer(d));
      json_object_set_new(draw, "instance", json_integer(pass->draws[d].instance));
      output_json(draw, 0, stdout);
   }
}

static void
define(struct cm_names *names, const struct cm_item *item)
{
   bool fine = true;
   for (size_t n = 0; n < item->num_names; n++)
      fine &= cm_names_define(names, &item->names[n]);
   for (size_t r = 0; r < item->num_resources; r++)
      fine &= cm_names_define_resource(names, &item->resources[r]);
   if (!fine)
      fail(STATUS_FAILED, "out of memory");
}

void
draw_list_print(struct session *session, const struct listed *listed)
{
   struct simulations *simulations = &session->simulations;
   struct cm_names *names = NULL;
   unsigned pass = 0;
   cm_recording_seek(simulations->recording, simulations->first_frame, simulations->last_frame);
   for (;;) {
      struct cm_item item = cm_recording_next(simulations->recording);
      if (item.type == CM_ITEM_END || item.type == CM_ITEM_DAMAGED)
         break;
      if (item.type == CM_ITEM_GPU) {
         cm_names_destroy(names);
         names = cm_names_create();
         if (!names)
            fail(STATUS_FAILED, "out of memory");
      } else if (item.type == CM_ITEM_RESOURCES) {
         define(names, &item);
         if (listed->passes)
            print_reads(names, &item);
      } else if (item.type == CM_ITEM_PASS) {
         if (listed->passes)
            print_pass(names, &item.pass->pass, pass);
         if (listed->draws)
            print_draws(names, &item.pass->pass, pass);
         pass++;
      } else {
         pass = 0;
      }
      free(item.resources);
      free(item.names);
      cm_recorded_pass_release(item.pass);
   }
   cm_names_destroy(names);
}
