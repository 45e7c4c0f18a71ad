/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

void *
vk_download(const struct vk_image *image, uint32_t layer, uint32_t bytes_per_texel)
{
   const size_t bytes = (size_t)image->width * image->height * bytes_per_texel;
   const struct vk_buffer buffer = vk_create_buffer(bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
   const VkBufferImageCopy copy = {
      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1},
      .imageExtent = {image->width, image->height, 1},
   };
   VkCommandBuffer commands = vk_begin();
   vk_barrier(commands);
   vkCmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, buffer.buffer, 1, &copy);
   vk_run(commands);
   void *copied = malloc(bytes);
   if (copied)
      memcpy(copied, buffer.memory, bytes);
   return copied;
}

void
vk_write_picture(const struct vk_image *image, const char *path)
{
   FILE *file = fopen(path, "wb");
   if (file)
      fprintf(file, "P6\n%u %u\n255\n", image->width, image->height * image->layers);
   for (uint32_t layer = 0; layer < image->layers; layer++) {
      uint8_t *texels = vk_download(image, layer, 4);
      if (!texels || !file) {
         perror(path);
         exit(1);
      }
      for (uint32_t i = 0; i < image->width * image->height; i++)
         fwrite(texels + (size_t)4 * i, 1, 3, file);
      free(texels);
   }
   if (fclose(file)) {
      perror(path);
      exit(1);
   }
}
