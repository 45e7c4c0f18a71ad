# SPDX-License-Identifier: MIT
"""Scenes that hit as the paper's: what is tried of scenes and GPUs."""

NAMES = ["assassins_creed", "devil_may_cry_4"]
# GSPC, Figures 4 and 5, under DRRIP: hits of render targets, of Z and of textures, and HiZ's part of all accesses, per cent.
PAPER = (50.1, 58.0, 22.0, 7.0)
JUDGED = (0, 1, 3)  # textures are beside it
POLICIES = ["nru", "gs-drrip", "gspztc", "gspztc-tse", "gspc", "gspc-frame-oracle", "gspc-block-oracle", "opt"]

OVERDRAW = "overdraw=5,blended=0.4"
SMALL = f"{OVERDRAW},primitives=60000,order=scattered,tiles_per_primitive=1.8"
FETCHES = "immediate.pixel_writes=partial"
# Intel's of the paper's time (docs/immediate.md).
HIZ = f"{FETCHES},immediate.hiz_region=8x4,immediate.hiz_bytes=16,immediate.hiz_samples=each"
# By name: other values of the scenes, and of the GPU.
TRIED = {
    "defaults": ("", ""),
    "fetches": ("", FETCHES),
    "hiz": ("", HIZ),
    "targets": ("gbuffer=4", HIZ),
    "samples": ("samples=4", HIZ),
    "overdraw": (OVERDRAW, FETCHES),
    "overdraw-hiz": (OVERDRAW, HIZ),
    "overdraw-samples": (f"{OVERDRAW},samples=4", HIZ),
    "small-hiz": (SMALL, HIZ),
    "small-undecided": (SMALL, f"{HIZ},immediate.depth_reads=undecided"),
}


def scenes_of(kind):
    """The recordings that a kind takes."""
    changes = TRIED[kind][0]
    return [f"{name},{changes}" if changes else name for name in NAMES]
