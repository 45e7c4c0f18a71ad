/* SPDX-License-Identifier: MIT */
/** The scenes of vulkan_subpasses, and what they share. */
#ifndef VULKAN_SUBPASSES_H
#define VULKAN_SUBPASSES_H

#include "scene.h"

#define BY_REGION VK_DEPENDENCY_BY_REGION_BIT
#define ONE VK_SAMPLE_COUNT_1_BIT
#define FOUR VK_SAMPLE_COUNT_4_BIT
/** Usage of what only the render pass needs. */
#define TRANSIENT (VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT)

#define MAX_ATTACHMENTS 4

/** An attachment of a drawing; its image is as large as the picture. */
struct attachment {
   VkFormat format;
   VkSampleCountFlagBits samples;
   VkImageUsageFlags usage; /**< besides that of an attachment */
   VkAttachmentLoadOp load;
   VkAttachmentStoreOp store;
   const VkClearValue *clear;
};
/** One that is drawn and then read in the tile, with one sample; one that is the picture. */
#define READ_IN_TILE(value) {COLOR_FORMAT, ONE, TRANSIENT, CLEAR, DROP, &(value)}
#define PICTURE(value)                                                                          \
   {COLOR_FORMAT, ONE,   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, \
    CLEAR,        STORE, &(value)}

/** Attachments by their numbers, of which a subpass has one after the other. */
extern const VkAttachmentReference attachment_references[MAX_ATTACHMENTS];
#define OUTPUTS(first, count) \
   .colorAttachmentCount = (count), .pColorAttachments = &attachment_references[first]
#define INPUTS(first, count) \
   .inputAttachmentCount = (count), .pInputAttachments = &attachment_references[first]
#define DEPTH(number) .pDepthStencilAttachment = &attachment_references[number]
#define RESOLVED_TO(number) .pResolveAttachments = &attachment_references[number]

/** A render pass that is drawn. */
struct drawing {
   struct vk_image images[MAX_ATTACHMENTS];
   struct vk_pass pass;
   uint32_t subpass;        /**< the current one */
   VkDescriptorSet set;     /**< the input attachments of the last subpass */
   VkPipelineLayout layout; /**< of the set */
   VkCommandBuffer commands;
};

/** Images of the attachments; layers: of each. */
void
create_images(struct vk_image *images, const struct attachment *attachments, uint32_t count, uint32_t layers);
/** A render pass with these images, which depends on earlier subpasses as `dependency` says; views: as vk_create_subpasses has. */
struct vk_pass create_render_pass(const struct vk_image *images, const struct attachment *attachments,
                                  uint32_t count, const VkSubpassDescription *subpasses,
                                  uint32_t num_subpasses, VkDependencyFlags dependency, uint32_t views);
/** Both, and the set of the last subpass's inputs; views: layers of the images, each of which all subpasses draw. */
struct drawing
create_drawing(const struct attachment *attachments, uint32_t count, const VkSubpassDescription *subpasses,
               uint32_t num_subpasses, VkDependencyFlags dependency, uint32_t views);

/** The first subpass. */
void begin_drawing(struct drawing *drawing);
void next_subpass(struct drawing *drawing);
/** Ends the pass and runs it. The result is the image of that number. */
struct vk_image end_drawing(struct drawing *drawing, uint32_t picture);

/** A pipeline of the current subpass, or without a drawing outside of render passes: one colour, the triangle's vertices in
 * the first subpass, the quad's in all others. */
struct vk_pipeline_description
describe(const struct drawing *drawing, VkPipelineLayout layout, struct vk_code fragment);
/** Draws the triangle or the quad (set NULL: without descriptors). */
void draw(VkCommandBuffer commands, const struct vk_pipeline_description *description, VkDescriptorSet set,
          bool is_quad);
/** Draws in the current subpass the triangle, which reads nothing, into so many colours, or the quad, which reads the inputs. */
void draw_triangle(const struct drawing *drawing, struct vk_code fragment, uint32_t num_colors);
void draw_quad(const struct drawing *drawing, struct vk_code fragment);
/** What is read in the tile waits for what was drawn at the same pixel. */
void record_local_barrier(VkCommandBuffer commands);

/* subpasses_deferred.c: a triangle's colours, normals and depth are drawn first, and then a quad whose pixels are computed
 * from these. */
struct vk_image draw_two_subpasses(void);
struct vk_image draw_two_passes(void);
struct vk_image draw_not_by_region(void);
struct vk_image draw_other_pixels(void);
struct vk_image draw_secondary(void);
struct vk_image draw_cleared_parts(void);
struct vk_image draw_local_read(void);
struct vk_image draw_cleared_layers(void);
/* subpasses_others.c */
struct vk_image draw_own_sample(void);
struct vk_image draw_all_samples(void);
struct vk_image draw_resolved(void);
struct vk_image draw_stencil(void);
struct vk_image draw_three(void);
struct vk_image draw_dual_source(void);
struct vk_image draw_feedback(void);
struct vk_image draw_loaded(void);
struct vk_image draw_views(void);
struct vk_image draw_cleared_views(void);

#endif
