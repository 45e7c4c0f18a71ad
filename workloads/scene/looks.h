/* SPDX-License-Identifier: MIT */
/** What the kinds of games look like: the backdrop, and which objects are where. */
#ifndef LOOKS_H
#define LOOKS_H

#include "scene.h"

#define MAX_PIECES 6
#define MAX_KINDS 8

/** Parts of the backdrop, which together cover the screen once. */
enum piece { NO_PIECE, PANEL, SKY, GROUND, LEFT_WALL, RIGHT_WALL, CEILING, FLOOR, END_WALL };

/** Where objects are. */
enum place {
   ON_BOARD,  /**< in the cells of a board in the middle */
   ANYWHERE,  /**< on the screen */
   ON_GROUND, /**< standing, the farther the more */
   ON_LANES,  /**< the same, on three lanes of the road */
   BESIDE,    /**< standing on both sides of the road */
   IN_AIR,    /**< above the horizon */
   ON_SHELF,  /**< standing in the lower half of the screen, in columns */
   IN_HAND,   /**< before the camera; one object */
   AT_EDGES,  /**< along the upper and lower edge of the screen */
};

struct look_recipe {
   bool perspective;
   bool scrolls; /**< flat looks: the camera moves sideways */
   float horizon;
   struct {
      enum piece piece;
      unsigned image;
      float repeat; /**< times the image is repeated in the screen's height at the distance 1 */
   } pieces[MAX_PIECES];
   struct {
      unsigned shape, image;
      enum place place;
      float factor; /**< of the size that is common to all objects */
      float weight; /**< of the number of objects */
   } kinds[MAX_KINDS];
   struct {
      unsigned image;
      enum place place;
   } large; /**< objects of two triangles: signs, fronts of houses, panels */
};

extern const struct look_recipe looks[NUM_LOOKS];

#endif
