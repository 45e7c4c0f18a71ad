# SPDX-License-Identifier: MIT
"""Blocks that the scenes' encoders of ETC2 and ASTC make, decoded by a driver: compressed_blocks compares them."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


def main():
    parser = tbrsim.command_line(__doc__, "program")
    parser.add_argument("driver")
    tbrsim.parse(parser)
    result = tbrsim.run("run", "--driver", tbrsim.arguments.driver, "--no-model", "--", tbrsim.arguments.program)
    print(result.stdout, result.stderr)
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
