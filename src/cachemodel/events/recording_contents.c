/* SPDX-License-Identifier: MIT */
/* What is known of a pass' tiles (events/tile_content.h) as bytes: one column after another, of the touched tiles. */
#include <assert.h>
#include <stdlib.h>

#include "events/pixel_block.h"
#include "events/recording_check.h"
#include "events/recording_format.h"
#include "events/tile_content.h"

/* Before a tile's surfaces: they are like those of the tile before; else 1 + their number. */
#define LIKE_BEFORE 0
/* With what a group is the same as: its sizes follow, which are not all 0. */
#define GROUP_HAS_SIZES (1 << 4)
/* Bytes of a group's sizes, four bits each: in steps, or RAW_CODE. */
#define CODED_SIZES (CM_GROUP_BLOCKS / 2)
#define RAW_CODE 15

_Static_assert(CM_SAME_AS_FRAME << CM_EARLIER_FRAMES == GROUP_HAS_SIZES &&
                  CM_RAW_SIZE == (RAW_CODE + 1) * CM_SIZE_STEP,
               "what fits into four bits");

static uint32_t
count_tiles(const struct cm_pass *pass)
{
   return pass->tiles_x * pass->tiles_y;
}

static size_t
groups_of(const struct cm_stored_surface *surface)
{
   return (size_t)surface->columns * surface->rows;
}

/* Walks through the surfaces of all touched tiles: both begin as 0. False: there are no more. */
static bool
next_surface(const struct cm_pass *pass, uint32_t *tile, size_t *at, struct cm_stored_surface *surface)
{
   for (; *tile < count_tiles(pass); ++*tile, *at = 0) {
      if (pass->touched[*tile] && cm_tile_content_next(&pass->contents[*tile], at, surface))
         return true;
   }
   return false;
}

/* ---- to bytes -------------------------------------------------------------- */

static bool
are_alike(const struct cm_tile_content *a, const struct cm_tile_content *b)
{
   struct cm_stored_surface left, right;
   size_t at = 0;
   if (a->num_bytes != b->num_bytes)
      return false;
   for (size_t other = 0; cm_tile_content_next(a, &at, &left);) {
      cm_tile_content_next(b, &other, &right);
      if (at != other || left.slot != right.slot || left.columns != right.columns || left.rows != right.rows)
         return false;
   }
   return true;
}

static void
put_surfaces(struct cm_byte_writer *writer, const struct cm_tile_content *content,
             const struct cm_tile_content *before)
{
   struct cm_stored_surface surface;
   uint64_t count = 0;
   if (are_alike(content, before)) {
      cm_put_varint(writer, LIKE_BEFORE);
      return;
   }
   for (size_t at = 0; cm_tile_content_next(content, &at, &surface);)
      count++;
   cm_put_varint(writer, 1 + count);
   for (size_t at = 0; cm_tile_content_next(content, &at, &surface);) {
      const uint8_t bytes[3] = {surface.slot, surface.columns, surface.rows};
      cm_put_bytes(writer, bytes, sizeof bytes);
   }
}

static bool
has_sizes(const uint8_t sizes[CM_GROUP_BLOCKS])
{
   static const uint8_t none[CM_GROUP_BLOCKS];
   return memcmp(sizes, none, sizeof none) != 0;
}

static void
put_groups(struct cm_byte_writer *writer, const struct cm_stored_surface *surface)
{
   for (size_t g = 0; g < groups_of(surface); g++) {
      const unsigned flag = has_sizes(surface->sizes + g * CM_GROUP_BLOCKS) ? GROUP_HAS_SIZES : 0;
      const uint8_t byte = (uint8_t)(surface->same[g] | flag);
      cm_put_bytes(writer, &byte, 1);
   }
}

/* Four bits. */
static unsigned
code_of(unsigned size)
{
   assert(size == cm_stored_size(size));
   return size == CM_RAW_SIZE ? RAW_CODE : size / CM_SIZE_STEP;
}

static void
put_sizes(struct cm_byte_writer *writer, const struct cm_stored_surface *surface)
{
   for (size_t g = 0; g < groups_of(surface); g++) {
      const uint8_t *sizes = surface->sizes + g * CM_GROUP_BLOCKS;
      uint8_t codes[CODED_SIZES];
      for (unsigned i = 0; i < CODED_SIZES; i++)
         codes[i] = (uint8_t)(code_of(sizes[2 * i]) | code_of(sizes[2 * i + 1]) << 4);
      if (has_sizes(sizes))
         cm_put_bytes(writer, codes, sizeof codes);
   }
}

void
cm_encode_contents(struct cm_byte_writer *writer, const struct cm_pass *pass)
{
   static const struct cm_tile_content none;
   const struct cm_tile_content *before = &none;
   struct cm_stored_surface surface;
   for (uint32_t t = 0; t < count_tiles(pass); t++) {
      if (!pass->touched[t])
         continue;
      put_surfaces(writer, &pass->contents[t], before);
      before = &pass->contents[t];
   }
   for (uint32_t t = 0; t < count_tiles(pass); t++) {
      if (pass->touched[t])
         cm_put_bytes(writer, &pass->contents[t].same_inputs, 1);
   }
   uint32_t tile = 0;
   size_t at = 0;
   while (next_surface(pass, &tile, &at, &surface))
      put_groups(writer, &surface);
   tile = 0;
   at = 0;
   while (next_surface(pass, &tile, &at, &surface))
      put_sizes(writer, &surface);
}

/* ---- from bytes ------------------------------------------------------------ */

/* Adds a surface of which nothing is known yet. total: groups so far, for each of which there must be a byte. */
static const char *
add_surface(struct cm_byte_reader *reader, struct cm_tile_content *content, const uint8_t shape[3],
            size_t *total)
{
   uint8_t *same, *sizes;
   if (shape[0] >= 2 * CM_CONTENT_RESOLVE || !shape[1] || !shape[2])
      return "a tile stores to a surface that there cannot be";
   const size_t groups = (size_t)shape[1] * shape[2];
   *total += groups;
   if (*total > cm_bytes_left(reader))
      return "contents of tiles are cut short";
   if (!cm_tile_content_add(content, shape[0], shape[1], shape[2], &same, &sizes))
      return CM_OUT_OF_MEMORY_FOR "contents of tiles";
   memset(same, 0, groups * (1 + CM_GROUP_BLOCKS));
   return NULL;
}

static const char *
get_surfaces(struct cm_byte_reader *reader, struct cm_tile_content *content,
             const struct cm_tile_content *before, size_t *total)
{
   const char *wrong = NULL;
   const uint64_t code = cm_get_varint(reader);
   struct cm_stored_surface surface;
   if (code == LIKE_BEFORE) {
      for (size_t at = 0; !wrong && cm_tile_content_next(before, &at, &surface);)
         wrong =
            add_surface(reader, content, (uint8_t[3]){surface.slot, surface.columns, surface.rows}, total);
      return wrong;
   }
   for (uint64_t s = 1; !wrong && s < code; s++) {
      const uint8_t *shape = cm_get_bytes(reader, 3);
      wrong = shape ? add_surface(reader, content, shape, total) : "contents of tiles are cut short";
   }
   return wrong;
}

static unsigned
size_of(unsigned code)
{
   return code == RAW_CODE ? CM_RAW_SIZE : code * CM_SIZE_STEP;
}

/* same has GROUP_HAS_SIZES, and loses it. */
static void
get_sizes(struct cm_byte_reader *reader, size_t groups, uint8_t *same, uint8_t *sizes)
{
   for (size_t g = 0; g < groups; g++, sizes += CM_GROUP_BLOCKS) {
      for (unsigned b = 0; same[g] & GROUP_HAS_SIZES && b < CM_GROUP_BLOCKS; b += 2) {
         const uint8_t codes = cm_get_byte(reader);
         sizes[b] = (uint8_t)size_of(codes & 15);
         sizes[b + 1] = (uint8_t)size_of(codes >> 4);
      }
      same[g] &= (uint8_t)~GROUP_HAS_SIZES;
   }
}

/* The columns of groups and of sizes. */
static void
get_groups(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   struct cm_stored_surface surface;
   uint32_t tile = 0;
   size_t at = 0;
   while (next_surface(pass, &tile, &at, &surface)) {
      for (size_t g = 0; g < groups_of(&surface); g++)
         ((uint8_t *)surface.same)[g] = cm_get_byte(reader);
   }
   tile = 0;
   at = 0;
   while (next_surface(pass, &tile, &at, &surface))
      get_sizes(reader, groups_of(&surface), (uint8_t *)surface.same, (uint8_t *)surface.sizes);
}

const char *
cm_decode_contents(struct cm_byte_reader *reader, struct cm_pass *pass)
{
   static const struct cm_tile_content none;
   const struct cm_tile_content *before = &none;
   size_t total = 0;
   pass->contents = calloc(count_tiles(pass), sizeof *pass->contents);
   if (!pass->contents)
      return CM_OUT_OF_MEMORY_FOR "contents of tiles";
   for (uint32_t t = 0; t < count_tiles(pass); t++) {
      if (!pass->touched[t])
         continue;
      const char *wrong = get_surfaces(reader, &pass->contents[t], before, &total);
      if (wrong)
         return wrong;
      before = &pass->contents[t];
   }
   for (uint32_t t = 0; t < count_tiles(pass); t++) {
      if (pass->touched[t])
         pass->contents[t].same_inputs = cm_get_byte(reader);
   }
   get_groups(reader, pass);
   if (reader->bad)
      return "contents of tiles are cut short";
   return reader->at == reader->end ? cm_check_contents(pass) : "contents of tiles have bytes left over";
}
