/* SPDX-License-Identifier: MIT */
/** Makes a scene from a description and from what solve() tries: the backdrop's grids, large objects, small ones.
 * Lengths are pixels of the description's resolution at the distance 1; y points up, the camera looks along +z. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "looks.h"

#define NEAREST 1.25f /* objects' distances */
#define FARTHEST 11.0f
#define BACKDROP_NEAR 0.95f
#define BACKDROP_FAR 16.0f
#define CORRIDOR_FAR 7.0f
#define NEIGHBOUR 0.05f /* what a screen's edge is exceeded by */

struct builder {
   struct scene *scene;
   const struct description *description;
   const struct look_recipe *look;
   float width, height; /* of the description's screen */
   unsigned room_meshes, room_vertices, room_indices, room_objects;
   double attributes; /* what is missing to the average that is asked for, of all triangles until now */
   unsigned board_cells, board_next;
};

#define GROW(array, count, room, more)                           \
   do {                                                          \
      if ((count) + (more) > (room)) {                           \
         (room) = ((count) + (more)) * 2;                        \
         (array) = reallocate((array), (room), sizeof *(array)); \
      }                                                          \
   } while (0)

/* ---- meshes --------------------------------------------------------------------------------------------- */

/* NULL: there is no room for its vertices. */
static struct mesh *
add_mesh(struct builder *builder, unsigned across, unsigned down)
{
   struct scene *scene = builder->scene;
   const unsigned vertices = (across + 1) * (down + 1);
   if (scene->num_vertices + vertices > MAX_VERTICES) {
      scene->full = true;
      return NULL;
   }
   GROW(scene->meshes, scene->num_meshes, builder->room_meshes, 1);
   GROW(scene->vertices, scene->num_vertices, builder->room_vertices, vertices);
   struct mesh *mesh = &scene->meshes[scene->num_meshes++];
   *mesh = (struct mesh){.first_vertex = scene->num_vertices,
                         .num_vertices = vertices,
                         .num_triangles = 2 * across * down,
                         .across = across,
                         .down = down};
   scene->num_vertices += vertices;
   return mesh;
}

static void
shuffle(uint32_t *cells, unsigned count, uint32_t state)
{
   for (unsigned i = count; i > 1; i--) {
      const unsigned j = random_bits(&state) % i;
      const uint32_t kept = cells[i - 1];
      cells[i - 1] = cells[j];
      cells[j] = kept;
   }
}

/* Half a cell, clockwise or not; a front is anticlockwise on the screen. */
static void
add_triangle(struct scene *scene, const struct mesh *mesh, unsigned number, bool away)
{
   const unsigned cell = number / 2, row = cell / mesh->across, column = cell % mesh->across;
   const unsigned first = mesh->first_vertex + row * (mesh->across + 1) + column;
   const unsigned up = first + mesh->across + 1;
   const unsigned corners[2][3] = {{first, first + 1, up}, {first + 1, up + 1, up}};
   const unsigned *corner = corners[number % 2];
   uint16_t *index = &scene->indices[scene->num_indices];
   index[0] = corner[0];
   index[1] = corner[away ? 2 : 1];
   index[2] = corner[away ? 1 : 2];
   scene->num_indices += 3;
}

/* First what faces away, then the front. */
static void
add_indices(struct builder *builder, struct mesh *mesh)
{
   struct scene *scene = builder->scene;
   uint32_t *triangles = allocate(mesh->num_triangles, sizeof *triangles);
   for (unsigned i = 0; i < mesh->num_triangles; i++)
      triangles[i] = i;
   if (builder->description->order == SCATTERED)
      shuffle(triangles, mesh->num_triangles, builder->description->seed + mesh->num_triangles);
   mesh->num_culled = (unsigned)(builder->description->culled * mesh->num_triangles + 0.5);
   mesh->first_index = scene->num_indices;
   GROW(scene->indices, scene->num_indices, builder->room_indices,
        3 * (mesh->num_culled + mesh->num_triangles));
   for (unsigned i = 0; i < mesh->num_culled; i++)
      add_triangle(scene, mesh, triangles[i % mesh->num_triangles], true);
   for (unsigned i = 0; i < mesh->num_triangles; i++)
      add_triangle(scene, mesh, triangles[i], false);
   free(triangles);
}

static unsigned
add_shape(struct builder *builder, unsigned shape, unsigned cells)
{
   struct scene *scene = builder->scene;
   struct mesh *mesh = add_mesh(builder, cells, cells);
   if (!mesh)
      return 0;
   mesh->shape = shape;
   for (unsigned i = 0; i < mesh->num_vertices; i++) {
      struct vertex *vertex = &scene->vertices[mesh->first_vertex + i];
      *vertex = shape_vertex(shape, (float)(i % (cells + 1)) / cells, (float)(i / (cells + 1)) / cells);
      vertex->position[2] /= builder->height; /* sizes are in pixels, distances are not */
   }
   add_indices(builder, mesh);
   return scene->num_meshes - 1;
}

/* ---- objects ---------------------------------------------------------------------------------------------- */

static struct object *
add_object(struct builder *builder, unsigned mesh, unsigned triangles, unsigned image)
{
   struct scene *scene = builder->scene;
   GROW(scene->objects, scene->num_objects, builder->room_objects, 1);
   uint32_t state = builder->description->seed * 7919 + scene->num_objects;
   struct object *object = &scene->objects[scene->num_objects];
   *object = (struct object){
      .size = 1, .mesh = mesh, .num_triangles = triangles, .tint = {1, 1, 1}, .number = scene->num_objects++};
   /* The number of attributes that brings the average nearest to what is asked for. */
   const double wanted = builder->description->attributes * triangles + builder->attributes;
   const double number = floor(wanted / triangles + 0.5);
   object->attributes = number < 2 ? 2 : number > MAX_ATTRIBUTES ? MAX_ATTRIBUTES : (unsigned)number;
   builder->attributes = wanted - (double)object->attributes * triangles;
   /* Of the textures those with this image are next to each other. */
   const unsigned textures = builder->description->textures;
   object->texture =
      (image + NUM_IMAGES * (random_bits(&state) % ((textures + NUM_IMAGES - 1) / NUM_IMAGES))) % textures;
   return object;
}

/* ---- the backdrop ----------------------------------------------------------------------------------------- */

struct patch {
   float near_left[3], near_right[3], far_left[3], far_right[3];
   float across, down; /* pixels on the screen, about */
   bool deep;          /* goes into the distance */
};

#define POINT(target, x, y, z) \
   do {                        \
      (target)[0] = x;         \
      (target)[1] = y;         \
      (target)[2] = z;         \
   } while (0)

static void
make_wall(struct patch *patch, float x0, float y0, float x1, float y1, float z0, float z1)
{
   POINT(patch->near_left, x0 * z0, y0 * z0, z0);
   POINT(patch->near_right, x1 * z0, y1 * z0, z0);
   POINT(patch->far_left, x0 * z0, y0 * z0, z1);
   POINT(patch->far_right, x1 * z0, y1 * z0, z1);
   patch->deep = true;
}

static void
make_flat(struct patch *patch, float x0, float y0, float x1, float y1, float z)
{
   POINT(patch->near_left, x0 * z, y0 * z, z);
   POINT(patch->near_right, x1 * z, y0 * z, z);
   POINT(patch->far_left, x0 * z, y1 * z, z);
   POINT(patch->far_right, x1 * z, y1 * z, z);
   patch->across = x1 - x0;
   patch->down = y1 - y0;
}

static struct patch
make_patch(const struct builder *builder, enum piece piece)
{
   const float x = builder->width / 2 * (1 + NEIGHBOUR), y = builder->height / 2;
   const float horizon = builder->look->horizon * builder->height, below = y + horizon;
   struct patch patch = {.across = builder->width * 0.7f, .down = y};
   switch (piece) {
   case NO_PIECE: break;
   case PANEL: make_flat(&patch, -builder->width / 2, -y, builder->width / 2, y, 1); break;
   case SKY:
      make_flat(&patch, -builder->width / 2, -below / BACKDROP_FAR, builder->width / 2, y - horizon,
                BACKDROP_FAR);
      break;
   case GROUND: /* as wide as the screen at every distance */
      POINT(patch.near_left, -x * BACKDROP_NEAR, -below * BACKDROP_NEAR, BACKDROP_NEAR);
      POINT(patch.near_right, x * BACKDROP_NEAR, -below * BACKDROP_NEAR, BACKDROP_NEAR);
      POINT(patch.far_left, -x * BACKDROP_FAR, -below * BACKDROP_NEAR, BACKDROP_FAR);
      POINT(patch.far_right, x * BACKDROP_FAR, -below * BACKDROP_NEAR, BACKDROP_FAR);
      patch.across = builder->width;
      patch.down = below;
      patch.deep = true;
      break;
   case FLOOR:
      make_wall(&patch, -builder->width / 2, -y, builder->width / 2, -y, BACKDROP_NEAR, CORRIDOR_FAR);
      break;
   case CEILING:
      make_wall(&patch, builder->width / 2, y, -builder->width / 2, y, BACKDROP_NEAR, CORRIDOR_FAR);
      break;
   case LEFT_WALL:
      make_wall(&patch, -builder->width / 2, y, -builder->width / 2, -y, BACKDROP_NEAR, CORRIDOR_FAR);
      break;
   case RIGHT_WALL:
      make_wall(&patch, builder->width / 2, -y, builder->width / 2, y, BACKDROP_NEAR, CORRIDOR_FAR);
      break;
   case END_WALL:
      make_flat(&patch, -builder->width / 2 * BACKDROP_NEAR / CORRIDOR_FAR, -y * BACKDROP_NEAR / CORRIDOR_FAR,
                builder->width / 2 * BACKDROP_NEAR / CORRIDOR_FAR, y * BACKDROP_NEAR / CORRIDOR_FAR,
                CORRIDOR_FAR);
      break;
   }
   return patch;
}

static unsigned
cells_of(float length, double cell)
{
   return cell > 0 && length > cell ? (unsigned)(length / cell + 0.5) : 1;
}

static void
place_backdrop_vertex(const struct builder *builder, const struct patch *patch, enum piece piece,
                      float repeat, float s, float t, struct vertex *vertex)
{
   float far = t;
   if (patch->deep) { /* rows at distances that grow by a factor */
      const float z0 = patch->near_left[2], z1 = patch->far_left[2];
      far = (z0 * powf(z1 / z0, t) - z0) / (z1 - z0);
   }
   for (unsigned c = 0; c < 3; c++) {
      const float left = patch->near_left[c] + (patch->far_left[c] - patch->near_left[c]) * far;
      const float right = patch->near_right[c] + (patch->far_right[c] - patch->near_right[c]) * far;
      vertex->position[c] = left + (right - left) * s;
   }
   const float scale = repeat / builder->height, *at = vertex->position;
   const bool side = piece == LEFT_WALL || piece == RIGHT_WALL;
   vertex->coordinates[0] = (side ? at[2] * builder->height / 2 : at[0]) * scale + 0.5f;
   vertex->coordinates[1] = (patch->deep && !side ? at[2] * builder->height / 2 : -at[1]) * scale + 0.5f;
   if (piece == SKY) { /* up to the top of the image, around the camera */
      vertex->coordinates[0] = 2 * s;
      vertex->coordinates[1] = 1 - t;
   }
   const bool flat = piece == GROUND || piece == FLOOR || piece == CEILING;
   POINT(vertex->normal, side ? (piece == LEFT_WALL ? 0.8f : -0.8f) : 0, flat ? 0.8f : 0.2f, -0.6f);
}

static void
add_backdrop(struct builder *builder, double cell)
{
   struct scene *scene = builder->scene;
   for (unsigned i = 0; i < MAX_PIECES && builder->look->pieces[i].piece != NO_PIECE; i++) {
      const enum piece piece = builder->look->pieces[i].piece;
      const float repeat = builder->look->pieces[i].repeat;
      const struct patch patch = make_patch(builder, piece);
      struct mesh *mesh = add_mesh(builder, cells_of(patch.across, cell), cells_of(patch.down, cell));
      if (!mesh)
         return;
      for (unsigned v = 0; v < mesh->num_vertices; v++)
         place_backdrop_vertex(builder, &patch, piece, repeat, (float)(v % (mesh->across + 1)) / mesh->across,
                               (float)(v / (mesh->across + 1)) / mesh->down,
                               &scene->vertices[mesh->first_vertex + v]);
      add_indices(builder, mesh);
      struct object *object =
         add_object(builder, scene->num_meshes - 1, mesh->num_triangles, builder->look->pieces[i].image);
      object->backdrop = true;
      const float step = (float)builder->description->camera * repeat / builder->height;
      const bool moves = builder->look->perspective ? patch.deep : builder->look->scrolls;
      if (moves)
         object->scroll[builder->look->perspective && piece != LEFT_WALL && piece != RIGHT_WALL] = step;
   }
   scene->num_backdrop = scene->num_objects;
}

/* ---- where objects are ------------------------------------------------------------------------------------ */

static void
place_on_screen(const struct builder *builder, struct object *object, float x, float y, float z)
{
   const float shift = builder->look->perspective ? builder->look->horizon * builder->height : 0;
   POINT(object->at, x * z, (y - shift) * z, z);
}

static void
stand(const struct builder *builder, struct object *object, float x, float z)
{
   const float below = builder->height / 2 + builder->look->horizon * builder->height;
   POINT(object->at, x, -below * BACKDROP_NEAR + object->size / 2, z);
}

static void
place_on_board(struct builder *builder, struct object *object)
{
   const float shape = 1.3f; /* columns to rows */
   const unsigned columns = (unsigned)ceilf(sqrtf(builder->board_cells * shape));
   const unsigned rows = (builder->board_cells + columns - 1) / columns;
   const unsigned cell = builder->board_next++ % (columns * rows);
   const float size = fminf(builder->height * 0.86f / rows, builder->width * 0.9f / columns);
   POINT(object->at, (cell % columns - (columns - 1) / 2.0f) * size,
         (cell / columns - (rows - 1) / 2.0f) * size, 1);
}

static void
place(struct builder *builder, struct object *object, enum place where, uint32_t *state)
{
   const float w = builder->width, h = builder->height;
   const float z = builder->look->perspective ? expf(random_float(state, logf(NEAREST), logf(FARTHEST))) : 1;
   const float x = random_float(state, -0.5f, 0.5f), y = random_float(state, -0.5f, 0.5f);
   const float side = x < 0 ? -1 : 1;
   switch (where) {
   case ON_BOARD: place_on_board(builder, object); break;
   case ANYWHERE: place_on_screen(builder, object, x * w * 0.96f, y * h * 0.94f, z); break;
   case ON_GROUND: stand(builder, object, x * w * 0.9f * z, z); break;
   case ON_LANES: stand(builder, object, floorf(x * 2.99f + 0.5f) * w * 0.16f, z); break;
   case BESIDE: stand(builder, object, side * w * (0.34f + 0.12f * fabsf(y)) * (0.55f + 0.45f * z), z); break;
   case IN_AIR: place_on_screen(builder, object, x * w * 0.9f, h * (0.2f + 0.25f * fabsf(y)), z); break;
   case ON_SHELF: {
      const float column = floorf(x * 15) / 15;
      place_on_screen(builder, object, column * w * 0.95f,
                      -h * 0.47f + object->size * 0.5f + fabsf(y) * h * (0.2f + 0.8f * fabsf(column)), z);
      break;
   }
   case IN_HAND:
      place_on_screen(builder, object, w * 0.08f, -h * 0.28f, NEAREST);
      object->hand = true;
      break;
   case AT_EDGES:
      place_on_screen(builder, object, x * w * 0.9f, (y < 0 ? -1 : 1) * (h / 2 - object->size * 0.55f), z);
      break;
   }
}

static unsigned
kind_of(const struct look_recipe *look, unsigned number, uint32_t *state)
{
   unsigned first = 0;
   if (look->kinds[0].place == IN_HAND) {
      if (!number)
         return 0;
      first = 1;
   }
   float at = random_float(state, 0, 1);
   for (unsigned i = first; i < MAX_KINDS && look->kinds[i].weight > 0; i++) {
      at -= look->kinds[i].weight;
      if (at < 0)
         return i;
   }
   return first;
}

static void
add_large(struct builder *builder, const struct filling *filling)
{
   const struct description *description = builder->description;
   const double area = filling->large_share * (description->overdraw - 1) * builder->width * builder->height;
   const double usual = builder->height * (builder->look->perspective ? 0.4 : 0.25),
                number = ceil(area / (usual * usual));
   if (number < 1)
      return;
   const float size = sqrt(area / number);
   const unsigned mesh = add_shape(builder, PLATE, 1);
   if (builder->scene->full)
      return;
   for (unsigned i = 0; i < number; i++) {
      uint32_t state = description->seed * 104729 + i;
      struct object *object = add_object(builder, mesh, 2, builder->look->large.image);
      object->size = size;
      place(builder, object, builder->look->large.place, &state);
      /* As large on the screen wherever it is. */
      if (builder->look->perspective) {
         const float z = fminf(object->at[2], 5), away = z / object->at[2];
         object->at[0] *= away;
         object->at[2] = z;
         object->size = size * z;
         if (builder->look->large.place == BESIDE)
            stand(builder, object, object->at[0], z);
      }
   }
}

static void
add_small(struct builder *builder, const struct filling *filling)
{
   const struct description *description = builder->description;
   const unsigned each = 2 * description->mesh * description->mesh;
   const unsigned count = (filling->small_triangles + each - 1) / each;
   unsigned meshes[MAX_KINDS] = {0}, users[MAX_KINDS] = {0};
   builder->board_cells = count;
   for (unsigned i = 0; i < count; i++) {
      uint32_t state = description->seed * 15485863 + i;
      const unsigned kind = kind_of(builder->look, i, &state);
      const unsigned triangles = i + 1 < count ? each : filling->small_triangles - i * each;
      if (users[kind]++ % description->objects_per_mesh == 0)
         meshes[kind] = add_shape(builder, builder->look->kinds[kind].shape, description->mesh);
      if (builder->scene->full)
         return;
      struct object *object = add_object(builder, meshes[kind], triangles, builder->look->kinds[kind].image);
      object->size = filling->size * builder->look->kinds[kind].factor * random_float(&state, 0.85f, 1.15f);
      place(builder, object, builder->look->kinds[kind].place, &state);
      for (unsigned c = 0; c < 3; c++)
         object->tint[c] = random_float(&state, 0.6f, 1.15f);
      if (random_float(&state, 0, 1) < description->moving) {
         object->moves[0] = random_float(&state, -8, 8);
         object->moves[1] = random_float(&state, 0, 12);
      }
   }
}

/* As many of the objects as are asked for, at random. */
static void
choose_blended(struct builder *builder, unsigned first)
{
   struct scene *scene = builder->scene;
   const unsigned count = scene->num_objects - first;
   unsigned missing = (unsigned)(builder->description->blended * count + 0.5);
   uint32_t state = builder->description->seed * 32452843 + count;
   for (unsigned i = 0; i < count; i++) {
      scene->objects[first + i].blended = random_bits(&state) % (count - i) < missing;
      missing -= scene->objects[first + i].blended;
   }
}

/* Objects next to each other on the screen one after the other. */
static int
by_column(const void *a, const void *b)
{
   const struct object *left = a, *right = b;
   const float x = left->at[0] / left->at[2], y = right->at[0] / right->at[2];
   if (x != y)
      return x < y ? -1 : 1;
   return left->number < right->number ? -1 : left->number > right->number;
}

static void
sort_objects(struct builder *builder, unsigned first)
{
   struct scene *scene = builder->scene;
   const unsigned count = scene->num_objects - first;
   if (builder->description->order == STRIPS)
      qsort(scene->objects + first, count, sizeof *scene->objects, by_column);
}

void
lay_out(struct scene *scene, const struct description *description, const struct filling *filling)
{
   struct builder builder = {.scene = scene,
                             .description = description,
                             .look = &looks[description->look],
                             .width = description->width,
                             .height = description->height};
   free_scene(scene);
   *scene = (struct scene){.description = description,
                           .width = description->width,
                           .height = description->height,
                           .perspective = builder.look->perspective,
                           .horizon = builder.look->horizon};
   add_backdrop(&builder, filling->cell);
   add_large(&builder, filling);
   const unsigned first = scene->num_objects;
   add_small(&builder, filling);
   if (scene->full)
      return;
   choose_blended(&builder, first);
   sort_objects(&builder, first);
   scene->num_textures = description->textures;
   scene->textures = allocate(scene->num_textures, sizeof *scene->textures);
   for (unsigned i = 0; i < scene->num_textures; i++)
      scene->textures[i] = (struct texture_recipe){i % NUM_IMAGES, description->seed + i};
}

void
free_scene(struct scene *scene)
{
   free(scene->meshes);
   free(scene->vertices);
   free(scene->indices);
   free(scene->objects);
   free(scene->textures);
}

/* ---- frames ------------------------------------------------------------------------------------------------ */

static float
wrap(float value, float low, float high)
{
   return low + (value - low) - floorf((value - low) / (high - low)) * (high - low);
}

/** An object's position in a frame, and its size. */
void
object_position(const struct scene *scene, const struct object *object, unsigned frame, float at[4])
{
   const struct description *description = scene->description;
   const float way = (float)description->camera * frame, half = description->width / 2.0f;
   memcpy(at, object->at, sizeof object->at);
   at[3] = object->size;
   if (object->backdrop)
      return;
   at[0] += object->moves[0] * sinf(0.2f * frame);
   at[1] += object->moves[1] * fabsf(sinf(0.15f * frame));
   if (object->hand)
      return;
   if (scene->perspective && way != 0)
      at[2] = wrap(at[2] - way / (description->height / 2.0f), NEAREST, FARTHEST);
   else if (!scene->perspective && looks[description->look].scrolls)
      at[0] = wrap(at[0] - way, -half, half);
}

unsigned
object_indices(const struct scene *scene, const struct object *object)
{
   return 3 * (scene->meshes[object->mesh].num_culled + object->num_triangles);
}
