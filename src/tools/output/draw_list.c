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
   json_t *uses = json_array();
   for (unsigned u = 0; u < CM_NUM_USES; u++) {
      if (cm_names_uses(names, resource) >> u & 1)
         json_array_append_new(uses, json_string(cm_resource_use_names[u]));
   }
   return json_pack("{s:I, s:o, s:o, s:o}", "id", (json_int_t)resource, "label",
                    output_text(cm_names_label(names, resource)), "format",
                    output_text(cm_names_format(names, resource)), "uses", uses);
}

/* null for no shader. */
static json_t *
shader_json(const struct cm_names *names, enum cm_shader_stage stage, const struct cm_shader *shader)
{
   if (!shader->id)
      return json_null();
   char hash[17];
   snprintf(hash, sizeof(hash), "%016" PRIx64, cm_names_shader_hash(names, stage, shader->id));
   return json_pack("{s:s, s:o, s:i}", "hash", hash, "label",
                    output_text(cm_names_shader_label(names, stage, shader->id)), "instructions",
                    (int)shader->instructions);
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
draw_json(const struct cm_names *names, const struct cm_pass *pass, unsigned number,
          const struct cm_draw *draw)
{
   json_t *targets = json_array(), *textures = json_array(), *vertices = json_array();
   for (uint32_t c = 0; c < pass->num_color; c++)
      json_array_append_new(targets, resource_json(names, pass->color[c].resource));
   for (uint32_t t = 0; t < draw->num_textures; t++)
      json_array_append_new(textures, resource_json(names, draw->textures[t].resource));
   for (uint32_t e = 0; e < draw->num_elements; e++)
      json_array_append_new(vertices, resource_json(names, draw->elements[e].buffer));
   return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i}",
                    "call", draw->call ? json_integer(draw->call) : json_null(), "group",
                    draw_list_group(names, draw->group), "marker",
                    output_text(cm_names_string(names, draw->marker)), "vertex_shader",
                    shader_json(names, CM_SHADER_VERTEX, &draw->vertex_shader), "control_shader",
                    shader_json(names, CM_SHADER_TESS_CONTROL, &draw->control_shader), "evaluation_shader",
                    shader_json(names, CM_SHADER_TESS_EVALUATION, &draw->evaluation_shader),
                    "geometry_shader", shader_json(names, CM_SHADER_GEOMETRY, &draw->geometry_shader),
                    "fragment_shader", shader_json(names, CM_SHADER_FRAGMENT, &draw->fragment_shader),
                    "color", targets, "depth", resource_json(names, pass->depth.resource), "textures",
                    textures, "indices", resource_json(names, draw->index_buffer), "vertices", vertices,
                    "frame", (int)pass->frame, "pass", (int)number, "draw", (int)(draw - pass->draws),
                    "instance", (int)draw->instance);
}

/* null for nothing attached. */
static json_t *
attachment_json(const struct cm_names *names, const struct cm_attachment *attachment)
{
   json_t *object = resource_json(names, attachment->resource);
   if (!attachment->resource)
      return object;
   json_object_update_new(object, json_pack("{s:i, s:i, s:b, s:b, s:b}", "level", (int)attachment->level,
                                            "layer", (int)attachment->layer, "load", attachment->load,
                                            "store", attachment->store, "clear", attachment->clear));
   return object;
}

static void
print_pass(const struct cm_names *names, const struct cm_pass *pass, unsigned number)
{
   json_t *targets = json_array(), *resolves = json_array();
   for (uint32_t c = 0; c < pass->num_color; c++) {
      json_array_append_new(targets, attachment_json(names, &pass->color[c]));
      json_array_append_new(resolves, resource_json(names, pass->resolve[c].resource));
   }
   output_json(json_pack("{s:i, s:i, s:i, s:i, s:i, s:s, s:o, s:o, s:o, s:o, s:o}", "frame", (int)pass->frame,
                         "pass", (int)number, "width", (int)pass->width, "height", (int)pass->height, "draws",
                         (int)pass->num_draws, "end", cm_end_reason_names[pass->end], "end_call",
                         pass->end_call ? json_integer(pass->end_call) : json_null(), "color", targets,
                         "resolved_to", resolves, "depth", attachment_json(names, &pass->depth), "stencil",
                         attachment_json(names, &pass->stencil)),
               0, stdout);
}

/* The reads without events among an item's names. */
static void
print_reads(const struct cm_names *names, const struct cm_item *item)
{
   for (size_t n = 0; n < item->num_names; n++) {
      if (item->names[n].type == CM_NAME_READ)
         output_json(json_pack("{s:o}", "read", resource_json(names, item->names[n].number)), 0, stdout);
   }
}

static void
define(struct cm_names *names, const struct cm_item *item)
{
   bool ok = true;
   for (size_t n = 0; n < item->num_names; n++)
      ok &= cm_names_define(names, &item->names[n]);
   for (size_t r = 0; r < item->num_resources; r++)
      ok &= cm_names_define_resource(names, &item->resources[r]);
   if (!ok)
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
         for (uint32_t d = 0; listed->draws && d < item.pass->pass.num_draws; d++)
            output_json(draw_json(names, &item.pass->pass, pass, &item.pass->pass.draws[d]), 0, stdout);
         pass++;
      } else {
         pass = 0;
      }
      free(item.resources);
      free(item.names);
      free(item.codes);
      cm_recorded_pass_release(item.pass);
   }
   cm_names_destroy(names);
}
