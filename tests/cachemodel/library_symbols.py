#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cache model prints nothing and ends no process: what its objects call, as nm lists it.

Whoever uses the library gets what went wrong as a return value or as a message (util/message.h).
"""
import re
import subprocess
import sys

FORBIDDEN = re.compile(r'(__)?(stderr|stdout|abort|_?exit|_Exit|quick_exit|v?printf|v?dprintf|puts|putchar|perror|'
                       r'err|errx|warn|warnx|v?syslog)(_chk)?')


def undefined_symbols(library):
    """(object, symbol) of each symbol that an object of the library takes from elsewhere."""
    result = subprocess.run(['nm', '--undefined-only', library], check=True, capture_output=True, text=True)
    name = ''
    for line in result.stdout.splitlines():
        words = line.split()
        if line.endswith(':'):
            name = line[:-1]
        elif len(words) == 2 and words[0] == 'U':
            yield name, words[1].split('@')[0]


def main():
    symbols = list(undefined_symbols(sys.argv[1]))
    # nm has read the library: it has many objects, and they allocate memory.
    if len({name for name, symbol in symbols if symbol in ('malloc', 'calloc', 'realloc')}) < 20:
        sys.exit(f'library_symbols: {sys.argv[1]} is not the library')
    found = [f'{name} uses {symbol}' for name, symbol in symbols if FORBIDDEN.fullmatch(symbol)]
    if found:
        sys.exit('\n'.join(['the library prints or ends the process (see util/message.h):', *found]))


main()
