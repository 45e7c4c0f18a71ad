/* SPDX-License-Identifier: MIT */
#include "pixel_local.h"

#include "main/context.h"
#include "main/draw_validate.h"
#include "main/errors.h"
#include "main/framebuffer.h"
#include "main/mtypes.h"
#include "main/state.h"
#include "pipe/p_context.h"
#include "state_tracker/st_atom.h"
#include "state_tracker/st_context.h"
#include "state_tracker/st_util.h"

static GLenum
error_of_enabling(struct gl_context *ctx)
{
   const struct gl_framebuffer *framebuffer = ctx->DrawBuffer;
   if (ctx->NewState)
      _mesa_update_state(ctx);
   if (framebuffer->_Status != GL_FRAMEBUFFER_COMPLETE)
      return GL_INVALID_FRAMEBUFFER_OPERATION;
   /* The storage is that of this framebuffer: a pass of the one before must not go on with it. Without attachments, the
    * number of samples is known from here on. */
   st_validate_state(ctx->st, ST_PIPELINE_UPDATE_FB_STATE_MASK);
   if (_mesa_geometric_samples(framebuffer) > 0)
      return GL_INVALID_OPERATION;
   for (unsigned i = 1; i < ctx->Const.MaxColorAttachments; i++) {
      if (framebuffer->Name && framebuffer->Attachment[BUFFER_COLOR0 + i].Type != GL_NONE)
         return GL_INVALID_OPERATION;
   }
   for (unsigned i = 1; i < ctx->Const.MaxDrawBuffers; i++) {
      if (framebuffer->ColorDrawBuffer[i] != GL_NONE)
         return GL_INVALID_OPERATION;
   }
   return GL_NO_ERROR;
}

void
pixel_local_enable(struct gl_context *ctx, bool enable)
{
   if (ctx->PixelLocalStorage == enable)
      return;
   FLUSH_VERTICES(ctx, 0, 0);
   const GLenum error = enable ? error_of_enabling(ctx) : GL_NO_ERROR;
   if (error != GL_NO_ERROR) {
      _mesa_error(ctx, error, "glEnable(GL_SHADER_PIXEL_LOCAL_STORAGE_EXT)");
      return;
   }
   ctx->PixelLocalStorage = enable;
   ctx->pipe->enable_pixel_local_storage(ctx->pipe, enable);
   _mesa_update_valid_to_render_state(ctx);
}

bool
pixel_local_forbids(struct gl_context *ctx, const void *object, const char *command)
{
   if (!ctx->PixelLocalStorage || !object)
      return false;
   bool forbidden = object == ctx->DrawBuffer;
   for (unsigned i = 0; i < BUFFER_COUNT; i++) {
      const struct gl_renderbuffer_attachment *attachment = &ctx->DrawBuffer->Attachment[i];
      forbidden |= object == attachment->Texture || object == attachment->Renderbuffer;
   }
   if (forbidden)
      _mesa_error(ctx, GL_INVALID_OPERATION, "%s(while pixel local storage is enabled)", command);
   return forbidden;
}

/* Whether the draw framebuffer is, or has attached, an object of a type and name. */
static bool
draw_framebuffer_has(const struct gl_framebuffer *framebuffer, GLenum type, GLuint name)
{
   bool found = type == GL_FRAMEBUFFER && framebuffer->Name == name;
   for (unsigned i = 0; i < BUFFER_COUNT; i++) {
      const struct gl_renderbuffer_attachment *attachment = &framebuffer->Attachment[i];
      if (type == GL_TEXTURE)
         found |= attachment->Texture && attachment->Texture->Name == name;
      else if (type == GL_RENDERBUFFER)
         found |= attachment->Renderbuffer && attachment->Renderbuffer->Name == name;
   }
   return found;
}

bool
pixel_local_forbids_deletion(struct gl_context *ctx, uint32_t type, int count, const uint32_t *names)
{
   const char *objects = type == GL_FRAMEBUFFER ? "Framebuffers"
                         : type == GL_TEXTURE   ? "Textures"
                                                : "Renderbuffers";
   for (int i = 0; ctx->PixelLocalStorage && i < count; i++) {
      if (names[i] && draw_framebuffer_has(ctx->DrawBuffer, type, names[i])) {
         _mesa_error(ctx, GL_INVALID_OPERATION, "glDelete%s(while pixel local storage is enabled)", objects);
         return true;
      }
   }
   return false;
}

bool
pixel_local_is_missing(const struct gl_context *ctx)
{
   const struct gl_program *shader = ctx->_Shader->CurrentProgram[MESA_SHADER_FRAGMENT];
   return shader && shader->info.fs.pixel_interlock_ordered && !ctx->PixelLocalStorage;
}
