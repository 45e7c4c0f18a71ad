/* SPDX-License-Identifier: MIT */
/**
 * Deferred shading in two passes, of which the advice says what a single one would save, and what is almost the same:
 *    vulkan_mergeable NAME
 * draws frames of the case NAME (cases[]) to a surface without a window.
 */
#include <stdio.h>
#include <string.h>

#include "scene.h"
#include "swapchain.h"

#include "deferred.frag.h"
#include "deferred_textures.frag.h"
#include "gbuffer.frag.h"
#include "screen.vert.h"

enum { FRAMES = 4, WIDTH = 128, HEIGHT = 96 };
/** What is drawn first, and then read. */
enum { ALBEDO, NORMAL, DEEPNESS, DRAWN };

static const struct vertex triangle[] = {
   {{0.0f, -0.8f, 0.2f, 1.0f}, {1.0f, 0.0f, 0.5f, 1.0f}},
   {{0.8f, 0.7f, 0.5f, 1.0f}, {0.5f, 1.0f, 0.0f, 1.0f}},
   {{-0.8f, 0.7f, 0.8f, 1.0f}, {0.0f, 0.5f, 1.0f, 1.0f}},
};

static const struct case_description {
   const char *name;
   bool subpasses;      /**< in one pass */
   int32_t offset[2];   /**< texels from the own pixel that are read */
   bool between, after; /**< between the two, and after both, a pass reads what is drawn first */
   bool smaller;        /**< the second pass is half as wide */
} cases[] = {
   {.name = "passes"},
   {.name = "subpasses", .subpasses = true},
   {.name = "neighbours", .offset = {1, 0}},
   {.name = "between", .between = true},
   {.name = "after", .after = true},
   {.name = "smaller", .smaller = true},
};

static const struct case_description *drawn;
static struct vk_swapchain swapchain;
static struct vk_image images[DRAWN], other;
static const struct vk_image *const inputs[DRAWN] = {&images[ALBEDO], &images[NORMAL], &images[DEEPNESS]};
static struct vk_buffer vertices;

static struct vk_attachment
attach(const struct vk_image *image, VkAttachmentStoreOp store, const VkClearValue *clear)
{
   return (struct vk_attachment){.image = image, .load = CLEAR, .store = store, .clear = *clear};
}

static void
create_images(void)
{
   const VkImageUsageFlags usage =
      drawn->subpasses ? VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
   for (unsigned i = 0; i < DRAWN; i++)
      images[i] = vk_create_image(i == DEEPNESS ? VK_FORMAT_D32_SFLOAT : COLOR_FORMAT, WIDTH, HEIGHT, 1, 1,
                                  VK_SAMPLE_COUNT_1_BIT,
                                  usage | (i == DEEPNESS ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                         : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT));
   other = vk_create_image(COLOR_FORMAT, WIDTH, HEIGHT, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                           VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
   vertices = create_vertices(triangle, sizeof triangle);
   swapchain = vk_create_swapchain(COLOR_FORMAT, drawn->smaller ? WIDTH / 2 : WIDTH, HEIGHT);
}

/* ---- what is drawn --------------------------------------------------------------------- */

/** A pass, and what draws in it; of two subpasses, the second. */
struct drawing {
   struct vk_pass pass;
   VkPipeline pipeline;
   VkPipelineLayout layout;
   VkDescriptorSet set; /**< NULL: nothing is read */
};

/** The triangle, in the first subpass. */
static struct drawing
create_first(struct vk_pass pass)
{
   struct drawing drawing = {.pass = pass, .layout = create_plain_layout()};
   struct vk_pipeline_description description =
      describe_vertices(&pass, drawing.layout, VK_CODE(gbuffer_frag));
   description.num_colors = 2;
   description.depth = true;
   drawing.pipeline = vk_create_pipeline(&description);
   return drawing;
}

/** All pixels, from what is drawn first. */
static struct drawing
create_second(struct vk_pass pass)
{
   struct drawing drawing = {.pass = pass};
   const VkSampler sampler = drawn->subpasses
                                ? VK_NULL_HANDLE
                                : create_sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
   drawing.set = create_image_set(inputs, DRAWN, sampler, &drawing.layout);
   const struct vk_pipeline_description description = {
      .vertex = VK_CODE(screen_vert),
      .fragment = drawn->subpasses ? VK_CODE(deferred_frag) : VK_CODE(deferred_textures_frag),
      .pass = pass.pass,
      .subpass = drawn->subpasses,
      .num_colors = 1,
      .layout = drawing.layout,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
      .depth = drawn->subpasses, /* without an attachment nothing is tested */
   };
   drawing.pipeline = vk_create_pipeline(&description);
   return drawing;
}

static void
draw(VkCommandBuffer commands, const struct drawing *drawing, const int32_t offset[2])
{
   bind(commands, drawing->pipeline, drawing->set ? NULL : &vertices);
   if (drawing->set)
      bind_set(commands, drawing->layout, drawing->set);
   if (drawing->set && !drawn->subpasses)
      push(commands, drawing->layout, offset, 2 * sizeof *offset);
   vkCmdDraw(commands, 3, 1, 0, 0);
}

/** A whole pass. */
static void
draw_pass(VkCommandBuffer commands, const struct drawing *drawing, const int32_t offset[2])
{
   vk_barrier(commands);
   vk_begin_pass(commands, &drawing->pass, VK_SUBPASS_CONTENTS_INLINE);
   set_viewport(commands, drawing->pass.width, drawing->pass.height);
   draw(commands, drawing, offset);
   vkCmdEndRenderPass(commands);
}

/* ---- frames ---------------------------------------------------------------------------- */

static void
draw_in_passes(void)
{
   static const int32_t neighbours[2] = {1, 1};
   const struct vk_attachment first[] = {attach(&images[ALBEDO], STORE, &grey),
                                         attach(&images[NORMAL], STORE, &white),
                                         attach(&images[DEEPNESS], STORE, &far_away)},
                              apart = attach(&other, STORE, &grey);
   const struct drawing before = create_first(vk_create_pass(first, 2, &first[DEEPNESS]));
   const struct drawing reader = create_second(vk_create_pass(&apart, 1, NULL));
   struct drawing lit[VK_MAX_SWAPCHAIN_IMAGES];
   for (uint32_t i = 0; i < swapchain.count; i++) {
      const struct vk_attachment light = attach(&swapchain.images[i], STORE, &grey);
      lit[i] = create_second(vk_create_pass(&light, 1, NULL));
   }
   for (unsigned frame = 0; frame < FRAMES; frame++) {
      vk_acquire(&swapchain);
      VkCommandBuffer commands = vk_begin();
      draw_pass(commands, &before, NULL);
      if (drawn->between)
         draw_pass(commands, &reader, neighbours);
      draw_pass(commands, &lit[swapchain.current], drawn->offset);
      if (drawn->after)
         draw_pass(commands, &reader, neighbours);
      vk_record_present(commands, &swapchain);
      vk_run(commands);
      vk_present(&swapchain);
   }
}

static void
draw_in_subpasses(void)
{
   static const VkAttachmentReference references[] = {
      {0, VK_IMAGE_LAYOUT_GENERAL},
      {1, VK_IMAGE_LAYOUT_GENERAL},
      {2, VK_IMAGE_LAYOUT_GENERAL},
      {3, VK_IMAGE_LAYOUT_GENERAL},
   };
   static const VkSubpassDescription subpasses[] = {
      {.colorAttachmentCount = 2,
       .pColorAttachments = references,
       .pDepthStencilAttachment = &references[DEEPNESS]},
      {.colorAttachmentCount = 1,
       .pColorAttachments = &references[DRAWN],
       .inputAttachmentCount = DRAWN,
       .pInputAttachments = references},
   };
   struct drawing parts[VK_MAX_SWAPCHAIN_IMAGES][2];
   for (uint32_t i = 0; i < swapchain.count; i++) {
      const struct vk_attachment all[] = {attach(&images[ALBEDO], DROP, &grey),
                                          attach(&images[NORMAL], DROP, &white),
                                          attach(&images[DEEPNESS], DROP, &far_away),
                                          attach(&swapchain.images[i], STORE, &grey)};
      const struct vk_pass pass =
         vk_create_subpasses(all, DRAWN + 1, subpasses, 2, VK_DEPENDENCY_BY_REGION_BIT, 0);
      parts[i][0] = create_first(pass);
      parts[i][1] = create_second(pass);
   }
   for (unsigned frame = 0; frame < FRAMES; frame++) {
      vk_acquire(&swapchain);
      const struct drawing *part = parts[swapchain.current];
      VkCommandBuffer commands = vk_begin();
      vk_begin_pass(commands, &part->pass, VK_SUBPASS_CONTENTS_INLINE);
      set_viewport(commands, WIDTH, HEIGHT);
      draw(commands, &part[0], NULL);
      vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
      draw(commands, &part[1], NULL);
      vkCmdEndRenderPass(commands);
      vk_record_present(commands, &swapchain);
      vk_run(commands);
      vk_present(&swapchain);
   }
}

int
main(int argc, char **argv)
{
   for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; i++) {
      if (!strcmp(argv[1], cases[i].name))
         drawn = &cases[i];
   }
   if (!drawn) {
      fprintf(stderr, "usage: vulkan_mergeable NAME\n");
      return 2;
   }
   vk_open();
   create_images();
   if (drawn->subpasses)
      draw_in_subpasses();
   else
      draw_in_passes();
   vk_close();
   return 0;
}
