/* SPDX-License-Identifier: MIT */
/* What becomes of stores (events/contents.h): which pass reads a store first, or replaces it unread. */
#include <stdlib.h>

#include "events/contents.h"
#include "support/pass_builder.h"
#include "support/test.h"

enum { COLOR = 1, DEPTH, WINDOW, ARRAY, NUM_RESOURCES };

#define SIZE 32 /* pixels, with tiles of 16 */

static struct cm_contents *
begin(void)
{
   struct cm_contents *contents = cm_contents_create();
   assert_non_null(contents);
   for (uint32_t id = 1; id < NUM_RESOURCES; id++) {
      struct cm_resource_description resource = describe_texture(SIZE, SIZE, 1, 4);
      resource.id = id;
      resource.is_displayable = id == WINDOW;
      resource.layers = id == ARRAY ? 2 : 1;
      assert_true(cm_contents_define_resource(contents, &resource));
   }
   return contents;
}

/* A pass that stores a color attachment, in all tiles or not in the last one. */
static struct pass_builder *
store_pass(uint32_t target, bool all)
{
   struct pass_builder *pass = pass_new(0, SIZE, SIZE, 16);
   pass_color(pass, target, 4);
   for (unsigned t = 0; t < 4; t++)
      pass->touched[t] = all || t < 3;
   return pass;
}

/* The next pass. stored: what it has to store. */
static void
send(struct cm_contents *contents, struct pass_builder *pass, unsigned expected)
{
   uint16_t stored;
   assert_true(cm_contents_pass_reads(contents, &pass->pass));
   assert_true(cm_contents_pass_stores(contents, &pass->pass, &stored));
   assert_int_equal(stored, expected);
   pass_free(pass);
}

static void
assert_no_end(struct cm_contents *contents)
{
   uint32_t count;
   cm_contents_ends(contents, &count);
   assert_int_equal(count, 0);
}

static void
assert_end(struct cm_contents *contents, uint64_t pass, uint32_t resource, enum cm_store_fate fate)
{
   uint32_t count;
   const struct cm_store_end *ends = cm_contents_ends(contents, &count);
   assert_int_equal(count, 1);
   assert_int_equal(ends[0].pass, pass);
   assert_int_equal(ends[0].resource, resource);
   assert_int_equal(ends[0].fate, fate);
}

/* Depth that is stored, and cleared in the next frame, where it is loaded after that: the first store is of no use. */
TEST(cleared_in_the_next_frame)
{
   struct cm_contents *contents = begin();
   for (unsigned p = 0; p < 3; p++) {
      struct pass_builder *pass = store_pass(COLOR, true);
      pass->pass.num_color = 0;
      pass->pass.color[0].resource = 0;
      pass->pass.depth = (struct cm_attachment){
         .resource = DEPTH, .pixel_bytes = 4, .store = p != 2, .clear = p != 2, .load = p == 2};
      send(contents, pass, p == 2 ? 0 : 1 << CM_SLOT_DEPTH);
      if (p)
         assert_end(contents, p - 1, DEPTH, p == 2 ? CM_STORE_READ : CM_STORE_REPLACED);
      else
         assert_no_end(contents);
      assert_true(cm_contents_frame_end(contents));
   }
   cm_contents_destroy(contents);
}

/* The first of those that read it as a texture, and nothing of it when it is replaced then. */
TEST(first_reader)
{
   const struct cm_attachment attachment = {.resource = COLOR};
   struct cm_contents *contents = begin();
   send(contents, store_pass(COLOR, true), 1);
   for (unsigned reader = 0; reader < 2; reader++) {
      struct pass_builder *pass = store_pass(DEPTH + reader, true);
      struct cm_draw *draw = pass_draw(pass);
      draw->num_textures = 1;
      draw->textures[0].resource = COLOR;
      assert_int_equal(cm_contents_has_unread(contents, &attachment, 0), !reader);
      send(contents, pass, 1);
      if (reader)
         assert_no_end(contents);
      else
         assert_end(contents, 0, COLOR, CM_STORE_READ);
   }
   send(contents, store_pass(COLOR, true), 1);
   assert_no_end(contents);
   /* So does one that has no pass. */
   assert_true(cm_contents_read(contents, COLOR));
   assert_end(contents, 3, COLOR, CM_STORE_READ);
   cm_contents_destroy(contents);
}

/* What is drawn over in part, or shown, was needed. */
TEST(kept)
{
   struct cm_contents *contents = begin();
   send(contents, store_pass(COLOR, true), 1);
   send(contents, store_pass(COLOR, false), 1);
   assert_end(contents, 0, COLOR, CM_STORE_KEPT);
   send(contents, store_pass(WINDOW, true), 1);
   assert_no_end(contents);
   assert_true(cm_contents_frame_end(contents));
   assert_end(contents, 2, WINDOW, CM_STORE_KEPT);
   send(contents, store_pass(WINDOW, true), 1);
   assert_no_end(contents);
   /* Without a frame in between nobody has seen it. */
   send(contents, store_pass(WINDOW, true), 1);
   assert_end(contents, 3, WINDOW, CM_STORE_REPLACED);
   /* That part was a store, too. */
   send(contents, store_pass(COLOR, true), 1);
   assert_end(contents, 1, COLOR, CM_STORE_REPLACED);
   cm_contents_destroy(contents);
}

/* Layers that are replaced one by one. */
TEST(layers)
{
   struct cm_contents *contents = begin();
   struct pass_builder *pass = store_pass(ARRAY, true);
   pass->pass.color[0].more_layers = 1;
   send(contents, pass, 1);
   for (uint16_t layer = 0; layer < 2; layer++) {
      assert_no_end(contents);
      pass = store_pass(ARRAY, true);
      pass->pass.color[0].layer = layer;
      send(contents, pass, 1);
   }
   assert_end(contents, 0, ARRAY, CM_STORE_REPLACED);
   cm_contents_destroy(contents);
}
