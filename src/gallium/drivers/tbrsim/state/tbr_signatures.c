/* SPDX-License-Identifier: MIT */
#include "state/tbr_signatures.h"

#include <assert.h>
#include <string.h>

#include "util/u_atomic.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "state/tbr_resource.h"

struct tbr_signatures *
tbr_storage_signatures(struct tbr_storage *storage, const struct tbr_resource *resource, uint32_t level,
                       uint32_t layer)
{
   for (struct tbr_signatures *found = storage->signatures; found; found = found->next) {
      if (found->level == level && found->layer == layer)
         return found;
   }
   const uint32_t columns = DIV_ROUND_UP(u_minify(resource->base.width0, level), CM_GROUP_SIZE);
   const uint32_t rows = DIV_ROUND_UP(u_minify(resource->base.height0, level), CM_GROUP_SIZE);
   struct tbr_signatures *made = CALLOC(1, sizeof *made + (size_t)columns * rows * sizeof(struct tbr_group));
   if (!made)
      return NULL;
   made->level = level;
   made->layer = layer;
   made->columns = columns;
   made->rows = rows;
   made->next = storage->signatures;
   storage->signatures = made;
   return made;
}

void
tbr_signatures_free(struct tbr_signatures *signatures)
{
   while (signatures) {
      struct tbr_signatures *next = signatures->next;
      FREE(signatures);
      signatures = next;
   }
}

uint64_t
tbr_resource_version(const struct tbr_resource *resource)
{
   return (uint64_t)p_atomic_read(&resource->id) << 32 | p_atomic_read(&resource->writes);
}

bool
tbr_resource_is_own(const struct tbr_resource *resource)
{
   return !resource->front_drawable && !resource->imported &&
          !(resource->base.flags & PIPE_RESOURCE_FLAG_MAP_PERSISTENT);
}

/** Moves on to a later frame: what the pixels were when those before it ended. */
static void
end_frames(struct tbr_group *group, uint32_t frame)
{
   const uint32_t passed = frame - group->frame;
   for (unsigned i = CM_EARLIER_FRAMES; i-- > 0;)
      group->ended[i] = i < passed ? group->now : group->ended[i - passed];
   group->frame = frame;
}

unsigned
tbr_group_store(struct tbr_group *group, uint64_t version, uint32_t frame, uint64_t signature)
{
   unsigned same = 0;
   assert(version && signature != TBR_UNKNOWN_SIGNATURE);
   /* Another context may be ahead of this one's frame. */
   if (group->version != version || frame < group->frame)
      *group = (struct tbr_group){.version = version, .frame = frame};
   else if (frame > group->frame)
      end_frames(group, frame);
   for (unsigned i = 0; i < CM_EARLIER_FRAMES; i++)
      same |= group->ended[i] == signature ? CM_SAME_AS_FRAME << i : 0;
   group->now = signature;
   return same;
}
