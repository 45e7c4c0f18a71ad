/* SPDX-License-Identifier: MIT */
/* write_recording FILE PATTERN: a frame for each letter of the pattern, the same for the same letter. 'A' to 'Z' have random
 * passes; with a digit in place of a letter, a GPU begins. */
#include <ctype.h>
#include <stdlib.h>

#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"

static void
begin_gpu(struct cm_recorder *recorder)
{
   cm_recorder_gpu_begin(recorder);
   for (uint32_t id = 1; id <= RECORDING_RESOURCES; id++) {
      const struct cm_resource_description resource = random_resource(id);
      cm_recorder_define_resource(recorder, &resource);
   }
}

int
main(int argc, char **argv)
{
   if (argc != 3)
      return 2;
   struct cm_recorder *recorder = new_recorder(argv[1]);
   begin_gpu(recorder);
   uint32_t frame = 0;
   for (const char *letter = argv[2]; *letter; letter++) {
      if (isdigit((unsigned char)*letter)) {
         begin_gpu(recorder);
         continue;
      }
      uint64_t state = (uint64_t)*letter * 7919;
      for (uint32_t passes = 1 + (uint32_t)*letter % 2; passes > 0; passes--) {
         struct pass_builder *builder = random_pass(&state, frame);
         record_pass(recorder, builder);
         pass_free(builder);
      }
      cm_recorder_frame_end(recorder, frame++);
   }
   assert_true(cm_recorder_destroy(recorder));
   return 0;
}
