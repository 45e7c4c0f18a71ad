/* SPDX-License-Identifier: MIT */
/**
 * Random copies, blits, resolves and clears of images of all types and many formats, the same for a seed whatever the device answers:
 *    vulkan_random_transfers FIRST COUNT FILE [STEPS]
 * appends to FILE, of each seed, a line "SEED n", and of each image and buffer a line "KIND NAME BYTES" and all that is in it. KIND: exact,
 * or the format of which the numbers may be off, as they were filtered or converted. All is defined. STEPS: no more than the first ones.
 */
#include <string.h>

#include "device_private.h"
#include "random_transfers.h"
#include "seeds.h"

#define MAX_STEPS 24

static VkDeviceSize
picture_bytes(const struct picture *picture)
{
   VkDeviceSize bytes = 0;
   for (uint32_t aspect = 0; aspect < num_aspects(picture->format); aspect++) {
      for (uint32_t level = 0; level < picture->levels; level++) {
         const struct part all = whole_level(picture, level, aspect);
         bytes += part_bytes(&all);
      }
   }
   return bytes;
}

/* All levels and layers, one after another, of one aspect after another. */
static void
copy_all(struct world *world, struct picture *picture, const struct vk_buffer *buffer, bool to_buffer)
{
   VkDeviceSize offset = 0;
   for (uint32_t aspect = 0; aspect < num_aspects(picture->format); aspect++) {
      for (uint32_t level = 0; level < picture->levels; level++) {
         const struct part all = whole_level(picture, level, aspect);
         const VkBufferImageCopy region = buffer_region(&all, offset, 0, 0);
         if (to_buffer)
            vkCmdCopyImageToBuffer(world->commands, picture->image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer,
                                   1, &region);
         else
            vkCmdCopyBufferToImage(world->commands, buffer->buffer, picture->image, VK_IMAGE_LAYOUT_GENERAL,
                                   1, &region);
         offset += part_bytes(&all);
      }
   }
}

static void
fill_picture(struct world *world, struct picture *picture)
{
   const VkDeviceSize bytes = picture_bytes(picture);
   const struct vk_buffer buffer = vk_create_buffer(bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
   VkDeviceSize offset = 0;
   for (uint32_t aspect = 0; aspect < num_aspects(picture->format); aspect++) {
      for (uint32_t level = 0; level < picture->levels; level++) {
         const struct part all = whole_level(picture, level, aspect);
         random_texels(&world->dice, &all, (uint8_t *)buffer.memory + offset);
         offset += part_bytes(&all);
      }
   }
   copy_all(world, picture, &buffer, false);
}

/* One that is larger than what is copied to it. */
static struct vk_buffer
create_bytes(struct dice *dice)
{
   const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
   const struct vk_buffer buffer = vk_create_buffer(BUFFER_BYTES, usage, NULL);
   for (uint32_t i = 0; i < BUFFER_BYTES; i += 8) {
      const uint64_t bits = roll_bits(dice);
      memcpy((uint8_t *)buffer.memory + i, &bits, sizeof bits);
   }
   return buffer;
}

static void
create_world(struct world *world, uint64_t seed)
{
   *world = (struct world){.dice = dice_of(seed, 0)};
   for (unsigned i = 0; i < NUM_BUFFERS; i++)
      world->buffers[i] = create_bytes(&world->dice);
   for (unsigned i = 0; i < NUM_PICTURES; i++)
      create_picture(&world->pictures[i], &world->dice, i);
   world->commands = vk_begin();
   for (unsigned i = 0; i < NUM_PICTURES; i++)
      prepare_picture(world, &world->pictures[i]);
   vk_barrier(world->commands);
   for (unsigned i = 0; i < NUM_PICTURES; i++) {
      if (world->pictures[i].samples == 1)
         fill_picture(world, &world->pictures[i]);
      else
         clear_picture(world, &world->pictures[i]);
   }
   vk_barrier(world->commands);
}

static void
write_bytes(FILE *file, const char *kind, const char *name, const void *bytes, size_t size)
{
   fprintf(file, "%s %s %zu\n", kind, name, size);
   if (fwrite(bytes, 1, size, file) != size)
      abort();
}

static void
write_world(struct world *world, uint64_t seed, FILE *file)
{
   struct vk_buffer found[NUM_PICTURES] = {{0}};
   world->commands = vk_begin();
   for (unsigned i = 0; i < NUM_PICTURES; i++) {
      struct picture *picture = &world->pictures[i];
      if (picture->samples > 1)
         continue;
      found[i] = vk_create_buffer(picture_bytes(picture), VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
      copy_all(world, picture, &found[i], true);
   }
   vk_run(world->commands);
   fprintf(file, "SEED %llu\n", (unsigned long long)seed);
   for (unsigned i = 0; i < NUM_PICTURES; i++) {
      const struct format *format = world->pictures[i].format;
      if (found[i].buffer)
         write_bytes(file, world->pictures[i].is_rounded ? format->name : "exact", format->name,
                     found[i].memory, found[i].bytes);
   }
   for (unsigned i = 0; i < NUM_BUFFERS; i++)
      write_bytes(file, "exact", "buffer", world->buffers[i].memory, BUFFER_BYTES);
}

static void
run_seed(uint64_t seed, unsigned most_steps, FILE *file)
{
   struct world world;
   vk_open();
   create_world(&world, seed);
   const unsigned num_steps = 1 + roll(&world.dice, MAX_STEPS);
   for (unsigned i = 0; i < num_steps && i < most_steps; i++) {
      step(&world);
      vk_barrier(world.commands);
   }
   vk_run(world.commands);
   write_world(&world, seed, file);
   vk_close();
}

int
main(int argc, char **argv)
{
   return run_seeds(argc, argv, MAX_STEPS, run_seed);
}
