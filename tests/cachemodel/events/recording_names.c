/* SPDX-License-Identifier: MIT */
/* Names in recordings: what goes in comes out, from any frame on; reads without events stay between the passes where
 * they were; what names something that is not defined is refused; files from before names are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/names.h"
#include "events/recording_format.h"
#include "gpu/gpu.h"
#include "support/random_pass.h"
#include "support/random_recording.h"
#include "support/test.h"

static const struct cm_name definitions[] = {
   {.type = CM_NAME_STRING, .number = 1, .text = "shadow pass"},
   {.type = CM_NAME_STRING, .number = 2, .text = "terrain"},
   {.type = CM_NAME_GROUP, .number = 1, .string = 1},
   {.type = CM_NAME_GROUP, .number = 2, .string = 2, .parent = 1},
   {.type = CM_NAME_STRING, .number = 3, .text = "r8g8b8a8_unorm"},
   {.type = CM_NAME_SHADER,
    .number = 7,
    .stage = CM_SHADER_FRAGMENT,
    .hash = 0xfedcba9876543210,
    .string = 2},
   {.type = CM_NAME_SHADER, .number = 7, .stage = CM_SHADER_VERTEX, .hash = 1},
   {.type = CM_NAME_LABEL, .number = 9, .string = 1},
   {.type = CM_NAME_LABEL, .number = 9, .string = 2},
   {.type = CM_NAME_LABEL, .number = 8, .string = 2},
   {.type = CM_NAME_LABEL, .number = 8},
};
#define NUM_DEFINITIONS (sizeof definitions / sizeof definitions[0])

static struct cm_resource_description
named_resource(void)
{
   struct cm_resource_description resource = random_resource(9);
   resource.format = 3;
   resource.uses = CM_USE_TEXTURE | CM_USE_COLOR;
   return resource;
}

/* Names of resources are kept for tables that have rows of them. */
static const char *const with_tables[] = {"attribution.texture=on", NULL};

static void
check_names(const struct cm_names *names)
{
   char path[64];
   assert_int_equal(cm_names_count_strings(names), 3);
   assert_int_equal(cm_names_count_groups(names), 2);
   assert_int_equal(cm_names_count_labels(names), 1);
   assert_int_equal(cm_names_count_shaders(names), 2);
   assert_string_equal(cm_names_string(names, 0), "");
   assert_string_equal(cm_names_string(names, 1), "shadow pass");
   assert_string_equal(cm_names_string(names, 4), "");
   assert_string_equal(cm_names_group(names, 2), "terrain");
   assert_int_equal(cm_names_group_parent(names, 2), 1);
   assert_int_equal(cm_names_group_path(names, 2, path, sizeof path), 19);
   assert_string_equal(path, "shadow pass/terrain");
   assert_int_equal(cm_names_group_path(names, 2, path, 15), 19);
   assert_string_equal(path, "shadow pass/te");
   assert_int_equal(cm_names_group_path(names, 2, NULL, 0), 19);
   assert_int_equal(cm_names_group_path(names, 0, path, sizeof path), 0);
   assert_string_equal(path, "");
   assert_string_equal(cm_names_label(names, 9), "terrain");
   assert_string_equal(cm_names_label(names, 8), "");
   assert_string_equal(cm_names_label(names, 1000), "");
   assert_string_equal(cm_names_format(names, 9), "r8g8b8a8_unorm");
   assert_int_equal(cm_names_uses(names, 9), CM_USE_TEXTURE | CM_USE_COLOR);
   assert_true(cm_names_shader_hash(names, CM_SHADER_FRAGMENT, 7) == 0xfedcba9876543210);
   assert_true(cm_names_shader_hash(names, CM_SHADER_VERTEX, 7) == 1);
   assert_true(cm_names_shader_hash(names, CM_SHADER_GEOMETRY, 7) == 0);
   assert_string_equal(cm_names_shader_label(names, CM_SHADER_FRAGMENT, 7), "terrain");
}

/* Frames, each a random pass whose draws have names; definitions before the first. */
static void
write_recording(uint32_t frames, const struct cm_name *names, size_t num_names, uint32_t group,
                uint32_t marker)
{
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   for (size_t n = 0; n < num_names; n++)
      cm_recorder_define_name(recorder, &names[n]);
   const struct cm_resource_description resource = named_resource();
   if (num_names == NUM_DEFINITIONS)
      cm_recorder_define_resource(recorder, &resource);
   for (uint32_t frame = 0; frame < frames; frame++) {
      uint64_t state = frame;
      struct pass_builder *builder = random_pass(&state, frame);
      for (uint32_t d = 0; d < builder->pass.num_draws; d++) {
         struct cm_draw *draw = &builder->pass.draws[d];
         draw->group = d % 2 ? group : 0;
         draw->marker = marker;
         draw->call = 100 * frame + d;
      }
      record_pass(recorder, builder);
      pass_free(builder);
      cm_recorder_frame_end(recorder, frame);
   }
   assert_true(cm_recorder_destroy(recorder));
}

static struct cm_recording *
open_written(void)
{
   char error[512] = "";
   struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof error);
   assert_string_equal(error, "");
   return recording;
}

static void
check_draws(const struct cm_pass *pass)
{
   for (uint32_t d = 0; d < pass->num_draws; d++) {
      assert_int_equal(pass->draws[d].group, d % 2 ? 2 : 0);
      assert_int_equal(pass->draws[d].marker, 3);
      assert_int_equal(pass->draws[d].call, 100 * pass->frame + d);
   }
}

/* What a live run gives the consumer, and what it gets of a recording that begins anywhere. */
TEST(same_names)
{
   char error[512] = "";
   struct cm_config *config = test_config(with_tables);
   struct cm_gpu *live = cm_gpu_create(config, error, sizeof error);
   const struct cm_resource_description resource = named_resource();
   for (size_t n = 0; n < NUM_DEFINITIONS; n++)
      cm_gpu_define_name(live, &definitions[n]);
   cm_gpu_define_resource(live, &resource);
   check_names(cm_gpu_names(live));
   cm_gpu_destroy(live);

   write_recording(4, definitions, NUM_DEFINITIONS, 2, 3);
   struct cm_recording *recording = open_written();
   for (size_t first = 0; first < 4; first++) {
      struct cm_gpu *gpu = NULL;
      struct cm_item item;
      cm_recording_seek(recording, first, SIZE_MAX);
      while ((item = cm_recording_next(recording)).type != CM_ITEM_END) {
         assert_int_not_equal(item.type, CM_ITEM_DAMAGED);
         if (item.type == CM_ITEM_GPU)
            gpu = cm_gpu_create(config, error, sizeof error);
         for (size_t n = 0; n < item.num_names; n++)
            cm_gpu_define_name(gpu, &item.names[n]);
         for (size_t r = 0; r < item.num_resources; r++)
            cm_gpu_define_resource(gpu, &item.resources[r]);
         if (item.type == CM_ITEM_PASS)
            check_draws(&item.pass->pass);
         free(item.resources);
         free(item.names);
         free(item.codes);
         cm_recorded_pass_release(item.pass);
      }
      check_names(cm_gpu_names(gpu));
      cm_gpu_destroy(gpu);
   }
   cm_recording_close(recording);
   cm_config_destroy(config);
}

/* A GPU begins without names: those of the one before are not its. */
TEST(second_gpu)
{
   struct cm_recorder *recorder = new_recorder(recording_path());
   for (uint32_t gpu = 0; gpu < 2; gpu++) {
      uint64_t state = gpu;
      cm_recorder_gpu_begin(recorder);
      cm_recorder_define_name(recorder,
                              &(struct cm_name){.type = CM_NAME_STRING, .number = 1, .text = "one"});
      struct pass_builder *builder = random_pass(&state, gpu);
      record_pass(recorder, builder);
      pass_free(builder);
      cm_recorder_frame_end(recorder, gpu);
   }
   assert_true(cm_recorder_destroy(recorder));
   struct cm_recording *recording = open_written();
   struct cm_item item;
   size_t names = 0;
   while ((item = cm_recording_next(recording)).type != CM_ITEM_END) {
      assert_int_not_equal(item.type, CM_ITEM_DAMAGED);
      names += item.num_names;
      free(item.resources);
      free(item.names);
      free(item.codes);
      cm_recorded_pass_release(item.pass);
   }
   assert_int_equal(names, 2);
   cm_recording_close(recording);
}

/* ---- reads without events -------------------------------------------------------- */

#define READ_FRAMES 3

static void
record_random_pass(struct cm_recorder *recorder, uint32_t frame)
{
   uint64_t state = frame;
   struct pass_builder *builder = random_pass(&state, frame);
   record_pass(recorder, builder);
   pass_free(builder);
}

/* Of frame f: f reads, a pass, a read of resource 1, a pass, a read of resource 2 + f before the frame's end. */
static void
write_reads(void)
{
   struct cm_recorder *recorder = new_recorder(recording_path());
   cm_recorder_gpu_begin(recorder);
   for (uint32_t frame = 0; frame < READ_FRAMES; frame++) {
      for (uint32_t n = 0; n < frame; n++)
         cm_recorder_define_name(recorder, &(struct cm_name){.type = CM_NAME_READ, .number = 100 + n});
      record_random_pass(recorder, frame);
      cm_recorder_define_name(recorder, &(struct cm_name){.type = CM_NAME_READ, .number = 1});
      record_random_pass(recorder, frame);
      cm_recorder_define_name(recorder, &(struct cm_name){.type = CM_NAME_READ, .number = 2 + frame});
      cm_recorder_frame_end(recorder, frame);
   }
   assert_true(cm_recorder_destroy(recorder));
}

static void
expect_reads(struct cm_recording *recording, const uint32_t *numbers, size_t count)
{
   const struct cm_item item = cm_recording_next(recording);
   assert_int_equal(item.type, CM_ITEM_RESOURCES);
   assert_int_equal(item.num_names, count);
   for (size_t n = 0; n < count; n++) {
      const struct cm_name *read = &item.names[n];
      assert_int_equal(read->type, CM_NAME_READ);
      assert_int_equal(read->number, numbers[n]);
      assert_true(!read->string && !read->parent && !read->stage && !read->hash && !read->text);
   }
   free(item.names);
   free(item.codes);
   free(item.resources);
}

static void
expect(struct cm_recording *recording, enum cm_item_type type)
{
   const struct cm_item item = cm_recording_next(recording);
   assert_int_equal(item.type, type);
   cm_recorded_pass_release(item.pass);
}

TEST(reads)
{
   static const uint32_t before[] = {100, 101}, between[] = {1};
   write_reads();
   struct cm_recording *recording = open_written();
   cm_recording_seek(recording, 0, SIZE_MAX);
   expect(recording, CM_ITEM_GPU);
   for (uint32_t frame = 0; frame < READ_FRAMES; frame++) {
      const uint32_t after = 2 + frame;
      if (frame)
         expect_reads(recording, before, frame);
      expect(recording, CM_ITEM_PASS);
      expect_reads(recording, between, 1);
      expect(recording, CM_ITEM_PASS);
      expect_reads(recording, &after, 1);
      expect(recording, CM_ITEM_FRAME_END);
   }
   expect(recording, CM_ITEM_END);
   cm_recording_close(recording);
}

/* They are counted, and change nothing else. */
TEST(reads_change_nothing)
{
   char error[512] = "";
   struct cm_config *config = test_config(with_tables);
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   const struct cm_name read = {.type = CM_NAME_READ, .number = 9};
   for (size_t n = 0; n < NUM_DEFINITIONS; n++) {
      cm_gpu_define_name(gpu, &read);
      cm_gpu_define_name(gpu, &definitions[n]);
   }
   const struct cm_resource_description resource = named_resource();
   cm_gpu_define_resource(gpu, &resource);
   cm_gpu_define_name(gpu, &read);
   check_names(cm_gpu_names(gpu));
   assert_int_equal(cm_names_count_reads(cm_gpu_names(gpu)), NUM_DEFINITIONS + 1);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
}

/* ---- what is refused ---------------------------------------------------------- */

static const char *
read_error(void)
{
   static char error[512];
   struct cm_recording *recording = open_written();
   struct cm_item item;
   do {
      item = cm_recording_next(recording);
      free(item.resources);
      free(item.names);
      free(item.codes);
      cm_recorded_pass_release(item.pass);
   } while (item.type != CM_ITEM_END && item.type != CM_ITEM_DAMAGED);
   snprintf(error, sizeof error, "%s", item.type == CM_ITEM_DAMAGED ? cm_recording_damage(recording) : "");
   cm_recording_close(recording);
   return error;
}

static void
refused(const struct cm_name *name, const char *expected)
{
   write_recording(1, name, 1, 0, 0);
   const char *error = read_error();
   if (!strstr(error, expected))
      fail_msg("'%s': expected '%s'", error, expected);
}

TEST(refused)
{
   static char long_text[CM_MAX_NAME_BYTES + 2];
   memset(long_text, 'x', sizeof long_text - 1);
#define REFUSED(expected, ...) refused(&(struct cm_name){__VA_ARGS__}, expected)
   REFUSED("a string is not the next one", .type = CM_NAME_STRING, .number = 2, .text = "");
   REFUSED("a string is not the next one", .type = CM_NAME_STRING, .number = 0, .text = "");
   REFUSED("a string is too long", .type = CM_NAME_STRING, .number = 1, .text = long_text);
   REFUSED("a string that is not defined", .type = CM_NAME_GROUP, .number = 1, .string = 1);
   REFUSED("a string or a group that is not defined", .type = CM_NAME_GROUP, .number = 1);
   REFUSED("a group is not the next one", .type = CM_NAME_GROUP, .number = 2);
   REFUSED("a string that is not defined", .type = CM_NAME_LABEL, .number = 1, .string = 1);
   REFUSED("a name is of nothing", .type = CM_NAME_LABEL);
   REFUSED("a string that is not defined", .type = CM_NAME_SHADER, .number = 1, .string = UINT32_MAX);
   REFUSED("a shader of an unknown stage", .type = CM_NAME_SHADER, .number = 1, .stage = CM_SHADER_STAGES);
   REFUSED("a name is of nothing", .type = CM_NAME_READ);
   REFUSED("a name is of nothing", .type = CM_NAME_READ, .number = UINT32_MAX);
   REFUSED("unknown type", .type = CM_NAME_TYPES + 1, .number = 1);
   long_text[CM_MAX_NAME_BYTES] = '\0';
   write_recording(1, &(struct cm_name){.type = CM_NAME_STRING, .number = 1, .text = long_text}, 1, 0, 0);
   assert_string_equal(read_error(), "");
#undef REFUSED

   write_recording(2, definitions, NUM_DEFINITIONS, 3, 1);
   assert_non_null(strstr(read_error(), "a draw names a group or a string that is not defined"));
   write_recording(2, definitions, NUM_DEFINITIONS, 2, 4);
   assert_non_null(strstr(read_error(), "a draw names a group or a string that is not defined"));
}

TEST(deep_groups)
{
   struct cm_name_check check = {0};
   struct cm_name group = {.type = CM_NAME_GROUP, .string = 1};
   assert_null(cm_check_name(&check, &(struct cm_name){.type = CM_NAME_STRING, .number = 1}));
   for (group.number = 1; group.number <= CM_MAX_GROUP_DEPTH; group.number++) {
      group.parent = group.number - 1;
      assert_null(cm_check_name(&check, &group));
   }
   group.parent = group.number - 1;
   assert_string_equal(cm_check_name(&check, &group), "a group is in too many others");
   group.parent = 1;
   assert_null(cm_check_name(&check, &group));
   cm_name_check_begin(&check);
}

/* A string with a zero byte within, which no recorder writes; a definition that is cut short. */
TEST(payloads)
{
   static const uint8_t zero[] = {1 + CM_NAME_STRING, 1, 3, 'a', 0, 'b'},
                        cut[] = {1 + CM_NAME_STRING, 1, 3, 'a'},
                        cut_shader[] = {1 + CM_NAME_SHADER, 1, 0, 0, 1, 2, 3},
                        cut_read[] = {1 + CM_NAME_READ}, read[] = {1 + CM_NAME_READ, 1};
   static const struct {
      const uint8_t *bytes;
      size_t size;
      uint32_t version;
      const char *expected;
   } cases[] = {
      {zero, sizeof zero, CM_RECORDING_VERSION, "a string has a zero byte"},
      {cut, sizeof cut, CM_RECORDING_VERSION, "a string is cut short"},
      {cut_shader, sizeof cut_shader, CM_RECORDING_VERSION,
       "a name is cut short, or has a value out of range"},
      {cut_read, sizeof cut_read, CM_RECORDING_VERSION, "a name is cut short"},
      {read, sizeof read, CM_RECORDING_NAMES_VERSION, "a definition of an unknown type"},
   };
   for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      struct cm_byte_reader reader = {cases[c].bytes, cases[c].bytes + cases[c].size, false};
      struct cm_name_check check = {0};
      struct cm_definitions found;
      assert_string_equal(cm_decode_definitions(&reader, cases[c].version, &check, &found),
                          cases[c].expected);
      assert_null(found.names);
      cm_name_check_begin(&check);
   }
}

/* ---- a file of version 4 -------------------------------------------------------- */

/* That of the program "attachments depth_again". */
TEST(old_file)
{
   char error[512] = "";
   struct cm_recording *recording = cm_recording_open(getenv("TBRSIM_OLD_RECORDING"), error, sizeof error);
   assert_string_equal(error, "");
   struct cm_item item;
   size_t resources = 0, draws = 0, frames = 0;
   while ((item = cm_recording_next(recording)).type != CM_ITEM_END) {
      assert_int_not_equal(item.type, CM_ITEM_DAMAGED);
      assert_int_equal(item.num_names, 0);
      resources += item.num_resources;
      frames += item.type == CM_ITEM_FRAME_END;
      for (uint32_t d = 0; item.pass && d < item.pass->pass.num_draws; d++, draws++) {
         const struct cm_draw *draw = &item.pass->pass.draws[d];
         assert_true(draw->vertex_shader.id && !draw->group && !draw->marker && !draw->call);
      }
      free(item.resources);
      cm_recorded_pass_release(item.pass);
   }
   assert_int_equal(frames, 4);
   assert_int_equal(resources, 3);
   assert_int_equal(draws, 8);
   cm_recording_close(recording);
}
