# SPDX-License-Identifier: MIT
"""Whether memory is flat. A program's memory has steps: caches fill, threads get arenas, the heap is in pieces. A leak has
none, it goes on. So the first part of a run is left out, the rest is cut into thirds, and the medians of the last two are
compared: what all steps have to be over by then, and a leak adds to with every frame. A single high sample changes no median.

The last third may have RELATIVE of the middle one's and ABSOLUTE more, and what queues hold. ABSOLUTE is what each of eight
threads' heaps grows by in one step and keeps when it is empty (malloc's M_TOP_PAD and M_TRIM_THRESHOLD, 128 KiB each), and the
buffers of one window that soak.c makes larger and smaller (2 MiB); RELATIVE is by how much a heap in pieces varies from cycle to
cycle. With the model, tiles' events wait for it, up to 16 MiB
(MAX_WAITING_EVENT_BYTES of tbr_renderer.c); how many do depends on the load of the machine. From the middle third's middle to
the last one's are two ninths of a run: N seconds find a leak of what is allowed / (2 N / 9) a second and more."""

import statistics

SETTLING = 1 / 3  # of a run, which is left out
RELATIVE = 0.02
ABSOLUTE = 4096  # KiB
QUEUED = 16384  # KiB


def allowed(kib, queued=0):
    """How many KiB a third of so many may have more than the one before."""
    return RELATIVE * kib + ABSOLUTE + queued


def thirds(samples):
    """The medians of the thirds of what follows the settling: samples are (time, KiB)."""
    begin, end = samples[0][0], samples[-1][0]
    settled = begin + SETTLING * (end - begin)
    length = (end - settled) / 3
    medians = []
    for third in range(3):
        within = [kib for time, kib in samples if settled + third * length <= time <= settled + (third + 1) * length]
        if not within:
            raise ValueError(f"too few samples: {len(samples)}")
        medians.append(statistics.median(within))
    return medians


def verdict(samples, queued=0):
    """(whether it is flat, what there is to say)."""
    _, middle, last = thirds(samples)
    most = allowed(middle, queued)
    return (last - middle <= most,
            f"{middle:.0f} KiB, then {last:.0f} KiB: {last - middle:+.0f}, where {most:.0f} are allowed")
