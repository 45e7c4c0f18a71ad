/* SPDX-License-Identifier: MIT */
/* The rules of advice (advice/advice.h) on streams built by hand: each where it holds, and where almost. */
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "support/pass_builder.h"
#include "support/test.h"

enum { COLOR = 1, DEPTH, TEXTURE, OTHER, WINDOW, BUFFER, NUM_RESOURCES };

#define SIZE 64 /* pixels of the targets; tiles have 16 */
#define TILES 16

/* ---- streams --------------------------------------------------------------- */

struct stream {
   struct cm_config *config;
   struct cm_advice *advice;
   uint32_t frames; /* begun */
   bool in_frame, is_loading;
};

static struct stream
begin_stream(const char *mode)
{
   const char *const settings[] = {mode, "caches.l2.size=16384", "caches.l2.ways=8", NULL};
   struct stream stream = {.config = test_config(settings)};
   stream.advice = cm_advice_create(stream.config);
   assert_non_null(stream.advice);
   for (uint32_t id = 1; id < NUM_RESOURCES; id++) {
      const struct cm_resource_description resource = {
         .id = id,
         .is_buffer = id == BUFFER,
         .is_displayable = id == WINDOW,
         .levels = 1,
         .samples = 1,
         .block_width = 1,
         .block_height = 1,
         .block_bytes = 4,
         .width = id == BUFFER ? 65536 : SIZE,
         .height = SIZE,
         .depth = 1,
         .layers = 1,
         .format = id == TEXTURE ? 1 : 0,
         .uses = CM_USE_TEXTURE | CM_USE_COLOR,
      };
      const struct cm_name name = {.type = CM_NAME_STRING, .number = 1, .text = "r8g8b8a8_unorm"};
      if (id == 1)
         assert_true(cm_advice_define_name(stream.advice, &name));
      assert_true(cm_advice_define_resource(stream.advice, &resource));
   }
   return stream;
}

static void
end_stream(struct stream *stream)
{
   cm_advice_destroy(stream->advice);
   cm_config_destroy(stream->config);
}

/* The finding of a rule, of which there is at most one; NULL: there is none. */
static const struct cm_finding *
find(const struct stream *stream, enum cm_advice_rule rule)
{
   uint32_t count;
   const struct cm_finding *findings = cm_advice_findings(stream->advice, &count), *found = NULL;
   assert_non_null(findings);
   for (uint32_t f = 0; f < count; f++) {
      if (findings[f].rule != rule)
         continue;
      assert_null(found);
      found = &findings[f];
   }
   return found;
}

/* Nothing at all was found. */
static void
assert_nothing(const struct stream *stream)
{
   uint32_t count;
   const struct cm_finding *findings = cm_advice_findings(stream->advice, &count);
   if (count)
      fail_msg("%s", cm_advice_rule_texts[findings[0].rule].name);
}

static void
send(struct stream *stream, struct pass_builder *pass)
{
   if (!stream->in_frame)
      cm_advice_frame_begin(stream->advice, stream->frames++, !stream->is_loading);
   stream->in_frame = true;
   assert_true(cm_advice_pass(stream->advice, &pass->pass));
   pass_free(pass);
}

static void
end_frame(struct stream *stream)
{
   assert_true(cm_advice_frame_end(stream->advice));
   stream->in_frame = false;
}

static struct pass_builder *
new_pass(uint32_t target)
{
   struct pass_builder *pass = pass_new(0, SIZE, SIZE, 16);
   pass->pass.kind = CM_PASS_FULL;
   pass_color(pass, target, 4);
   return pass;
}

/* Draws over all pixels of tiles (but for the last quads of each), with quads that are visible or not. */
static struct cm_draw *
cover(struct pass_builder *pass, unsigned without, unsigned visible)
{
   uint32_t tiles[TILES];
   struct cm_draw *draw = pass_draw(pass);
   const uint32_t number = pass->pass.num_draws - 1, primitive = pass->pass.num_primitives;
   draw->tests.color_write = 1;
   draw->vertex_shader.id = draw->fragment_shader.id = 1;
   for (uint32_t t = 0; t < TILES; t++)
      tiles[t] = t;
   pass_primitive(pass, 2, tiles, TILES);
   for (uint32_t t = 0; t < TILES; t++) {
      for (unsigned q = 0; q + without < 64; q++) {
         const struct cm_quad quad = {.primitive = primitive,
                                      .x = (uint8_t)(q % 8),
                                      .y = (uint8_t)(q / 8),
                                      .live = 15,
                                      .covered = 15,
                                      .visible = visible & 15,
                                      .written = 15};
         pass_quads(pass, t, number, CM_SHADE_DEFERRED, &quad, 1);
      }
   }
   return draw;
}

/* A pass to the target that draws over everything, and maybe reads another texture. */
static struct pass_builder *
draw_pass(uint32_t target, uint32_t texture)
{
   struct pass_builder *pass = new_pass(target);
   struct cm_draw *draw = cover(pass, 0, 15);
   draw->num_textures = texture != 0;
   draw->textures[0].resource = texture;
   return pass;
}

/* ---- loads -------------------------------------------------------------------- */

TEST(unneeded_load)
{
   static const struct {
      unsigned without; /* quads of each tile */
      bool reads, stores, found;
   } cases[] = {{0, false, true, true},
                {1, false, true, false},
                {0, true, true, false},
                {1, false, false, true}};
   for (unsigned c = 0; c < 4; c++) {
      struct stream stream = begin_stream("mode=tbr");
      for (unsigned frame = 0; frame < 3; frame++) {
         struct pass_builder *pass = new_pass(COLOR);
         struct cm_draw *draw = cover(pass, cases[c].without, 15);
         draw->tests.color_read = cases[c].reads;
         pass->pass.color[0].load = frame > 0;
         pass->pass.color[0].store = cases[c].stores;
         send(&stream, pass);
         send(&stream, draw_pass(WINDOW, COLOR));
         end_frame(&stream);
      }
      const struct cm_finding *finding = find(&stream, CM_ADVICE_UNNEEDED_LOAD);
      assert_int_equal(finding != NULL, cases[c].found);
      if (finding) {
         assert_int_equal(finding->resources[0], COLOR);
         assert_int_equal(finding->frame, 1);
         assert_int_equal(finding->pass, 0);
         assert_int_equal(finding->passes, 2);
         assert_int_equal(finding->changes->passes[0].pass, 2);
         assert_int_equal(finding->changes->passes[1].pass, 4);
         assert_int_equal(finding->changes->passes[0].no_load, 1);
         assert_int_equal(finding->changes->passes[0].no_store, 0);
      }
      end_stream(&stream);
   }
}

/* Depth that is compared before all of it is written. */
TEST(needed_depth)
{
   for (unsigned tests = 0; tests < 2; tests++) {
      struct stream stream = begin_stream("mode=tbr");
      struct pass_builder *pass = draw_pass(WINDOW, 0);
      pass->pass.depth = (struct cm_attachment){.resource = DEPTH, .pixel_bytes = 4, .load = true};
      pass->draws[0].tests.depth_test = tests;
      pass->draws[0].tests.depth_write = true;
      send(&stream, pass);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_UNNEEDED_LOAD);
      assert_int_equal(finding != NULL, !tests);
      if (finding)
         assert_int_equal(finding->slots, 1 << CM_SLOT_DEPTH);
      end_stream(&stream);
   }
}

/* ---- stores --------------------------------------------------------------------- */

static struct pass_builder *
depth_pass(bool clear, bool load, bool store)
{
   struct pass_builder *pass = draw_pass(WINDOW, 0);
   pass->pass.depth = (struct cm_attachment){
      .resource = DEPTH, .pixel_bytes = 4, .load = load, .store = store, .clear = clear};
   pass->draws[0].tests.depth_test = pass->draws[0].tests.depth_write = true;
   return pass;
}

TEST(unneeded_store)
{
   enum { CLEARED, LOADED, SAMPLED, READ, UNTOUCHED, NOT_STORED, CASES };
   for (unsigned c = 0; c < CASES; c++) {
      struct stream stream = begin_stream("mode=tbr");
      const struct cm_name read = {.type = CM_NAME_READ, .number = DEPTH};
      for (unsigned frame = 0; frame < 3; frame++) {
         struct pass_builder *pass = depth_pass(c != LOADED || !frame, c == LOADED && frame, c != NOT_STORED);
         pass->touched[5] = c != UNTOUCHED;
         send(&stream, pass);
         if (c == SAMPLED)
            send(&stream, draw_pass(OTHER, DEPTH));
         if (c == READ)
            assert_true(cm_advice_define_name(stream.advice, &read));
         end_frame(&stream);
      }
      const struct cm_finding *finding = find(&stream, CM_ADVICE_UNNEEDED_STORE);
      assert_int_equal(finding != NULL, c == CLEARED);
      if (finding) {
         /* Of the last frame it is not known. */
         assert_int_equal(finding->passes, 2);
         assert_int_equal(finding->num_unknown_frames, 1);
         assert_int_equal(finding->unknown_frames[0], 2);
         assert_int_equal(finding->evidence[0].value, 1); /* passes per frame, of those where it is */
         assert_int_equal(finding->resources[0], DEPTH);
         assert_int_equal(finding->changes->passes[1].no_store, 1 << CM_SLOT_DEPTH);
      }
      end_stream(&stream);
   }
}

/* ---- passes --------------------------------------------------------------------- */

TEST(target_never_read)
{
   for (unsigned reads = 0; reads < 2; reads++) {
      struct stream stream = begin_stream("mode=tbr");
      for (unsigned frame = 0; frame < 3; frame++) {
         send(&stream, draw_pass(COLOR, 0));
         send(&stream, draw_pass(WINDOW, reads ? COLOR : 0));
         end_frame(&stream);
      }
      const struct cm_finding *finding = find(&stream, CM_ADVICE_TARGET_NEVER_READ);
      assert_int_equal(finding != NULL, !reads);
      assert_null(find(&stream, CM_ADVICE_UNNEEDED_STORE));
      if (finding) {
         assert_int_equal(finding->changes->type, CM_CHANGE_SKIP_PASSES);
         assert_int_equal(finding->passes, 2);
         assert_int_equal(finding->changes->passes[1].pass, 2);
      }
      end_stream(&stream);
   }
}

TEST(broken_pass)
{
   enum { BROKEN, AT_ONCE, READ, CLEARED, OTHER_FRAME, CASES };
   for (unsigned c = 0; c < CASES; c++) {
      struct stream stream = begin_stream("mode=tbr");
      struct pass_builder *last = new_pass(COLOR);
      send(&stream, draw_pass(COLOR, 0));
      if (c != AT_ONCE)
         send(&stream, draw_pass(OTHER, c == READ ? COLOR : 0));
      if (c == OTHER_FRAME)
         end_frame(&stream);
      cover(last, 1, 15);
      last->pass.color[0].load = c != CLEARED;
      last->pass.color[0].clear = c == CLEARED;
      send(&stream, last);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_BROKEN_PASS);
      assert_int_equal(finding != NULL, c == BROKEN || c == AT_ONCE);
      if (finding) {
         assert_int_equal(finding->changes->num_passes, 2);
         assert_true(finding->changes->passes[0].joins && !finding->changes->passes[1].joins);
         assert_int_equal(finding->changes->passes[1].pass, c == AT_ONCE ? 1 : 2);
         assert_int_equal(finding->passes, 1);
      }
      end_stream(&stream);
   }
}

/* Of a pass that continues later, why it ended and the calls around. */
TEST(reason_of_break)
{
   static const enum cm_end_reason reasons[] = {CM_END_FRAMEBUFFER, CM_END_FENCE, CM_END_UNKNOWN};
   for (unsigned r = 0; r < 3; r++) {
      struct stream stream = begin_stream("mode=tbr");
      struct pass_builder *first = draw_pass(COLOR, 0), *last = new_pass(COLOR);
      first->pass.end = reasons[r];
      first->pass.end_call = r ? 20 : 0;
      first->draws[0].call = 10;
      cover(first, 0, 15)->call = 12;
      /* Vertices that the first part writes are there all the same. */
      pass_feedback(first, (struct cm_feedback){.buffer = BUFFER, .bytes = 16});
      send(&stream, first);
      if (reasons[r] == CM_END_FRAMEBUFFER)
         send(&stream, draw_pass(OTHER, 0));
      cover(last, 1, 15)->call = 30;
      last->pass.color[0].load = true;
      send(&stream, last);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_BROKEN_PASS);
      assert_non_null(finding);
      assert_int_equal(finding->pass, 0);
      assert_int_equal(finding->pass_break.reason, reasons[r]);
      assert_int_equal(finding->pass_break.other_target, reasons[r] == CM_END_FRAMEBUFFER ? OTHER : 0);
      assert_int_equal(finding->pass_break.next_pass, reasons[r] == CM_END_FRAMEBUFFER ? 2 : 1);
      assert_int_equal(finding->pass_break.last_call, 12);
      assert_int_equal(finding->pass_break.end_call, r ? 20 : 0);
      assert_int_equal(finding->pass_break.next_call, 30);
      const bool names_fence = strstr(finding->problem, "fence");
      assert_int_equal(names_fence, reasons[r] == CM_END_FENCE);
      const bool names_framebuffers = strstr(finding->remedy, "other framebuffers");
      assert_int_equal(names_framebuffers, reasons[r] == CM_END_FRAMEBUFFER);
      end_stream(&stream);
   }
}

/* ---- frames ---------------------------------------------------------------------- */

/* What a program does while it loads is no evidence; but its passes change with those of counted frames. */
TEST(loading)
{
   struct stream stream = begin_stream("mode=tbr");
   for (unsigned frame = 0; frame < 3; frame++) {
      stream.is_loading = !frame;
      for (unsigned again = 0; again < (frame ? 1 : 5); again++) {
         struct pass_builder *pass = draw_pass(COLOR, 0), *other = draw_pass(OTHER, 0);
         pass->pass.color[0].load = frame || again;
         other->pass.color[0].load = !frame && again;
         send(&stream, pass);
         if (!frame)
            send(&stream, other);
         else
            pass_free(other);
      }
      send(&stream, draw_pass(WINDOW, COLOR));
      end_frame(&stream);
   }
   const struct cm_finding *finding = find(&stream, CM_ADVICE_UNNEEDED_LOAD);
   assert_non_null(finding);
   assert_int_equal(finding->resources[0], COLOR);
   assert_int_equal(finding->frame, 1);
   assert_int_equal(finding->pass, 0);
   assert_int_equal(finding->passes, 2);
   assert_int_equal(finding->evidence[0].value, 1);
   assert_int_equal(finding->weight, 2 * SIZE * SIZE * 4);
   assert_int_equal(finding->changes->num_passes, 4 + 2);
   end_stream(&stream);
}

/* ---- fragments ------------------------------------------------------------------- */

TEST(overdraw)
{
   static const struct {
      const char *mode;
      unsigned visible;
      bool found;
   } cases[] = {{"mode=tbr", 0, true}, {"mode=tbr", 15, false}, {"mode=tbdr", 0, false}};
   for (unsigned c = 0; c < 3; c++) {
      struct stream stream = begin_stream(cases[c].mode);
      struct pass_builder *pass = new_pass(WINDOW);
      cover(pass, 0, cases[c].visible);
      cover(pass, 0, 15);
      send(&stream, pass);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_OVERDRAW);
      assert_int_equal(finding != NULL, cases[c].found);
      /* What a deferred GPU hides is told, too. */
      const struct cm_hidden_overdraw hidden = cm_advice_hidden_overdraw(stream.advice);
      assert_int_equal(hidden.hidden, c == 2 ? SIZE * SIZE : 0);
      assert_int_equal(hidden.opaque, c == 2 ? 2 * SIZE * SIZE : 0);
      if (finding) {
         assert_int_equal(finding->evidence[0].value, 2 * SIZE * SIZE);
         assert_int_equal(finding->evidence[1].value, SIZE * SIZE);
         assert_true(cm_advice_knows_overdraw(stream.advice));
      }
      end_stream(&stream);
   }
}

TEST(late_tests)
{
   for (unsigned c = 0; c < 3; c++) {
      struct stream stream = begin_stream("mode=tbr");
      struct pass_builder *pass = draw_pass(WINDOW, 0);
      pass->draws[0].tests.late = c != 1;
      pass->draws[0].fragment_shader.id = 7;
      for (uint32_t t = 0; t < TILES && c != 2; t++) {
         for (const uint32_t *word = pass->tiles[t].words, *end = word + pass->tiles[t].num_words; word < end;
              word = cm_event_next(word))
            ((struct cm_quad *)(word + 2))->written = 1;
      }
      send(&stream, pass);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_LATE_TESTS);
      assert_int_equal(finding != NULL, c == 0);
      if (finding) {
         assert_int_equal(finding->fragment_shader, 7);
         assert_int_equal(finding->evidence[0].value, SIZE * SIZE);
         assert_int_equal(finding->evidence[1].value, SIZE * SIZE / 4);
      }
      end_stream(&stream);
   }
}

/* ---- textures -------------------------------------------------------------------- */

/* Footprints of a texture with so many texels from fragment to fragment, 1,024 of them. */
static void
read_in_pass(struct stream *stream, uint32_t texture, int step)
{
   struct pass_builder *pass = draw_pass(WINDOW, texture);
   for (uint32_t t = 0; t < TILES; t++) {
      struct cm_footprint footprints[4];
      for (unsigned f = 0; f < 4; f++) {
         footprints[f] = (struct cm_footprint){.quad = (uint8_t)f, .live = 15, .linear = 1};
         for (int i = 0; i < 4; i++) {
            footprints[f].texel[i].x = (int16_t)(8 + (i & 1) * step);
            footprints[f].texel[i].y = (int16_t)(8 + (i >> 1) * step);
         }
      }
      for (unsigned n = 0; n < 16; n++) {
         pass_shade(pass, t, 0, 4, 15);
         pass_footprints(pass, t, 0, footprints, 4);
      }
   }
   send(stream, pass);
}

static void
read_texture(struct stream *stream, uint32_t texture, int step)
{
   read_in_pass(stream, texture, step);
   end_frame(stream);
}

TEST(no_mipmaps)
{
   for (int step = 1; step <= 4; step++) {
      struct stream stream = begin_stream("mode=tbr");
      read_texture(&stream, OTHER, step);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_NO_MIPMAPS);
      assert_int_equal(finding != NULL, step > 2);
      assert_null(find(&stream, CM_ADVICE_OVERSAMPLED));
      if (finding) {
         assert_int_equal(finding->resources[0], OTHER);
         assert_int_equal(finding->draw, 0);
         /* All of 1,024 reads, of texels 3 or 4 apart. */
         assert_int_equal(finding->evidence[0].value, 1024);
         assert_int_equal(finding->evidence[1].value, 100);
         assert_int_equal(finding->evidence[2].value, 1);
      }
      end_stream(&stream);
   }
}

/* Depth has no mipmaps in OpenGL ES. */
TEST(large_depth)
{
   static const char *const formats[] = {"z16_unorm", "z24x8_unorm", "x8z24_unorm", "z32_float_s8x24_uint"};
   for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++) {
      struct stream stream = begin_stream("mode=tbr");
      const struct cm_name name = {.type = CM_NAME_STRING, .number = 2, .text = formats[f]};
      assert_true(cm_advice_define_name(stream.advice, &name));
      struct cm_resource_description depth = *cm_advice_resource(stream.advice, TEXTURE);
      depth.id = UINT32_MAX - 1;
      depth.format = 2;
      assert_true(cm_advice_define_resource(stream.advice, &depth));
      read_texture(&stream, depth.id, 4);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_LARGE_DEPTH);
      assert_non_null(finding);
      assert_int_equal(finding->resources[0], depth.id);
      assert_int_equal(finding->changes->type, CM_CHANGE_MIPMAPS);
      assert_null(find(&stream, CM_ADVICE_NO_MIPMAPS));
      end_stream(&stream);
   }
}

/* Textures with one cause are one finding, those first that have most to save; others have one of their own. */
TEST(causes)
{
   struct stream stream = begin_stream("mode=tbr");
   struct cm_resource_description texture = *cm_advice_resource(stream.advice, TEXTURE);
   for (texture.id = 100; texture.id < 104; texture.id++) {
      texture.levels = texture.id < 102 ? 1 : 7;
      assert_true(cm_advice_define_resource(stream.advice, &texture));
      for (uint32_t again = 0; again < texture.id - 99; again++)
         read_in_pass(&stream, texture.id, 4);
   }
   end_frame(&stream);
   uint32_t count, found = 0;
   const struct cm_finding *findings = cm_advice_findings(stream.advice, &count);
   for (uint32_t f = 0; f < count; f++) {
      const struct cm_finding *finding = &findings[f];
      const bool has_levels = finding->rule == CM_ADVICE_OVERSAMPLED;
      if (!has_levels && finding->rule != CM_ADVICE_NO_MIPMAPS)
         continue;
      assert_int_equal(finding->num_resources, 2);
      assert_int_equal(finding->num_changes, 2);
      assert_int_equal(finding->resources[0], has_levels ? 103 : 101);
      assert_int_equal(finding->resources[1], has_levels ? 102 : 100);
      for (unsigned r = 0; r < 2; r++)
         assert_int_equal(finding->changes[r].number, finding->resources[r]);
      assert_int_equal(finding->evidence[0].value, (has_levels ? 7 : 3) * 1024);
      assert_non_null(finding->assumption);
      found++;
   }
   assert_int_equal(found, 2);
   end_stream(&stream);
}

/* Where no other level than the first is read, it is the filter; where others are, it reads too fine ones. */
TEST(cause_of_oversampling)
{
   for (uint8_t level = 0; level < 2; level++) {
      struct stream stream = begin_stream("mode=tbr");
      struct cm_resource_description texture = *cm_advice_resource(stream.advice, TEXTURE);
      texture.id = 100;
      texture.levels = 7;
      assert_true(cm_advice_define_resource(stream.advice, &texture));
      struct pass_builder *pass = draw_pass(WINDOW, 100);
      const struct cm_footprint read = {.live = 15,
                                        .level = level,
                                        .texel = {{8, 8}, {12, 8}, {8, 12}, {12, 12}}};
      for (unsigned n = 0; n < 1024; n++) {
         pass_shade(pass, 0, 0, 1, 15);
         pass_footprints(pass, 0, 0, &read, 1);
      }
      send(&stream, pass);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_OVERSAMPLED);
      assert_non_null(finding);
      const bool is_bias = strstr(finding->remedy, "level-of-detail bias");
      assert_int_equal(is_bias, level);
      end_stream(&stream);
   }
}

TEST(uncompressed)
{
   enum { PLAIN, COMPRESSED, DRAWN_TO, RESOLVED_TO, MIPMAPS_DRAWN, CASES };
   for (unsigned c = 0; c < CASES; c++) {
      struct stream stream = begin_stream("mode=tbr");
      const uint32_t texture = c == COMPRESSED ? UINT32_MAX - 1 : TEXTURE; /* identifiers are any numbers */
      if (c == DRAWN_TO || c == MIPMAPS_DRAWN) {
         struct pass_builder *pass = draw_pass(TEXTURE, 0);
         pass->pass.color[0].level = c == MIPMAPS_DRAWN;
         send(&stream, pass);
      }
      if (c == RESOLVED_TO) {
         struct pass_builder *pass = draw_pass(COLOR, 0);
         pass->pass.resolve[0] = (struct cm_resolve){.resource = TEXTURE, .x1 = SIZE, .y1 = SIZE};
         send(&stream, pass);
      }
      if (c == COMPRESSED) {
         struct cm_resource_description compressed = *cm_advice_resource(stream.advice, TEXTURE);
         compressed.id = texture;
         compressed.block_width = compressed.block_height = 4;
         compressed.block_bytes = 16;
         assert_true(cm_advice_define_resource(stream.advice, &compressed));
      }
      read_texture(&stream, texture, 1);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_UNCOMPRESSED);
      assert_int_equal(finding != NULL, c == PLAIN || c == MIPMAPS_DRAWN);
      if (finding) {
         /* Whether alpha is 1 everywhere is not known. */
         assert_int_equal(finding->changes->block_bytes, 16);
         assert_int_equal(finding->other_changes->block_bytes, 8);
         assert_int_equal(finding->other_changes->number, TEXTURE);
      }
      end_stream(&stream);
   }
}

/* Pixels of 8 bytes, where those of up to 4 are compressed. */
TEST(wide_target)
{
   enum { FOUND, OFF, NARROW, NOT_MOVED, SAMPLES, STORAGE, COLOR_OFF, DEPTH_FOUND, RESOLVED, CASES };
   for (unsigned c = 0; c < CASES; c++) {
      struct stream stream = begin_stream("mode=tbr");
      stream.config->framebuffer_compression = (struct cm_compression_config){
         .mode = c == OFF ? CM_COMPRESSION_NONE : CM_COMPRESSION_BLOCKS,
         .most_pixel_bytes = 4,
         .color = c != COLOR_OFF && c != DEPTH_FOUND,
         .depth = true,
      };
      struct cm_resource_description wide = *cm_advice_resource(stream.advice, COLOR);
      wide.id = 100;
      wide.block_bytes = c == NARROW ? 4 : 8;
      wide.samples = c == SAMPLES ? 4 : 1;
      wide.is_displayable = c == RESOLVED; /* and display is off */
      assert_true(cm_advice_define_resource(stream.advice, &wide));
      for (unsigned frame = 0; frame < 2; frame++) {
         struct pass_builder *pass = draw_pass(c == RESOLVED ? COLOR : 100, 0);
         struct cm_storage storage = {.num_images = 1, .images[0].resource = 100};
         pass->pass.color[0].pixel_bytes = 8;
         pass->pass.color[0].store = c != NOT_MOVED;
         if (c == DEPTH_FOUND) {
            pass->pass.depth = pass->pass.color[0];
            pass->pass.color[0].resource = COLOR;
         }
         if (c == RESOLVED)
            pass->pass.resolve[0] = (struct cm_resolve){.resource = 100, .x1 = SIZE, .y1 = SIZE};
         if (c == STORAGE) {
            pass->pass.storages = &storage;
            pass->pass.num_storages = 1;
         }
         send(&stream, pass);
         send(&stream, draw_pass(WINDOW, 100));
         end_frame(&stream);
      }
      const struct cm_finding *finding = find(&stream, CM_ADVICE_WIDE_TARGET);
      assert_int_equal(finding != NULL, c == FOUND || c == DEPTH_FOUND);
      if (finding) {
         assert_int_equal(finding->resources[0], 100);
         assert_int_equal(finding->changes->type, CM_CHANGE_NARROW);
         assert_int_equal(finding->changes->number, 100);
         assert_int_equal(finding->changes->block_bytes, 4);
         assert_int_equal(finding->passes, 2);
         assert_int_equal(finding->slots, c == DEPTH_FOUND ? 1 << CM_SLOT_DEPTH : 1);
         assert_int_equal(strstr(finding->remedy, "depth") != NULL, c == DEPTH_FOUND);
         assert_int_equal(finding->evidence[0].value, 1);
         assert_int_equal(finding->evidence[1].value, 8);
         assert_int_equal(finding->evidence[2].value, 4);
         assert_int_equal(finding->weight, 2 * SIZE * SIZE * 8);
      }
      end_stream(&stream);
   }
}

/* ---- geometry -------------------------------------------------------------------- */

/* An indexed draw of 4,000 vertices, 1,000 different ones, four times each: one after another, or all again and again. */
TEST(vertices)
{
   for (unsigned again = 0; again < 2; again++) {
      struct stream stream = begin_stream("mode=tbr");
      struct pass_builder *pass = draw_pass(WINDOW, 0);
      struct cm_draw *draw = &pass->draws[0];
      draw->index_buffer = BUFFER;
      draw->num_elements = 1;
      draw->elements[0] = (struct cm_vertex_element){.buffer = BUFFER, .stride = 16, .bytes = 16};
      draw->num_vertices = 4000;
      for (uint32_t v = 0; v < 4000; v++)
         pass->vertices[v] = again ? v % 1000 : v / 4;
      pass->pass.num_vertices = 4000;
      draw->vertex_shader.id = 3;
      send(&stream, pass);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_VERTICES_FETCHED_AGAIN);
      assert_int_equal(finding != NULL, again);
      if (finding) {
         assert_int_equal(finding->vertex_shader, 3);
         assert_int_equal(finding->evidence[0].value, 4000);
         assert_int_equal(finding->evidence[1].value, 1000);
         assert_int_equal(finding->weight, 3000 * 16);
      }
      end_stream(&stream);
   }
}

/* 1,200 primitives, of two pixels or of ten. */
TEST(tiny_primitives)
{
   for (unsigned large = 0; large < 2; large++) {
      struct stream stream = begin_stream("mode=tbr");
      struct pass_builder *pass = new_pass(WINDOW);
      struct cm_draw *draw = pass_draw(pass);
      draw->vertex_shader.id = 9;
      for (uint32_t p = 0; p < 1200; p++) {
         const struct cm_quad quad = {.primitive = p,
                                      .live = large ? 15 : 3,
                                      .covered = large ? 15 : 3,
                                      .visible = 15 & (large ? 15 : 3),
                                      .written = 3};
         const uint32_t tile = p % TILES;
         pass_primitive(pass, 1, &tile, 1);
         for (unsigned q = 0; q < (large ? 3u : 1u); q++)
            pass_quads(pass, tile, 0, 0, &quad, 1);
      }
      send(&stream, pass);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_TINY_PRIMITIVES);
      assert_int_equal(finding != NULL, !large);
      if (finding) {
         assert_int_equal(finding->evidence[0].value, 1200);
         assert_int_equal(finding->evidence[1].value, 2);
      }
      end_stream(&stream);
   }
}

/* An L2 of 16 KiB holds 256 attributes, but not with the PMDs of their primitives. */
TEST(parameter_buffer)
{
   static const struct {
      uint32_t primitives;
      bool found;
   } cases[] = {{63, false}, {64, true}};
   for (unsigned c = 0; c < 2; c++) {
      struct stream stream = begin_stream("mode=tbr");
      struct pass_builder *pass = new_pass(WINDOW);
      pass_draw(pass);
      for (uint32_t p = 0; p < cases[c].primitives; p++)
         pass_primitive(pass, 4, &(uint32_t){p % TILES}, 1);
      send(&stream, pass);
      end_frame(&stream);
      const struct cm_finding *finding = find(&stream, CM_ADVICE_PARAMETER_BUFFER);
      assert_int_equal(finding != NULL, cases[c].found);
      if (finding)
         assert_int_equal(finding->evidence[0].value, 64 * (4 * 64 + 4));
      end_stream(&stream);
   }
}

/* A frame as it should be: drawn once, from front to back, and read. */
TEST(nothing)
{
   struct stream stream = begin_stream("mode=tbr");
   for (unsigned frame = 0; frame < 3; frame++) {
      send(&stream, draw_pass(COLOR, 0));
      send(&stream, draw_pass(WINDOW, COLOR));
      end_frame(&stream);
   }
   assert_nothing(&stream);
   end_stream(&stream);
}
