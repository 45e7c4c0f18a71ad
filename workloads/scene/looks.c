/* SPDX-License-Identifier: MIT */
#include "looks.h"

const struct look_recipe looks[NUM_LOOKS] =
   {
      [BOARD] =
         {
            .pieces = {{PANEL, IMAGE_SKY, 1}},
            .kinds = {{CANDY, IMAGE_ICON, ON_BOARD, 1, 0.55f},
                      {DOME, IMAGE_ICON, ON_BOARD, 0.95f, 0.3f},
                      {DIAMOND, IMAGE_ICON, ON_BOARD, 1, 0.15f}},
            .large = {IMAGE_SIGN, AT_EDGES},
         },
      [MAP] =
         {
            .scrolls = true,
            .pieces = {{PANEL, IMAGE_GRASS, 1}},
            .kinds = {{BOX, IMAGE_FACADE, ANYWHERE, 1.2f, 0.3f},
                      {TREE, IMAGE_GRASS, ANYWHERE, 1, 0.3f},
                      {TOWER, IMAGE_BRICK, ANYWHERE, 1.3f, 0.2f},
                      {FIGURE, IMAGE_FACE, ANYWHERE, 0.7f, 0.1f},
                      {ROCK, IMAGE_STONE, ANYWHERE, 0.8f, 0.1f}},
            .large = {IMAGE_SIGN, AT_EDGES},
         },
      [RUNNER] =
         {
            .perspective = true,
            .horizon = 0.14f,
            .pieces = {{SKY, IMAGE_SKY, 1}, {GROUND, IMAGE_STONE, 2}},
            .kinds = {{FIGURE, IMAGE_FACE, IN_HAND, 2.2f, 0},
                      {DOME, IMAGE_ICON, ON_LANES, 0.5f, 0.3f},
                      {BOX, IMAGE_WOOD, ON_LANES, 1.1f, 0.15f},
                      {TREE, IMAGE_GRASS, BESIDE, 2, 0.35f},
                      {COLUMN, IMAGE_STONE, BESIDE, 1.8f, 0.2f}},
            .large = {IMAGE_STONE, BESIDE},
         },
      [RACING] =
         {
            .perspective = true,
            .horizon = 0.12f,
            .pieces = {{SKY, IMAGE_SKY, 1}, {GROUND, IMAGE_ROAD, 1}},
            .kinds = {{CAR, IMAGE_METAL, IN_HAND, 2.4f, 0},
                      {CAR, IMAGE_METAL, ON_LANES, 1.5f, 0.4f},
                      {TREE, IMAGE_GRASS, BESIDE, 2, 0.25f},
                      {TOWER, IMAGE_FACADE, BESIDE, 2.6f, 0.2f},
                      {BOX, IMAGE_WOOD, BESIDE, 0.9f, 0.15f}},
            .large = {IMAGE_FACADE, BESIDE},
         },
      [SHOOTER] =
         {
            .perspective = true,
            .horizon = 0.05f,
            .pieces = {{SKY, IMAGE_SKY, 1}, {GROUND, IMAGE_STONE, 2}},
            .kinds = {{COLUMN, IMAGE_METAL, IN_HAND, 1.8f, 0},
                      {FIGURE, IMAGE_FACE, ON_GROUND, 1.4f, 0.4f},
                      {BOX, IMAGE_WOOD, ON_GROUND, 1, 0.25f},
                      {TOWER, IMAGE_FACADE, BESIDE, 2.6f, 0.2f},
                      {ROCK, IMAGE_STONE, ON_GROUND, 0.9f, 0.15f}},
            .large = {IMAGE_BRICK, BESIDE},
         },
      [MAZE] =
         {
            .perspective = true,
            .pieces = {{FLOOR, IMAGE_STONE, 2},
                       {CEILING, IMAGE_WOOD, 2},
                       {LEFT_WALL, IMAGE_BRICK, 2},
                       {RIGHT_WALL, IMAGE_BRICK, 2},
                       {END_WALL, IMAGE_BRICK, 0.5f}},
            .kinds = {{DIAMOND, IMAGE_ICON, ON_LANES, 0.7f, 0.5f},
                      {DOME, IMAGE_FACE, ON_GROUND, 1.2f, 0.2f},
                      {COLUMN, IMAGE_STONE, BESIDE, 1.6f, 0.3f}},
            .large = {IMAGE_BRICK, BESIDE},
         },
      [ARENA] =
         {
            .perspective = true,
            .horizon = 0.16f,
            .pieces = {{SKY, IMAGE_NOISE, 1}, {GROUND, IMAGE_METAL, 1}},
            .kinds = {{FIGURE, IMAGE_METAL, IN_HAND, 3, 0},
                      {FIGURE, IMAGE_METAL, ON_GROUND, 2.2f, 0.35f},
                      {COLUMN, IMAGE_STONE, BESIDE, 2, 0.35f},
                      {BOX, IMAGE_METAL, BESIDE, 1, 0.3f}},
            .large = {IMAGE_SIGN, IN_AIR},
         },
      [SLINGSHOT] =
         {
            .scrolls = true,
            .pieces = {{PANEL, IMAGE_SKY, 1}},
            .kinds = {{BOX, IMAGE_WOOD, ON_SHELF, 1, 0.4f},
                      {BOX, IMAGE_STONE, ON_SHELF, 0.9f, 0.2f},
                      {BIRD, IMAGE_FACE, ON_SHELF, 0.8f, 0.25f},
                      {TREE, IMAGE_GRASS, ON_SHELF, 1.6f, 0.15f}},
            .large = {IMAGE_WOOD, ON_SHELF},
         },
      [VALLEY] =
         {
            .perspective = true,
            .horizon = 0.1f,
            .pieces = {{SKY, IMAGE_SKY, 1}, {GROUND, IMAGE_GRASS, 3}},
            .kinds = {{TREE, IMAGE_GRASS, ON_GROUND, 2, 0.4f},
                      {ROCK, IMAGE_STONE, ON_GROUND, 1, 0.3f},
                      {TOWER, IMAGE_BRICK, ON_GROUND, 2, 0.15f},
                      {BIRD, IMAGE_METAL, IN_AIR, 1, 0.15f}},
            .large = {IMAGE_STONE, BESIDE},
         },
      [CITY] =
         {
            .perspective = true,
            .horizon = 0.04f,
            .pieces = {{SKY, IMAGE_SKY, 1}, {GROUND, IMAGE_STONE, 3}},
            .kinds = {{FIGURE, IMAGE_FACE, IN_HAND, 2.6f, 0},
                      {TOWER, IMAGE_FACADE, BESIDE, 3.2f, 0.4f},
                      {BOX, IMAGE_BRICK, BESIDE, 1.6f, 0.25f},
                      {FIGURE, IMAGE_FACE, ON_GROUND, 1, 0.25f},
                      {TREE, IMAGE_GRASS, BESIDE, 1.4f, 0.1f}},
            .large = {IMAGE_FACADE, BESIDE},
         },
};
