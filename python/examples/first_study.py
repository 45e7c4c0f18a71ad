# SPDX-License-Identifier: MIT
"""A first study: how large the L2 of a phone's GPU should be, and which policy it needs.

Cells (# %%) run one by one in Jupyter, VS Code or Spyder; all at once with

    PYTHONPATH=python python3 python/examples/first_study.py

It leaves its files in first-study/ of the current directory.
"""
# %% What is needed
import pathlib

import tbrsim

OUT = pathlib.Path("first-study")
CHECKOUT = pathlib.Path(tbrsim.__file__).resolve().parents[2]
CAPTURE = CHECKOUT / "apitrace-replays" / "glmark2_shadow.trace"
SIZES = ["128K", "256K", "512K", "1M"]
POLICIES = ["lru", "drrip", "opt"]

# %% Render once: a capture is replayed and recorded
run = tbrsim.replay(CAPTURE, out=OUT / "live", record=OUT / "shadow.tbr")
live = run.wait(show=True)
recording = run.recording
print(recording)
print(recording.frames[["primitives", "fragments", "footprints"]])

# %% The events themselves: which draws shade how many fragments a primitive
draws = recording.events("draws", frames=0)
draws["a_primitive"] = draws["fragments"] / draws["primitives"]
print(draws.nlargest(5, "fragments")[["pass", "draw", "call", "primitives", "fragments",
                                      "a_primitive"]].round(1))

# %% What reads memory, in MiB a frame
streams = live.by_unit(events=("read_bytes", "write_bytes")).loc["dram"]
print((streams / live.num_frames / 2**20).round(2))

# %% A GPU of our own: TCOR's, with a slower clock and more ways
gpu = tbrsim.Configuration("tcor-64k", {"clock_mhz": 500})
gpu["l2.ways"] = 16
gpu.save(OUT / "mine.yaml")
print(gpu.differences(tbrsim.Configuration("tcor-64k")))

# %% Simulate many: all combinations in one go, the first frame fills the caches
simulations = tbrsim.sim(recording, out=OUT / "sim", config=gpu, warm_up=1,
                         vary={"l2.size": SIZES, "l2.policy": POLICIES}).wait(show=True)
table = simulations.table("dram.total.reads", "dram.total.writes")
table["accesses"] = (table["dram.total.reads"] + table["dram.total.writes"]) / table["frames"]
misses = table.pivot(index="l2.size", columns="l2.policy", values="accesses")[POLICIES]
print(misses.round(0))

# %% The texture cache's miss curves, without a simulation for each size
curves = tbrsim.sweep(recording.path, size=["8K", "16K", "32K", "64K"], ways=[2, 8],
                      policy=["lru", "opt"], stream="texture", warm_up=1)
print(curves.pivot(index="size_bytes", columns=["policy", "ways"], values="miss_ratio").round(4))

# %% Several runs at a time, with time and energy
with tbrsim.Pool(2) as pool:
    futures = {name: pool.submit(tbrsim.sim, recording, out=OUT / "timed" / name, config=name,
                                 timing=True, jobs=1) for name in ("tcor-baseline-64k", "tcor-64k")}
    pool.wait(show=True)
for name, future in futures.items():
    results = future.result()
    energy = results.energy()["total"].sum() / results.num_frames / 1e9
    print(f"{name}: {results.frames['fps'].mean():.0f} frames a second, {energy:.2f} mJ a frame")

# %% A plot, where matplotlib is installed (apt install python3-matplotlib)
try:
    import matplotlib
except ImportError:
    print("no plot: matplotlib is missing")
else:
    matplotlib.use("Agg")  # into a file; without this line in a notebook
    axes = misses.set_axis(misses.index // 1024).plot(marker="o", logx=True, figsize=(6, 3.2))
    axes.set_xlabel("L2, KiB")
    axes.set_ylabel("memory accesses a frame")
    axes.set_xticks(misses.index // 1024, misses.index // 1024)
    axes.set_ylim(bottom=0)
    axes.figure.tight_layout()
    axes.figure.savefig(OUT / "l2.png", dpi=120)
