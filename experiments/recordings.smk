# SPDX-License-Identifier: MIT
"""What all experiments begin with: each capture is recorded once, and everything is simulated from the recordings.

Configuration: traces, a directory of captures (*.trace); recordings, where the recordings go; record_frames, A-B where
not all frames are to be recorded; tbrsim, the command.
"""
import pathlib
import sys

if "traces" not in config:
    sys.exit("no captures: --config traces=DIR, a directory of *.trace")
TRACES = pathlib.Path(config["traces"])
RECORD = ""
RECORDINGS = pathlib.Path(config.get("recordings", "build/experiments/recordings"))
if "record_frames" in config:
    RECORD = f"--frames {config['record_frames']}"
    RECORDINGS /= config["record_frames"]
TBRSIM = config.get("tbrsim", "build/bin/tbrsim")
NAMES = sorted(path.stem for path in TRACES.glob("*.trace"))
if not NAMES:
    sys.exit(f"{TRACES}: no *.trace there")


def source(name):
    """A file beside the Snakefile, where it is: Snakemake's copies (workflow.source_path) find no other files."""
    return str(pathlib.Path(workflow.basedir) / name)


# The papers' GPU tests depth early and removes no other hidden surfaces (boustrophedonic frames II-A, TCOR II-A).
COMMON = "--set mode=tbr"


rule record:
    input:
        TRACES / "{name}.trace",
    output:
        RECORDINGS / "{name}.tbr",
    log:
        RECORDINGS / "{name}.log",
    params:
        out=lambda wildcards: RECORDINGS / wildcards.name,
    shell:
        "{TBRSIM} replay --no-model {RECORD} --record {output} --out {params.out} {input} >{log} 2>&1"
