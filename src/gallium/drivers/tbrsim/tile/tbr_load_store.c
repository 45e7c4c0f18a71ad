/* SPDX-License-Identifier: MIT */
#include "tile/tbr_load_store.h"

#include <assert.h>
#include <string.h>

#include "util/format/u_format.h"
#include "util/u_math.h"
#include "state/tbr_resource.h"

/* ---- public ------------------------------------------------------------- */

void
tbr_load_store_query_size(struct tbr_texture_thread *thread, const struct tbr_bound_storage *storage,
                          struct tbr_load_store_arguments *arguments)
{
   uint32_t sizes[4] = {0};
   const uint32_t binding = arguments->binding;
   if (binding < TBR_MAX_BOUND_BUFFERS) {
      sizes[0] = storage->buffers[binding].bytes;
   } else if (binding < TBR_BARRIER) {
      const struct tbr_bound_image *image = &storage->images[binding - TBR_STORAGE_IMAGE(0)];
      sizes[0] = image->width;
      sizes[1] = arguments->target == PIPE_TEXTURE_1D_ARRAY ? image->layers : image->height;
      sizes[2] = arguments->target == PIPE_TEXTURE_CUBE_ARRAY ? image->layers / 6 : image->layers;
      sizes[3] = image->samples;
   }
   for (unsigned i = 0; i < 4; i++) {
      for (unsigned lane = 0; lane < TBR_LANES; lane++)
         arguments->result[i][lane] = sizes[i];
   }
}

static enum tbr_image_kind
kind_of(enum pipe_format format)
{
   switch (format) {
   case PIPE_FORMAT_R8G8B8A8_UNORM: return TBR_IMAGE_BYTES;
   case PIPE_FORMAT_R32_UINT:
   case PIPE_FORMAT_R32_SINT:
   case PIPE_FORMAT_R32_FLOAT:
   case PIPE_FORMAT_R32G32_UINT:
   case PIPE_FORMAT_R32G32_SINT:
   case PIPE_FORMAT_R32G32_FLOAT:
   case PIPE_FORMAT_R32G32B32A32_UINT:
   case PIPE_FORMAT_R32G32B32A32_SINT:
   case PIPE_FORMAT_R32G32B32A32_FLOAT: return TBR_IMAGE_WORDS;
   default: return TBR_IMAGE_GENERAL;
   }
}

static void
describe_texel_buffer(const struct pipe_image_view *view, const struct tbr_storage *storage,
                      struct tbr_bound_image *image)
{
   const uint32_t offset = MIN2(view->u.buf.offset, view->resource->width0);
   const uint32_t bytes = MIN2(view->u.buf.size, view->resource->width0 - offset);
   image->target = PIPE_BUFFER;
   image->texels = storage->memory + offset;
   image->width = MIN2(bytes / image->texel_bytes, TBR_MAX_BUFFER_TEXELS);
   image->height = image->layers = image->samples = 1;
}

void
tbr_describe_image(const struct pipe_image_view *view, const struct tbr_resource *resource,
                   const struct tbr_storage *storage, struct tbr_bound_image *image)
{
   *image = (struct tbr_bound_image){
      .format = view->format,
      .target = resource->base.target,
      .kind = kind_of(view->format),
      .one = util_format_is_pure_integer(view->format) ? 1 : fui(1.0f),
      .texel_bytes = util_format_get_blocksize(view->format),
   };
   if (resource->base.target == PIPE_BUFFER) {
      describe_texel_buffer(view, storage, image);
      return;
   }
   const unsigned level = view->u.tex.level;
   const bool is_3d = resource->base.target == PIPE_TEXTURE_3D;
   image->texels = tbr_storage_address(storage, resource, level, view->u.tex.first_layer);
   image->width = u_minify(resource->base.width0, level);
   image->height = u_minify(resource->base.height0, level);
   image->layers = view->u.tex.last_layer - view->u.tex.first_layer + 1;
   if (is_3d)
      image->layers = MIN2(image->layers, u_minify(resource->base.depth0, level) - view->u.tex.first_layer);
   /* The view's kind is not that of its texture: a texture of one layer may be seen as an array. */
   image->layered = !view->u.tex.single_layer_view;
   image->samples = MAX2(resource->base.nr_samples, 1);
   image->row_stride = resource->row_stride[level];
   image->layer_stride = resource->layer_stride[level];
   image->sample_stride = resource->sample_stride;
}

void
tbr_describe_buffer(const struct pipe_shader_buffer *view, const struct tbr_storage *storage,
                    struct tbr_bound_buffer *buffer)
{
   const uint32_t offset = MIN2(view->buffer_offset, view->buffer->width0);
   *buffer = (struct tbr_bound_buffer){
      .memory = storage->memory + offset,
      .bytes = MIN2(view->buffer_size, view->buffer->width0 - offset),
   };
}
