/* SPDX-License-Identifier: MIT */
/**
 * Keys dram_system.*: channels, ranks and banks of DRAM devices behind a memory controller
 * (dram/dram_system.h). The mapping is optional.
 */
#ifndef CM_DRAM_CONFIG_H
#define CM_DRAM_CONFIG_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/** When a row is closed: key dram_system.page_policy. */
enum cm_dram_page_policy {
   CM_DRAM_PAGE_OPEN,   /**< "open": when another row of its bank is wanted, or by a refresh */
   CM_DRAM_PAGE_CLOSED, /**< "closed": with its last column command (auto-precharge), unless a request for the
                         * row is queued */
};

/** What a refresh occupies: key dram_system.refresh. */
enum cm_dram_refresh_mode {
   CM_DRAM_REFRESH_ALL_BANK, /**< "all-bank": a whole rank */
   CM_DRAM_REFRESH_PER_BANK, /**< "per-bank": some banks in turn, eight refreshes for one of the rank; the others are
                              * accessible meanwhile */
};

/** Timing of a device in cycles of its clock, with the datasheets' names: X(name, description). */
#define CM_DRAM_TIMINGS(X)                                                                \
   X(CL, "read command to its first data")                                                \
   X(CWL, "write command to its first data")                                              \
   X(tRCD, "activate to a column command of the bank")                                    \
   X(tRP, "precharge to activate of the bank")                                            \
   X(tRPab, "precharge of all a rank's banks to their activate, and refresh")             \
   X(tRAS, "activate to precharge of the bank; tRC, activate to activate, is tRAS + tRP") \
   X(tRFC, "refresh to the next command of the rank")                                     \
   X(tRFCpb, "per-bank refresh to activate of its banks, and to the rank's next refresh") \
   X(tREFI, "refresh to refresh of a rank, on average")                                   \
   X(tRRD_S, "activate to activate of other bank groups")                                 \
   X(tRRD_L, "activate to activate of the same bank group")                               \
   X(tWTR_S, "end of written data to a read of another bank group of the rank")           \
   X(tWTR_L, "end of written data to a read of the same bank group")                      \
   X(tFAW, "window in which a rank has at most four activates")                           \
   X(tWR, "end of written data to precharge of the bank")                                 \
   X(tRTP, "read to precharge of the bank")                                               \
   X(tCCD_S, "column command to the next of the same direction in another bank group")    \
   X(tCCD_L, "read to read of the same bank group")                                       \
   X(tCCD_L_WR, "write to write of the same bank group")                                  \
   X(tPBR2ACT, "per-bank refresh to activate of another bank of the rank")                \
   X(tXP, "end of power-down to the next command of the rank")                            \
   X(tRTRS, "idle cycles of the data bus between two ranks and between read and written data")

struct cm_dram_timing {
#define CM_DRAM_TIMING_FIELD(name, description) uint32_t name;
   CM_DRAM_TIMINGS(CM_DRAM_TIMING_FIELD)
#undef CM_DRAM_TIMING_FIELD
};

struct cm_dram_system_config {
   uint32_t device;        /**< a line of data/dram-devices.csv, from 1; 0: "none", there is no DRAM system */
   uint32_t channels;      /**< a power of two, 1 … 16 */
   uint32_t channel_width; /**< bits of a channel's data bus, 8 … 256: divided by the
                            * device's width, the number of chips in parallel */
   uint32_t ranks;         /**< of a channel: 1, 2 or 4 */
   char *mapping;          /**< what the bits of an address mean (dram/address_mapping.h) */
   uint32_t interleave;    /**< bytes that stay in a row with every mapping; a power of two from 64 */
   enum cm_dram_page_policy page_policy;
   uint32_t read_queue;  /**< requests of a channel that its scheduler chooses from, 1 … 64 */
   uint32_t write_queue; /**< the same for writes */
   /** Writes in the queue at which the channel turns to writing, 1 … write_queue */
   uint32_t write_high;
   /** Writes in the queue at which it turns back, less than write_high. With no read queued it always writes.
    */
   uint32_t write_low;
   /** Optional: requests per turn of the data bus while reads and writes are queued. After so many writes the channel
    * turns to reads, even if more than write_low are left; it serves so many, or all that are queued, before it writes again.
    * gem5's min_writes_per_switch and min_reads_per_switch. 0: no limit */
   uint32_t turn_requests;
   /** Requests that an activated row serves while an older one waits for another row of its bank; after
    * that the older one is served first. 0: no limit. */
   uint32_t row_hit_limit;
   /** Cycles of the DRAM's clock without a request after which a rank is powered down; 0: never */
   uint32_t power_down_after;
   /** Cycles of the DRAM's clock that a read takes beyond the device's: through the controller and between it
    * and the requester, both ways. Commands do not depend on it. */
   uint32_t controller_latency;
   enum cm_dram_refresh_mode refresh; /**< optional: all-bank */
   /** Optional: timings that differ from the device's; 0: the device's own. */
   struct cm_dram_timing timing;
};

#endif
