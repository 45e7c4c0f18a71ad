/* SPDX-License-Identifier: MIT */
/**
 * The event stream: what a renderer accessed, in terms of graphics.
 *
 * A renderer submits render passes. A pass names its attachments, its draws
 * (with the index and vertex fetches of each), its primitives with the tiles
 * they cover, and for each tile the quads that were shaded and the texels their
 * texture instructions read. All choices of the simulated GPU are
 * absent: tile order, Parameter Buffer layout, texture placement, the fragment
 * processor a quad goes to, caches. The consumer (gpu/gpu.h) makes them.
 *
 * Resources are named by identifiers that the renderer counts up from 1 in the
 * order of creation; 0 is "none". Simulated addresses belong to the consumer.
 *
 * The program's own names (debug groups, labels, markers) are in the stream, too (struct cm_name). They
 * change nothing that is counted.
 */
#ifndef CM_EVENT_STREAM_H
#define CM_EVENT_STREAM_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CM_MAX_COLOR_ATTACHMENTS 8
#define CM_MAX_TEXTURE_UNITS 32
#define CM_MAX_STORAGE_BUFFERS 48
#define CM_MAX_IMAGES 32
#define CM_MAX_VERTEX_ELEMENTS 32
#define CM_MAX_LEVELS 16

/** What a resource was made for, as far as the API says: bits. */
enum cm_resource_use {
   CM_USE_VERTICES = 1 << 0,
   CM_USE_INDICES = 1 << 1,
   CM_USE_CONSTANTS = 1 << 2,
   CM_USE_TEXTURE = 1 << 3,
   CM_USE_COLOR = 1 << 4,
   CM_USE_DEPTH_STENCIL = 1 << 5,
   CM_USE_FEEDBACK = 1 << 6,
   CM_USE_OTHER = 1 << 7, /**< shader buffers and images, arguments of draws, query results */
   CM_NUM_USES = 8,
};
/** Names of the bits, the lowest first. */
extern const char *const cm_resource_use_names[CM_NUM_USES];

struct cm_tile_content;

/** A texture or a buffer, as far as its addresses depend on it. */
struct cm_resource_description {
   uint32_t id;          /**< identifier, never 0 and never used twice */
   bool is_buffer;       /**< a buffer has width bytes and nothing else */
   uint8_t levels;       /**< mipmap levels, at least 1 */
   uint8_t samples;      /**< samples per pixel, at least 1 */
   uint8_t block_width;  /**< texels a compression block is wide; 1 if uncompressed */
   uint8_t block_height; /**< texels a compression block is high */
   uint8_t block_bytes;  /**< bytes of a texel, or of a compression block */
   uint32_t width;       /**< texels of level 0; of a buffer: bytes */
   uint32_t height;      /**< texels of level 0 */
   uint32_t depth;       /**< slices of level 0 of a 3D texture, else 1 */
   uint32_t layers;      /**< array layers, or cube faces (six per cube), else 1 */
   bool is_displayable;  /**< others may read it: a window, a pbuffer, memory shared with other processes */
   uint32_t format; /**< string that names the format of texels, such as "etc2_rgb8"; 0: none, or a buffer */
   uint8_t uses;    /**< enum cm_resource_use */
};

enum cm_name_type {
   CM_NAME_STRING, /**< text */
   CM_NAME_GROUP, /**< a debug group: the same name in the same group is the same group, as often as it is opened */
   CM_NAME_LABEL,  /**< a resource gets a label, or loses it */
   CM_NAME_SHADER, /**< a shader */
   CM_NAME_READ, /**< a resource was read without events: by the CPU, or as texture of a shader before the fragment
                  * shader */
   CM_NAME_TYPES
};

/** The stage of a shader; each stage has its own identifiers of shaders. */
enum cm_shader_stage {
   CM_SHADER_VERTEX,
   CM_SHADER_FRAGMENT,
   CM_SHADER_GEOMETRY,
   CM_SHADER_COMPUTE,
   CM_SHADER_TESS_CONTROL,
   CM_SHADER_TESS_EVALUATION,
   CM_SHADER_STAGES
};

/** The definition of a name. Strings and groups count up from 1, each in the order of definition, and are defined
 * before they are named; 0 is "none". Labels and shaders may come before or after the resource or the first draw.
 *
 * A read is not a name, but is sent like one. It reads what the passes before it have stored to the resource, and comes
 * before the next pass that stores to it. Further reads in between are not in the stream, nor reads of resources that
 * no pass has stored to since, nor reads after a recording's last frame. */
struct cm_name {
   enum cm_name_type type;
   uint32_t
      number; /**< the string's, the group's, the resource's, the shader's identifier; all else of a read is 0 */
   uint32_t string; /**< of a group its name, of a resource or a shader its label; 0: none; of a string: 0 */
   uint32_t parent; /**< of a group: the group it is in; 0: in none */
   enum cm_shader_stage stage; /**< of a shader */
   uint64_t hash;              /**< of a shader: of its code, the same in every run */
   const char *text;           /**< of a string: what it is; else NULL */
};

/** One attachment of a pass. */
struct cm_attachment {
   uint32_t resource; /**< 0: not attached */
   uint8_t level;
   uint16_t layer;       /**< of the framebuffer's first layer */
   uint16_t more_layers; /**< layers after it that are attached too (layered framebuffers) */
   uint8_t pixel_bytes;  /**< bytes a pixel and sample occupies in memory: as many as the resource has samples
                            * are loaded and stored per pixel */
   bool load;            /**< tiles that are drawn start from memory's content */
   bool store;           /**< tiles that are drawn end in memory */
   bool clear; /**< the pass begins with a clear of it, in all tiles that are touched; not with load */
};

/** A single-sampled image that tiles write when they end: the averaged samples of a
 * rectangle of a multisampled color attachment. Nothing of the target is loaded; the
 * attachment's own load and store are as its flags say. */
struct cm_resolve {
   uint32_t resource; /**< the target; 0: nothing is resolved */
   uint8_t level;
   uint16_t layer;
   uint32_t x0, y0, x1, y1;     /**< pixels of the attachment; x1, y1 exclusive */
   uint32_t target_x, target_y; /**< the target's first column and row */
   bool flip_y;                 /**< the rectangle's first row is the target's last */
};

/** A shader as the memory hierarchy sees it. */
struct cm_shader {
   uint32_t id;             /**< 0: none */
   uint32_t instructions;   /**< instructions, each CM_INSTRUCTION_BYTES long */
   uint32_t constant_bytes; /**< bytes of constants the shader can read */
};
#define CM_INSTRUCTION_BYTES 8

/** One vertex attribute's fetch. */
struct cm_vertex_element {
   uint32_t buffer;           /**< resource */
   uint32_t offset;           /**< bytes to the first vertex' attribute */
   uint32_t stride;           /**< bytes from vertex to vertex */
   uint32_t bytes;            /**< bytes fetched per vertex */
   uint32_t instance_divisor; /**< 0: indexed by vertex */
};

/** One texture unit of a draw's fragment shader, an image, or what another shader before it accesses. */
struct cm_texture_binding {
   uint32_t resource;   /**< 0: nothing bound; footprints of such a unit do not occur */
   bool repeat_s;       /**< a footprint's column past either edge is the other edge's; else the edge's own */
   bool repeat_t;       /**< the same for rows */
   uint8_t first_level; /**< the resource's level that the footprints call level 0 */
   uint16_t first_layer;   /**< the resource's layer that the footprints call layer 0 */
   uint8_t texel_bytes;    /**< of a buffer's texels; unused otherwise */
   uint32_t buffer_offset; /**< bytes from a buffer's beginning to its first texel; unused otherwise */
   bool
      is_storage; /**< of pass->vertex_bindings: a storage buffer or an image, and not a texture; else false */
};

/** A part of a buffer that shaders load from and store to. */
struct cm_storage_buffer {
   uint32_t resource; /**< 0: nothing bound; accesses to it do not occur */
   uint32_t offset;   /**< bytes from the buffer's beginning */
   uint32_t bytes;
};

/** What the fragment shader of draws, or a compute shader, can load from and store to: storage buffers (atomic counters
 * among them) and images. Both numbers may be 0: then it accesses memory by address alone (CM_BY_ADDRESS). */
struct cm_storage {
   uint32_t num_buffers;
   struct cm_storage_buffer buffers[CM_MAX_STORAGE_BUFFERS];
   uint32_t num_images;
   struct cm_texture_binding images[CM_MAX_IMAGES]; /**< nothing of them is repeated */
};

/** The most descriptors of a set. */
#define CM_MAX_SET_DESCRIPTORS (1u << 20)

/** What a shader uses of a descriptor: bits. A combined image sampler has both parts, others one. */
enum cm_descriptor_parts {
   CM_DESCRIPTOR_RESOURCE = 1 << 0, /**< which buffer or image, and how it is seen */
   CM_DESCRIPTOR_SAMPLER = 1 << 1,  /**< how it is filtered */
};

/** Descriptors of a descriptor set (Vulkan) that one of a draw's shaders, or a compute shader, names: so many of them, one
 * after another in the set. How large descriptors are, and how often they are read, is the consumer's choice. */
struct cm_descriptors {
   uint32_t set;      /**< resource: the memory of the set */
   uint32_t set_size; /**< descriptors that the set has; the same whenever the set is named */
   uint32_t first;    /**< number in the set, from 0 */
   uint32_t count;    /**< at least 1 */
   uint8_t stage;     /**< enum cm_shader_stage: the shader's */
   uint8_t parts;     /**< enum cm_descriptor_parts; not 0 */
   uint16_t reserved; /**< 0 */
};

/** What an instruction does to storage. */
enum cm_storage_operation { CM_STORAGE_LOAD, CM_STORAGE_STORE, CM_STORAGE_ATOMIC, CM_STORAGE_OPERATIONS };

/** Parameters of a draw or a dispatch that the GPU reads from a buffer. */
struct cm_indirect {
   uint32_t buffer; /**< resource; 0: the program passed them itself */
   uint32_t offset; /**< bytes to the first one */
   uint32_t bytes;  /**< that are read */
};

/** A dispatch of compute work-groups. */
struct cm_dispatch {
   struct cm_shader shader;
   uint32_t groups[3];     /**< work-groups in x, y, z; numbered with x fastest */
   uint32_t group_size[3]; /**< invocations of a work-group in x, y, z; numbered with x fastest */
   uint32_t shared_bytes;  /**< shared memory of a work-group, which is on chip */
   uint32_t
      groups_per_tile; /**< work-groups whose events a tile of the pass has; the last tile may have fewer */
};

/** The most vertices that tessellation makes from a patch: a quad of 64 by 64 parts. */
#define CM_MAX_PATCH_POINTS (65 * 65)
/** The most invocations of a tessellation control shader per patch, and of a geometry shader per primitive. */
#define CM_MAX_PATCH_VERTICES 32
#define CM_MAX_GEOMETRY_INSTANCES 32

/** The shaders before the rasterizer, in the order in which they run. */
enum cm_preraster_stage {
   CM_PRERASTER_VERTEX,
   CM_PRERASTER_CONTROL, /**< tessellation control */
   CM_PRERASTER_EVALUATION,
   CM_PRERASTER_GEOMETRY,
   CM_PRERASTER_STAGES
};

/** What an instruction of such a shader accesses. */
enum cm_vertex_access_type {
   CM_VERTEX_TEXTURE, /**< reads of a texture, like those of a fragment in struct cm_footprint */
   CM_VERTEX_BUFFER,  /**< of a storage buffer */
   CM_VERTEX_IMAGE,   /**< a texel of an image */
};

/** What an instruction of one invocation of a shader before the rasterizer accesses: of textures and images texels of one
 * mipmap level, and one slice or layer. */
struct cm_vertex_access {
   uint32_t
      invocation; /**< of a vertex shader the vertex, as the draw fetches it; of other stages the invocation's number in
                         * the draw, from 0 */
   uint32_t binding;    /**< number in pass->vertex_bindings */
   uint32_t layer;      /**< of a buffer: bytes from the beginning of the binding; within it */
   uint16_t x, y;       /**< bits of int16_t; of a buffer 0 */
   uint8_t level;       /**< of a multisampled texture or image the sample; of a buffer 0 */
   uint8_t linear;      /**< of a texture, 1: 2×2 texels from (x, y) on; else 0: the texel (x, y) */
   uint8_t type;        /**< enum cm_vertex_access_type */
   uint8_t operation;   /**< enum cm_storage_operation; of a texture CM_STORAGE_LOAD */
   uint8_t bytes;       /**< of a buffer: 1 … 16; else 0 */
   uint8_t reserved[3]; /**< 0 */
};

/** What transform feedback wrote for a draw: the same bytes for one vertex after another. */
struct cm_feedback {
   uint32_t buffer;  /**< resource */
   uint32_t offset;  /**< bytes to the first vertex' */
   uint32_t stride;  /**< bytes from vertex to vertex */
   uint32_t bytes;   /**< bytes written per vertex */
   uint32_t records; /**< vertices written */
};

/** What a draw does with the attachments, fragment by fragment. */
struct cm_fragment_tests {
   bool depth_test;    /**< compares with the depth attachment */
   bool depth_write;   /**< and replaces what it holds */
   bool stencil_test;  /**< compares with the stencil attachment */
   bool stencil_write; /**< and may change what it holds, possibly only where a test fails */
   bool late;          /**< the tests come after the shader; a fragment that must fail the depth
                          * test may still be dropped before it */
   /** Whole regions may fail the depth test at once (CM_UNSHADED_HIDDEN): fragments are tested to be nearer
    * (or farther) than what is there, depth is interpolated, and one that fails changes nothing. */
   bool hierarchical;
   uint8_t color_write; /**< bit c: color attachment c is written */
   uint8_t color_read;  /**< of these, those whose content it depends on: blended, or written in part */
   /* What its fragment shader reads of the attachments at each live fragment: framebuffer fetch. */
   uint8_t color_fetch; /**< bit c: color attachment c, whether written or not */
   bool depth_fetch;    /**< the depth attachment */
   bool stencil_fetch;  /**< the stencil attachment */
};

/** A draw call (one instance of it). Of a compute pass, which has one, only storage, descriptors, indirect, textures and
 * names. */
struct cm_draw {
   struct cm_shader vertex_shader;
   struct cm_shader control_shader,
      evaluation_shader; /**< of tessellation, which may have no control shader */
   struct cm_shader geometry_shader;
   struct cm_shader fragment_shader;
   /* What runs between the vertex shader and primitive assembly; its output stays on chip. A draw that continues in
    * another pass has there what ran then, without vertices; of the shaders only their instructions. Recordings before
    * version 8 have none of it. */
   uint64_t patches;                /**< that are tessellated, even to nothing */
   uint64_t control_invocations;    /**< up to CM_MAX_PATCH_VERTICES per patch */
   uint64_t evaluation_invocations; /**< up to CM_MAX_PATCH_POINTS per patch */
   uint64_t geometry_invocations;   /**< up to CM_MAX_GEOMETRY_INSTANCES per primitive that reaches it */
   uint32_t index_buffer;           /**< resource; 0: not indexed */
   uint32_t index_offset;           /**< bytes to the first index read */
   uint8_t index_bytes;             /**< 1, 2 or 4 */
   uint32_t instance;               /**< instance number, from 0 */
   uint32_t first_instance;         /**< added after the division by an element's instance_divisor */
   uint32_t num_elements;           /**< vertex elements used */
   struct cm_vertex_element elements[CM_MAX_VERTEX_ELEMENTS];
   /** The vertices fetched, in order: pass->vertices[first_vertex …]. Not
    * indexed draws fetch the numbers first_vertex_number + 0, 1, 2 … instead
    * and leave pass->vertices alone. */
   uint32_t num_vertices;
   uint64_t first_vertex;
   uint32_t first_vertex_number;
   /** What transform feedback wrote: pass->feedback[first_feedback …]. Written vertex
    * by vertex: the first vertex of all its spans, then the second of all … */
   uint32_t num_feedback;
   uint64_t first_feedback;
   /** Texture instructions that invocations of its shaders before the rasterizer ran. The first of several instances has
    * them all. */
   uint32_t texture_reads;
   /** The accesses of its shaders before the rasterizer, so many for each stage, stage by stage from
    * pass->vertex_accesses[first_vertex_access] on: by ascending invocation, those of one invocation in the order of the
    * shader. Whenever a vertex is shaded, it accesses all of that. A draw that continues in another pass has there what ran
    * then, once per vertex. Recordings before version 9 have none, those of version 9 only texture reads of vertex shaders. */
   uint32_t num_accesses[CM_PRERASTER_STAGES];
   uint64_t first_vertex_access;
   /** How often its shaders before the rasterizer ran their regions (events/shader_code.h), in all their invocations
    * together: of each stage so many regions, stage by stage from pass->region_runs[first_region_run] on. Region 0 has the
    * number of invocations. 0 regions: the shader has no control flow, or recordings before version 12. Several instances,
    * and a draw that goes on in another pass, may share them: what counts is the mean of an invocation. */
   uint32_t num_regions[CM_PRERASTER_STAGES];
   uint64_t first_region_run;
   uint32_t num_textures;
   struct cm_texture_binding textures[CM_MAX_TEXTURE_UNITS];
   /** Descriptors that its shaders name: pass->descriptors[first_descriptor …], each shader's by set and number; several
    * draws may share them. OpenGL has none, nor have recordings before version 14. */
   uint32_t num_descriptors;
   uint32_t first_descriptor;
   uint32_t storage;            /**< 1 + its number in pass->storages; 0: the shader accesses none */
   struct cm_indirect indirect; /**< the first of several instances has it */
   struct cm_fragment_tests tests;
   /* The program's names for it. */
   uint32_t group;  /**< the innermost debug group that was open; 0: none */
   uint32_t marker; /**< string of the last marker before it; 0: none */
   uint32_t call;   /**< of a replayed trace: the number of the call; 0: not known */
};

/** Attributes of the largest primitive: the position and 32 inputs of a fragment shader. */
#define CM_MAX_PRIMITIVE_ATTRIBUTES 33

/** Pixels from the window's origin of the largest guard band. */
#define CM_MAX_GUARD_BAND 32768

/** A primitive that reached the Polygon List Builder. */
struct cm_primitive {
   uint32_t draw;           /**< index into pass->draws */
   uint32_t num_attributes; /**< 1 (the position) … CM_MAX_PRIMITIVE_ATTRIBUTES attributes of 48 bytes */
   uint64_t first_tile;     /**< its tiles: pass->primitive_tiles[first_tile …] */
   uint32_t num_tiles;      /**< at least 1 */
   /** Not 0: a part of the same triangle as the primitive before it, which has the same draw and as many attributes. Sides of
    * the viewport divide that triangle; a guard band would leave it whole (events/guard_band.h) that reaches so many pixels
    * from the window's origin, up to CM_MAX_GUARD_BAND, and so many percent of the viewport's width and height beyond its
    * sides (65535: or more). Others: 0. Recordings before version 12 have none. */
   uint16_t reach_pixels, reach_percent;
};

/** The words of one tile, in the order in which the tile was rendered. Written
 * and read with the functions below. */
struct cm_tile_events {
   uint32_t *words;
   size_t num_words;
   size_t capacity;
   /** All is shaded in order: there is only CM_EVENT_SHADE without CM_SHADE_DEFERRED, and the accesses of these. May be
    * false if that is not known. */
   bool is_in_order;
};

/** What a pass' shade events hold: which fragments were shaded, and what is known of the
 * others. */
enum cm_pass_kind {
   CM_PASS_TBR,  /**< what passes early Z, as a tile-based GPU shades it */
   CM_PASS_TBDR, /**< what is visible, in the order in which a deferred GPU shades it */
   CM_PASS_FULL, /**< what passes early Z, and all that is needed to derive either of the others */
   CM_PASS_COMPUTE, /**< a dispatch: no attachments, no primitives. Tiles are consecutive work-groups, in one row, of
                     * tile_size 1, and are visited in order; all are touched. */
};

/** Why no more was drawn into a pass: what the program did next. The driver ends a pass before it knows what
 * comes after it, so the reason says nothing about the next pass. */
enum cm_end_reason {
   CM_END_UNKNOWN,     /**< recordings before version 11, compute passes */
   CM_END_FRAMEBUFFER, /**< draws, or clears, other attachments than the pass has */
   CM_END_FRAME,       /**< a buffer swap */
   CM_END_FLUSH,       /**< glFlush; another context is made current, which flushes the first one */
   CM_END_FINISH,      /**< glFinish */
   CM_END_FENCE,       /**< a fence that has to be signalled without a further call of the context */
   CM_END_QUERY,   /**< asks for the result of a query that depends on the pass, or whether it is available */
   CM_END_READ,    /**< reads on the CPU what the pass writes: glReadPixels, a mapped buffer */
   CM_END_WRITE,   /**< writes on the CPU what the pass writes, or what it reads and cannot copy */
   CM_END_COPY,    /**< a copy, a blit, a mipmap level or a clear of another image, which are drawn: the pass
                        * before it, or its own */
   CM_END_RESOLVE, /**< draws on after the pass' samples have been resolved */
   CM_END_BARRIER, /**< glMemoryBarrier or glTextureBarrier, with something to wait for */
   CM_END_DRAW, /**< draws with shaders before the rasterizer, or fetches, that access what the pass stores */
   CM_END_COMPUTE, /**< a dispatch accesses what the pass writes */
   CM_END_MEMORY, /**< nothing: the Parameter Buffer is full, or the textures that the pass reads are too many */
   CM_END_SHARED,  /**< gives what the pass writes to another API or process */
   CM_END_CONTEXT, /**< destroys the context */
   CM_END_REASONS
};
/** Their names, in the order of the enum: "framebuffer", "frame" … */
extern const char *const cm_end_reason_names[CM_END_REASONS];

/** A render pass: all that was drawn into one set of attachments at once. */
struct cm_pass {
   uint32_t frame; /**< frames count from 0 */
   enum cm_pass_kind kind;
   uint32_t width, height;    /**< pixels of a layer */
   uint32_t tile_size;        /**< pixels; tiles are square */
   uint32_t tiles_x, tiles_y; /**< tile t is column t % tiles_x, row t / tiles_x */
   uint32_t layer_tiles_y;    /**< rows of tiles of a layer: layer l begins with row l * layer_tiles_y;
                                 * tiles_y without layers */
   /** The most blocks of PB-Attributes that were in use while the pass was made: those of its
    * primitives, or more where a clear dropped draws. 0: not known. */
   uint32_t attribute_blocks;
   enum cm_end_reason end; /**< why it ended; changes nothing that is counted */
   /** In a replayed trace, the number of the call that ended it, such as a draw to another framebuffer; 0: not known, or a
    * buffer swap. */
   uint32_t end_call;
   uint32_t num_color;
   struct cm_attachment color[CM_MAX_COLOR_ATTACHMENTS];
   struct cm_resolve
      resolve[CM_MAX_COLOR_ATTACHMENTS]; /**< of each color attachment, layer 0; into itself: of
                                                            * all its layers, each into its own */
   struct cm_attachment depth,
      stencil; /**< equal resources when they share a format; stencil.pixel_bytes is then 0 */
   struct cm_dispatch dispatch; /**< of a compute pass */
   uint32_t num_draws;
   struct cm_draw *draws;
   uint32_t num_storages;
   struct cm_storage *storages;
   /** Buffers that shaders can access by address (CM_BY_ADDRESS), up to CM_MAX_ADDRESSED: resources, by number; 0: there is
    * none of that number. Those that shaders before the rasterizer access are in vertex_bindings. Recordings before version 14
    * have none. */
   uint32_t num_addressed;
   uint32_t *addressed;
   uint32_t num_descriptors;
   struct cm_descriptors *descriptors; /**< of all draws */
   uint64_t num_vertices;
   uint32_t *vertices;
   uint64_t num_feedback;
   struct cm_feedback *feedback;
   /** Textures, storage buffers and images of all draws' shaders before the rasterizer: of a buffer only resource and
    * buffer_offset; nothing of buffers and images is repeated. */
   uint32_t num_vertex_bindings;
   struct cm_texture_binding *vertex_bindings;
   uint64_t num_vertex_accesses;
   struct cm_vertex_access *vertex_accesses;
   uint64_t num_region_runs;
   uint64_t *region_runs; /**< of all draws' shaders before the rasterizer */
   uint32_t num_primitives;
   struct cm_primitive *primitives; /**< in program order */
   uint64_t num_primitive_tiles;
   uint32_t *primitive_tiles; /**< row-major tile numbers, ascending for each primitive */
   /** tiles_x * tiles_y of them. A tile without primitives that was not cleared
    * either has touched == false and costs nothing. */
   struct cm_tile_events *tiles;
   bool *touched;
   /** For a full pass, what a deferred GPU shades of each tile, if that was derived before (cm_deferred_build_pass); NULL:
    * the consumer derives it. */
   struct cm_tile_events *deferred;
   uint32_t *deferred_words; /**< those of deferred that are not of tiles */
   /** Of each tile, what is known of its pixels and its inputs (events/tile_content.h). NULL: nothing, as in compute passes,
    * and where nobody asked for it. */
   struct cm_tile_content *contents;
};

/** Numbers of a pass' attachments, for masks: color attachment c is c. */
enum { CM_SLOT_DEPTH = CM_MAX_COLOR_ATTACHMENTS, CM_SLOT_STENCIL, CM_SLOTS };
/** The attachment of a number. */
const struct cm_attachment *cm_pass_attachment(const struct cm_pass *pass, unsigned slot);

/** Whether shaders before the rasterizer access storage. */
bool cm_pass_has_vertex_storage(const struct cm_pass *pass);

/* ---- a tile's words ---------------------------------------------------
 *
 * Events of a word and what follows it, in shading order:
 *
 *    CM_EVENT_SHADE       word 1 is the draw, then `count` cm_quads
 *    CM_EVENT_FOOTPRINTS  `count` cm_footprints
 *    CM_EVENT_UNSHADED    word 1 is the draw, then `count` cm_quads
 *    CM_EVENT_FLUSH       nothing
 *
 * A shade event with the footprints after it is a group: up to four quads that a
 * renderer shaded together. Where a shader runs once per sample, the group is
 * several shade events of the same quads, all but the first with CM_SHADE_CONTINUES.
 *
 * The grouping of quads has no meaning. Events happen in the order of quads:
 * the groups' quads one after another; a quad's runs (one, or one per sample) one after
 * another; in a run the footprints of the quad in the order of the group's events.
 * A quad does not run where it has no live fragment.
 *
 * Passes of CM_PASS_FULL have more. Groups with CM_SHADE_DEFERRED are those of opaque
 * draws: a deferred GPU does not shade them before the next flush event, by then only
 * the `visible` fragments remain, and it shades those run of primitives by run,
 * block by block; deferred.h has the order. The words of such groups between two flush
 * events are in program order. Quads that were covered and did not run a shader are
 * in CM_EVENT_UNSHADED, somewhere between the quads that were rasterised before them
 * and those of the next draw. The quads of one primitive are in the order in which they
 * were rasterised, those that run a shader and the others each among themselves: so
 * the quads of all tiles can be brought into the order of primitives, which is that of a
 * GPU without tiles.
 *
 * Storage: loads, stores and atomics of shaders follow the shade event as footprints do, in one order with these:
 *
 *    CM_EVENT_BUFFER      `count` cm_buffer_accesses
 *    CM_EVENT_IMAGE       `count` cm_footprints of a texel each (`linear` is 0)
 *
 * A shader may access memory by address instead of a binding. The unit of its CM_EVENT_BUFFER is CM_BY_ADDRESS, and each
 * access says which buffer has the address; a quad has an access for each buffer that its invocations are in, in the order
 * of the first of these.
 *
 * Work-groups of a compute pass:
 *
 *    CM_EVENT_GROUP       word 1 is the work-group's number
 *    CM_EVENT_INVOKE      word 1 is the number of the first of `count` invocations of the group that run together,
 *                         up to CM_INVOCATIONS; their footprints and accesses follow. A quad in these is four
 *                         invocations: quad q has those from 4 q on. With CM_INVOKE_RESUMES they have run before, and
 *                         continue after a barrier.
 *    CM_EVENT_BARRIER     all invocations of the group have arrived
 *
 * Of shaders with control flow:
 *
 *    CM_EVENT_REGIONS     how often some of the quads of the shade or invoke event before it ran each region of the shader's
 *                         code (events/shader_code.h); behind a run's accesses, one event for all quads that are alike. An
 *                         invoke event's count what ran since the last barrier.
 *
 * A quad runs a region as often as any of its fragments that are live, and not discarded by then, does: what only helper
 * fragments would run does not count. A quad of such a shader that has no such event ran region 0 alone. In CM_PASS_FULL
 * counts are of the live fragments, be they visible or not.
 *
 * Which invocations run together, up to the next barrier, has no meaning beyond that of an instruction of all of
 * them: a GPU with sub-groups of 4, 8 or 16 invocations executes it for those whose numbers divided by that are equal.
 *
 * Hierarchical depth: CM_UNSHADED_HIDDEN quads are those that need no access to the depth
 * attachment, because in the region of CM_HIZ_SIZE x CM_HIZ_SIZE pixels of the
 * attachment that they lie in no pixel is farther (of tests for greater: nearer) than
 * what is nearest (farthest) of the primitive in that region, by its plane at the
 * region's corners and by its vertices. What a draw with late tests writes may be seen
 * later than by its next primitive, as on a GPU whose quads are still being shaded.
 */

/** A quad (2×2 fragments) that a fragment processor shades. Masks: bit y * 2 + x. */
struct cm_quad {
   uint32_t primitive;  /**< index into pass->primitives */
   uint8_t x, y;        /**< quad column and row in the tile: pixels / 2 */
   uint8_t live : 4;    /**< fragments that run: those that passed early Z, where it is early */
   uint8_t covered : 4; /**< fragments that the primitive covers, in any sample; of opaque draws in
                             * CM_PASS_TBDR: live */
   uint8_t visible : 4; /**< fragments of `live` that a deferred GPU shades; except in CM_PASS_FULL: live */
   uint8_t written : 4; /**< fragments of `live` that pass all tests and are not discarded, in any sample:
                            * what is blended */
};

/** The number of fragments in a mask of a quad, such as cm_quad.live. */
static inline uint32_t
cm_quad_fragments(unsigned mask)
{
   /* The number of bits of each mask, a digit each: faster than popcount where the processor need not have that. */
   return 0x4332322132212110ull >> 4 * (mask & 15) & 15;
}

/** The texels one texture instruction reads of one mipmap level (and one
 * slice or layer) for one quad. */
struct cm_footprint {
   uint8_t quad;   /**< which quad of the shade event before it, 0 … 3 */
   uint8_t level;  /**< of a multisampled texture, which has one level: the sample */
   uint8_t live;   /**< fragments that read, bit y * 2 + x; the others' texels are unspecified */
   uint8_t linear; /**< 1: 2×2 texels from (x, y) on; 0: the texel (x, y) */
   uint32_t layer; /**< array layer, cube face (6 per cube), or slice; the same for the whole footprint */
   /** Lower left texel of each fragment's footprint, in texels of compressed
    * formats too. -1 … size-1 where linear: the column past either edge is
    * resolved by the binding's repeat_s/t. Of a buffer texture: element
    * y * 32768 + x, never linear. */
   struct {
      int16_t x, y;
   } texel[4];
};

/** What an instruction of four invocations, or of a quad's fragments, accesses of a storage buffer. */
struct cm_buffer_access {
   uint8_t quad;    /**< which of the event before it, 0 … 3 */
   uint8_t live;    /**< those that access, bit y * 2 + x of fragments; the others' offsets are unspecified */
   uint16_t buffer; /**< by address: its number in pass->addressed; else 0 */
   uint32_t offset[4]; /**< bytes from the beginning of the binding, by address of the buffer; within it */
};

/** The unit of a CM_EVENT_BUFFER whose accesses are by address. */
#define CM_BY_ADDRESS 63
static_assert(CM_MAX_STORAGE_BUFFERS <= CM_BY_ADDRESS, "no binding has this unit");
/** Buffers of a pass that shaders can access by address. */
#define CM_MAX_ADDRESSED 65536

/** Invocations of a CM_EVENT_INVOKE. */
#define CM_INVOCATIONS 16

enum cm_event_type {
   CM_EVENT_SHADE = 1,      /**< up to 4 quads of one draw run its fragment shader */
   CM_EVENT_FOOTPRINTS = 2, /**< a texture instruction of the quads of the last shade event; one with
                               * several probes (anisotropic filtering) has an event for each. Quads
                               * ascend; one has several footprints where an instruction reads several
                               * levels or layers */
   CM_EVENT_UNSHADED = 3,   /**< CM_PASS_FULL: up to 4 quads that run no shader, because all fragments
                               * fail early Z or the draw has none (`live` then passed the tests) */
   CM_EVENT_FLUSH = 4,      /**< CM_PASS_FULL: the deferred groups are shaded */
   CM_EVENT_BUFFER = 5,     /**< an instruction accesses a storage buffer. Quads ascend. */
   CM_EVENT_IMAGE = 6,      /**< an instruction accesses an image. Quads ascend. */
   CM_EVENT_GROUP = 7,      /**< CM_PASS_COMPUTE: a work-group begins */
   CM_EVENT_INVOKE = 8,     /**< CM_PASS_COMPUTE: invocations run */
   CM_EVENT_BARRIER = 9,    /**< CM_PASS_COMPUTE: all of the group's invocations have arrived */
   CM_EVENT_REGIONS = 10,   /**< how often quads ran the regions of their shader */
};

/** The most shade events of a group. */
#define CM_MAX_RUNS 16

/* Word 0: type | count << 8 | unit << 16; of shade events the upper half is flags. */
#define CM_SHADE_CONTINUES (1u << 16) /**< the quads of the event before run once more */
#define CM_SHADE_DEFERRED (1u << 17)  /**< CM_PASS_FULL: of an opaque draw */
#define CM_SHADE_RUN \
   (1u << 18) /**< with CM_SHADE_DEFERRED: changes where another run of primitives
                                         * begins, even of the same draw */
/** For CM_EVENT_UNSHADED: the quads fail by their region's depth. */
#define CM_UNSHADED_HIDDEN (1u << 16)
/** For CM_EVENT_UNSHADED, and not in recordings: the quads would run a shader, but are killed (events/pixel_kill.h). */
#define CM_UNSHADED_KILLED (1u << 17)
/** Pixels of the side of a region of hierarchical depth: 8, as in the first GPU that had it (S. Morein, "ATI
 * Radeon HyperZ Technology", Graphics Hardware 2000). A row of regions begins with the attachment's. */
#define CM_HIZ_SIZE 8
#define CM_SHADE_SAMPLE_SHIFT 24 /**< CM_PASS_FULL: 1 + the sample that the shader runs for; 0: all */

/** For CM_EVENT_INVOKE: the invocations have run before. */
#define CM_INVOKE_RESUMES (1u << 16)
/* For CM_EVENT_BUFFER and CM_EVENT_IMAGE: the unit is bits 16 … 21 of the word. */
#define CM_STORAGE_OPERATION_SHIFT 22 /**< 2 bits: enum cm_storage_operation */
#define CM_STORAGE_BYTES_SHIFT 24     /**< 8 bits, of CM_EVENT_BUFFER: bytes an invocation accesses, 1 … 16 */

/* Of CM_EVENT_REGIONS: the count is a mask of quads, and a flag; the unit is the number of regions after region 0. */
#define CM_REGIONS_QUADS 15u
#define CM_REGIONS_ARE_BYTES \
   16u /**< all counts are less than 256: four a word, the first in the lowest byte */
/** Regions that a shader has at most; what else it has is in the regions around it. */
#define CM_MAX_REGIONS 1024

#define CM_BUFFER_ACCESS_WORDS (sizeof(struct cm_buffer_access) / 4)
#define CM_QUAD_WORDS (sizeof(struct cm_quad) / 4)
#define CM_FOOTPRINT_WORDS (sizeof(struct cm_footprint) / 4)

/** The parts of word 0. */
static inline enum cm_event_type
cm_event_type(uint32_t word)
{
   return (enum cm_event_type)(word & 0xff);
}

static inline uint32_t
cm_event_count(uint32_t word)
{
   return word >> 8 & 0xff;
}

/** Word 0 with another count, up to 255. */
static inline uint32_t
cm_event_with_count(uint32_t word, uint32_t count)
{
   return (word & ~0xff00u) | count << 8;
}

static inline uint32_t
cm_event_unit(uint32_t word)
{
   return word >> 16;
}

/** For CM_EVENT_BUFFER and CM_EVENT_IMAGE: which of the buffers or images. */
static inline uint32_t
cm_storage_unit(uint32_t word)
{
   return word >> 16 & 63;
}

static inline enum cm_storage_operation
cm_storage_operation(uint32_t word)
{
   return (enum cm_storage_operation)(word >> CM_STORAGE_OPERATION_SHIFT & 3);
}

static inline uint32_t
cm_storage_bytes(uint32_t word)
{
   return word >> CM_STORAGE_BYTES_SHIFT;
}

/** Of CM_EVENT_REGIONS: which quads of the event before it; bit q: quad q. */
static inline uint32_t
cm_regions_quads(uint32_t word)
{
   return cm_event_count(word) & CM_REGIONS_QUADS;
}

/** Of CM_EVENT_REGIONS: words of counts behind the first word. */
static inline uint32_t
cm_regions_words(uint32_t word)
{
   const uint32_t count = cm_event_unit(word);
   return cm_event_count(word) & CM_REGIONS_ARE_BYTES ? (count + 3) / 4 : count;
}

/** Of CM_EVENT_REGIONS: how often each of its quads ran a region, from 1 on; 0 for one that it does not have. */
static inline uint32_t
cm_regions_runs(const uint32_t *event, uint32_t region)
{
   const uint32_t number = region - 1;
   if (number >= cm_event_unit(*event))
      return 0;
   if (cm_event_count(*event) & CM_REGIONS_ARE_BYTES)
      return event[1 + number / 4] >> number % 4 * 8 & 255;
   return event[1 + number];
}

/** What a shade event runs for: 1 + the sample; 0: the pixels. */
static inline uint32_t
cm_event_sample(uint32_t word)
{
   return word >> CM_SHADE_SAMPLE_SHIFT;
}

/** Whether the event continues a group. */
static inline bool
cm_event_continues(uint32_t word)
{
   return cm_event_type(word) == CM_EVENT_SHADE && word & CM_SHADE_CONTINUES;
}

/** cm_event_next of the types after CM_EVENT_UNSHADED, which are rare. */
const uint32_t *cm_event_next_slow(const uint32_t *event);

/** The event after one. */
static inline const uint32_t *
cm_event_next(const uint32_t *event)
{
   const enum cm_event_type type = cm_event_type(*event);
   if (type == CM_EVENT_FOOTPRINTS)
      return event + 1 + cm_event_count(*event) * CM_FOOTPRINT_WORDS;
   if (type <= CM_EVENT_UNSHADED)
      return event + 2 + cm_event_count(*event) * CM_QUAD_WORDS;
   return cm_event_next_slow(event);
}

/** Whether an event is of the run of the shade or invoke event before it: what an instruction accesses, or how often regions
 * ran. */
static inline bool
cm_event_is_of_run(uint32_t word)
{
   const enum cm_event_type type = cm_event_type(word);
   return type == CM_EVENT_FOOTPRINTS || type == CM_EVENT_BUFFER || type == CM_EVENT_IMAGE ||
          type == CM_EVENT_REGIONS;
}

/** The event after a shade event and its run's events: with CM_SHADE_CONTINUES it is another
 * of the same group. */
static inline const uint32_t *
cm_group_next_run(const uint32_t *event, const uint32_t *end)
{
   event = cm_event_next(event);
   while (event < end && cm_event_is_of_run(*event))
      event = cm_event_next(event);
   return event;
}

/** Makes room for n more words; false when out of memory. */
bool cm_tile_events_grow(struct cm_tile_events *events, size_t n);

static inline uint32_t *
cm_tile_events_reserve(struct cm_tile_events *events, size_t n)
{
   if (events->capacity - events->num_words < n && !cm_tile_events_grow(events, n))
      return NULL;
   return events->words + events->num_words;
}

#endif
