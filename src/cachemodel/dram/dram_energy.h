/* SPDX-License-Identifier: MIT */
/**
 * The energy that the devices of a DRAM system take, from the datasheet's currents, after Micron's
 * "Calculating Memory System Power for DDR3" (TN-41-01). With the times t in cycles, each part is a current
 * times its voltage, summed over the chip's supplies (VDD, and VDD1 of LPDDR), times tCK times a time, times the
 * chips of a rank:
 *
 *   activate               IDD0 tRC − IDD3N tRAS − IDD2N tRP  each activate, with its precharge
 *   read                   (IDD4R − IDD3N) B                  each read command (B: cycles of a burst)
 *   write                  (IDD4W − IDD3N) B                  each write command
 *   refresh                (IDD5AB − IDD3N) tRFC              each refresh of a rank; an eighth: of banks of it
 *   active standby         IDD3N                     each cycle of a rank with a row open or in a refresh
 *   precharge standby      IDD2N                     each cycle of a rank with none
 *   active power-down      IDD3P                     each cycle powered down with a row open
 *   precharge power-down   IDD2P                     each cycle powered down with none
 *
 * The parts say what comes on top of the standby, so that a bank that is activated and precharged every tRC
 * draws IDD0, back-to-back reads IDD4R, and a refresh IDD5AB, as the datasheet measured them. An activate
 * whose precharge is still to come is counted whole.
 *
 * Not in it: the current of the data pins (VDDQ) and terminations, which the device files have no numbers
 * for; the controller; self-refresh, which the model does not enter.
 *
 * Whole numbers throughout: nW · ps = 10^-21 J are exact, each part is rounded down to fJ once.
 */
#ifndef CM_DRAM_ENERGY_H
#define CM_DRAM_ENERGY_H

#include "dram/dram_system.h"

/** X(name, description), in fJ. */
#define CM_DRAM_ENERGIES(X)                                           \
   X(activate, "rows activated and precharged")                       \
   X(read, "bursts read")                                             \
   X(write, "bursts written")                                         \
   X(refresh, "refreshes")                                            \
   X(active_standby, "standby with a row open, and during refreshes") \
   X(precharge_standby, "standby with no row open")                   \
   X(active_power_down, "power-down with a row open")                 \
   X(precharge_power_down, "power-down with no row open")

struct cm_dram_energy {
#define CM_DRAM_ENERGY_FIELD(name, description) uint64_t name;
   CM_DRAM_ENERGIES(CM_DRAM_ENERGY_FIELD)
#undef CM_DRAM_ENERGY_FIELD
};

/** The energy of what was counted: of a whole run, or of a frame as the difference of two counts. */
struct cm_dram_energy
cm_dram_energy(const struct cm_dram_system_config *config, const struct cm_dram_system_counters *counters);

#endif
