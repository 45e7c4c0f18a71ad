/* SPDX-License-Identifier: MIT */
/**
 * Keys energy.*: the technology of a GPU, and the energy of its processors and fixed-function units for
 * each operation. The mapping is optional; docs/energy.md describes the model. The energies of
 * caches and arrays are not keys: they come from data/cacti-7.0-energies.csv by technology and cell.
 */
#ifndef CM_ENERGY_CONFIG_H
#define CM_ENERGY_CONFIG_H

#include <stdint.h>

/** Transistors of the memory cells and around them, as CACTI names them: key energy.cell. */
enum cm_cell {
   CM_CELL_NONE,      /**< "none": as without the mapping */
   CM_CELL_ITRS_LSTP, /**< "itrs-lstp": low standby power */
   CM_CELL_ITRS_HP,   /**< "itrs-hp": high performance */
};

/** Energies of an operation, in fJ, except the last two, which are leakages, in nW.
 * X(member, description) */
#define CM_ENERGY_KEYS(X)                                                                                \
   X(vertex_instruction, "an instruction of a vertex program, of one vertex")                            \
   X(quad_instruction, "an instruction of a fragment program, of the four fragments of a quad")          \
   X(primitive_setup, "assembling, culling and setting up a primitive")                                  \
   X(tile_overlap, "finding that a primitive overlaps a tile, and its PMD")                              \
   X(raster_quad, "rasterising a quad: the edge functions of its four samples")                          \
   X(quad_attribute, "interpolating an attribute, of four components, for the four fragments of a quad") \
   X(depth_quad, "comparing the depths of a quad's four samples")                                        \
   X(blend_quad, "blending the colours of a quad's four samples")                                        \
   X(texture_footprint, "addressing and filtering what a quad's texture instruction reads of a level")   \
   X(mesh_bit, "moving a bit over a link of the mesh and through the next router")                       \
   X(processor_leakage, "leakage of the logic of a vertex or Fragment Processor")                        \
   X(unit_leakage, "leakage of the logic of a fixed-function unit")

#define CM_TEXTURE_BUS_BYTE_DESCRIPTION "moving a byte over the bus between the texture caches and the L2"

/** Keys energy.*. */
struct cm_energy_config {
   uint32_t technology; /**< in nm: 22, 32, 45, 65 or 90. 0, or no such mapping: energy is not counted */
   enum cm_cell cell;
#define CM_ENERGY_MEMBER(member, description) uint32_t member; /**< fJ or nW; see CM_ENERGY_KEYS */
   CM_ENERGY_KEYS(CM_ENERGY_MEMBER)
#undef CM_ENERGY_MEMBER
   uint32_t texture_bus_byte; /**< optional: for each byte on texture_bus, in fJ; 0: none */
};

#endif
