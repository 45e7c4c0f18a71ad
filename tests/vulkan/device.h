/* SPDX-License-Identifier: MIT */
/** A Vulkan device without a window, for test programs: objects with what they need in one call each. Whatever fails ends the
 * program with a message. What is created stays until vk_close. */
#ifndef VULKAN_DEVICE_H
#define VULKAN_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define VK_MAX_OBJECTS 256
#define VK_MAX_COLORS 4

struct vk_buffer {
   VkBuffer buffer;
   void *memory; /**< mapped */
   VkDeviceSize bytes;
};

struct vk_image {
   VkImage image;
   VkImageView view; /**< of all of it; of depth and stencil: of depth */
   VkFormat format;
   uint32_t width, height, levels, layers;
   VkSampleCountFlagBits samples;
};

/** An attachment of a render pass. */
struct vk_attachment {
   const struct vk_image *image; /**< NULL: none */
   VkAttachmentLoadOp load;
   VkAttachmentStoreOp store;
   VkClearValue clear;
   const struct vk_image *resolve; /**< of colour: where samples are resolved to; NULL: nowhere */
};

/** A render pass, of one subpass unless it says otherwise, and its framebuffer. */
struct vk_pass {
   VkRenderPass pass;
   VkFramebuffer framebuffer;
   uint32_t width, height, num_clears;
   VkSampleCountFlagBits samples;
   uint32_t num_colors;
   VkClearValue clears[2 * VK_MAX_COLORS + 1];
};

/** A shader as glslangValidator writes it. */
struct vk_code {
   const uint32_t *words;
   size_t bytes;
};
#define VK_CODE(array) ((struct vk_code){array, sizeof(array)})

struct vk_pipeline_description {
   struct vk_code vertex, fragment;
   struct vk_code control, evaluation, geometry; /**< words NULL: none */
   uint32_t patch_vertices;                      /**< 0: three */
   VkRenderPass pass;
   uint32_t subpass, num_colors;
   VkPipelineLayout layout;
   uint32_t stride;         /**< of a vertex; 0: no vertex buffer */
   uint32_t num_attributes; /**< of four floats each, from the vertex's beginning */
   VkFormat attribute;      /**< of the only attribute; 0: as above */
   VkSampleCountFlagBits samples;
   VkPrimitiveTopology topology;
   bool depth, blend; /**< tested and written; source over destination */
   bool instanced;    /**< a second vertex buffer, with one attribute an instance, after the vertex's */
   bool dual_source;  /**< blended with the shader's second colour as the factor */
   bool stencil;      /**< set to `reference` where depth passes */
   uint32_t reference;
   const VkPipelineRenderingCreateInfoKHR *rendering; /**< instead of a pass; NULL: none */
   const void *next;                                  /**< after it */
};

struct vk_descriptor {
   VkDescriptorType type;
   uint32_t count; /**< of an array */
   const struct vk_buffer *buffer;
   VkDeviceSize range; /**< of a buffer; 0: all of it */
   const struct vk_image *const *images;
   VkSampler sampler;
   VkBufferView texels; /**< of a texel buffer */
};

extern VkInstance vk_instance;
/** A function of an extension. */
#define VK_PROCEDURE(name) ((PFN_##name)vkGetInstanceProcAddr(vk_instance, #name))
extern VkDevice vk_device;
extern VkQueue vk_queue;
extern VkPhysicalDevice vk_physical_device;

void vk_open(void);
/** For that version of the API, with more features: a chain of structures, which vkCreateDevice gets; NULL: none. */
void vk_open_version(uint32_t version, void *features);
void vk_close(void);
/** How many objects there are; and destroys those that were created since there were so many. */
unsigned vk_count_objects(void);
void vk_destroy_since(unsigned count);

struct vk_buffer vk_create_buffer(VkDeviceSize bytes, VkBufferUsageFlags usage, const void *data);
/** Of a buffer that was made for it (VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT). */
VkDeviceAddress vk_address_of(const struct vk_buffer *buffer);
struct vk_image vk_create_image(VkFormat format, uint32_t width, uint32_t height, uint32_t levels,
                                uint32_t layers, VkSampleCountFlagBits samples, VkImageUsageFlags usage);
/** With memory, and without a view. */
VkImage vk_create_any_image(const VkImageCreateInfo *info);
/** The same image, seen otherwise. */
struct vk_image vk_view_aspect(const struct vk_image *image, VkImageAspectFlags aspect);
/** Gives it a name that attributions show (VK_EXT_debug_utils). */
void vk_name_image(const struct vk_image *image, const char *name);
/** Labels of what is recorded from here on; commands NULL: of what the queue gets from here on. */
void vk_begin_label(VkCommandBuffer commands, const char *name);
void vk_end_label(VkCommandBuffer commands);
void vk_insert_label(VkCommandBuffer commands, const char *name);
VkSampler
vk_create_sampler(VkFilter filter, VkSamplerMipmapMode mipmaps, VkSamplerAddressMode address, bool compare);
/** The nearest texel, and this colour outside of the image (VK_EXT_custom_border_color). */
VkSampler vk_create_border_sampler(const float color[4]);
/** Vertices that are drawn are captured from here on (VK_EXT_transform_feedback); captured NULL: no longer, and the counter says
 * how many bytes were. */
void vk_capture(VkCommandBuffer commands, const struct vk_buffer *captured, const struct vk_buffer *counter);
/** Draws as many vertices as the counter says. */
void vk_draw_captured(VkCommandBuffer commands, const struct vk_buffer *counter, uint32_t stride);
/** Depth is the attachment whose format has it, at most one, after the colours. */
struct vk_pass
vk_create_pass(const struct vk_attachment *colors, uint32_t num_colors, const struct vk_attachment *depth);
/** Several subpasses, each of which depends on the one before, as `dependency` says: at each pixel, or not. Attachments have
 * the numbers that they are given in, those that others are resolved to as well. views: mask of the layers that each draws; 0:
 * one layer, without views. */
struct vk_pass vk_create_subpasses(const struct vk_attachment *attachments, uint32_t count,
                                   const VkSubpassDescription *subpasses, uint32_t num_subpasses,
                                   VkDependencyFlags dependency, uint32_t views);
/** To be destroyed when pipelines have been made of it. */
VkShaderModule vk_create_module(struct vk_code code);
VkPipeline vk_create_pipeline(const struct vk_pipeline_description *description);
VkPipeline vk_create_compute_pipeline(struct vk_code code, VkPipelineLayout layout);
/** That have push constants. */
#define VK_PUSH_STAGES (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT)
/** A set with these, from binding 0 on, and a pipeline layout with it as set 0 and 32 bytes of push constants. */
VkDescriptorSet
vk_create_set(const struct vk_descriptor *descriptors, uint32_t count, VkPipelineLayout *layout);

VkCommandBuffer vk_begin(void);
/** One that others execute within a subpass, which it ends by vkEndCommandBuffer. */
VkCommandBuffer vk_begin_secondary(const struct vk_pass *pass, uint32_t subpass);
/** Whether the device can read attachments in the tile without render passes (VK_KHR_dynamic_rendering_local_read). */
bool vk_has_local_read(void);
/** Ends and runs it, and waits for the end. */
void vk_run(VkCommandBuffer commands);
/** Commands before which all earlier ones' results are there. */
void vk_barrier(VkCommandBuffer commands);
void vk_change_layout(VkCommandBuffer commands, const struct vk_image *image, VkImageLayout layout);
void vk_begin_pass(VkCommandBuffer commands, const struct vk_pass *pass, VkSubpassContents contents);
/** Fills a level of a layer with texels, which are as large as the format's; of a compressed format `bytes` are those of all blocks. */
void
vk_upload(const struct vk_image *image, uint32_t level, uint32_t layer, const void *texels, uint32_t bytes);
/** The first level of a layer; the caller frees it. (All images are in the general layout.) */
void *vk_download(const struct vk_image *image, uint32_t layer, uint32_t bytes_per_texel);
/** Writes an image of 8-bit colours, as a PPM file: its layers one below the other. */
void vk_write_picture(const struct vk_image *image, const char *path);

#endif
