#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The graph of src/cachemodel's folders, from its #include lines, and that of the driver's.

docs/architecture.md lists the folders, lowest first. A folder includes headers of its own and of
lower ones only, so that there are no circles. Headers that are named *_internal.h, and those that
include one, are private: to their folder and the folders in it.

The driver's folders likewise, the folders in one being part of it.
"""
import os
import posixpath
import re
import sys

MODEL = 'src/cachemodel'
DRIVER = 'src/gallium/drivers/tbrsim'
USERS = ['src/tools', 'src/gallium', 'bench', 'tests']
# Files that docs/extending.md adds to the model.
EXAMPLES = 'tests/extending/src/cachemodel'
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def documented_layers(text, top):
    """The folders below top in the source layout of docs/architecture.md, lowest first."""
    part = re.search(f'^{top}/.*?\\n((?: .*\\n)+)', text, re.MULTILINE)
    rows = re.findall(r'^    ([a-z_/]+(?:, [a-z_/]+)*) ', part.group(1) if part else '', re.MULTILINE)
    return [name.rstrip('/') for row in rows for name in row.split(', ')]


def circle_of(edges):
    """Folders along a circle, the first one again at its end; [] if there is none."""
    done = set()

    def walk(folder, path):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        for other in sorted(edges.get(folder, {})):
            found = walk(other, path + [folder])
            if found:
                return found
        done.add(folder)
        return []

    for folder in sorted(edges):
        found = walk(folder, [])
        if found:
            return found
    return []


def private_headers(model):
    private = {name for name in model if name.endswith('_internal.h')}
    while True:
        more = {name for name, text in model.items()
                if name.endswith('.h') and private.intersection(INCLUDE.findall(text))} - private
        if not more:
            return private
        private |= more


def undocumented(folders, layers, top):
    """Folders that are not listed, and listed ones that do not exist."""
    return [f'{folder or top}/ is {"not in" if folder in folders else "only in"} the list of docs/architecture.md'
            for folder in sorted(folders.symmetric_difference(layers))]


def check_driver(driver, layers):
    """What is wrong: includes against the order of the folders, those in folders being part of these. The top is lowest."""
    problems = undocumented({posixpath.dirname(name) for name in driver} - {''}, layers, DRIVER)
    order = [''] + [layer for layer in layers if '/' not in layer]
    folders = {name: posixpath.dirname(name).partition('/')[0] for name in driver}
    for name, text in sorted(driver.items()):
        for header in INCLUDE.findall(text):
            if {folders[name], folders.get(header)}.issubset(order) and \
                    order.index(folders[header]) > order.index(folders[name]):
                problems.append(f'{folders[name] or DRIVER}/ is below {folders[header]}/, but {name} includes {header}')
    return problems


def check(model, users, generated, layers):
    """What is wrong. model, users: texts by path, the model's below src/cachemodel."""
    problems, edges = [], {}
    private = private_headers(model)
    for name, text in sorted({**users, **model}.items()):
        folder = posixpath.dirname(name)
        for header in INCLUDE.findall(text):
            to = posixpath.dirname(header)
            if header not in model:
                if name in model and header not in generated:
                    problems.append(f'{name}: "{header}" is no path of a header below {MODEL}')
                continue
            if header in private and name not in model or \
                    header in private and folder != to and not folder.startswith(to + '/'):
                problems.append(f'{name} includes {header}, which is private to {to}/')
            if name in model and folder != to:
                edges.setdefault(folder, {}).setdefault(to, f'{name} includes {header}')

    circle = circle_of(edges)
    if circle:
        problems.append('a circle: ' + ' → '.join(circle))
        problems += [f'   {edges[a][b]}' for a, b in zip(circle, circle[1:])]

    problems += undocumented({posixpath.dirname(name) for name in model}, layers, MODEL)
    for folder, others in sorted(edges.items()):
        for to, example in sorted(others.items()):
            if folder in layers and to in layers and layers.index(to) > layers.index(folder):
                problems.append(f'{folder}/ is below {to}/, but {example}')
    return problems


def check_itself():
    """The checks find what they are for."""
    layers = ['low', 'high', 'high/part']
    good = {'low/a.h': '', 'low/a_internal.h': '#include "low/a.h"\n', 'low/a.c': '#include "low/a_internal.h"\n',
            'high/b.h': '#include "low/a.h"\n#include "rows.inc"\n', 'high/b_internal.h': '',
            'high/part/c.c': '  # include "high/b_internal.h"\n#include "low/a.h"\n#include <stdio.h>\n'}
    cases = [
        ({}, {}, ''),
        ({'low/a.h': '#include "high/b.h"\n'}, {}, 'a circle: high → low → high'),
        ({'low/b.c': '#include "high/part/d.h"\n', 'high/part/d.h': ''}, {}, 'low/ is below high/part/'),
        ({'high/b.c': '#include "low/a_internal.h"\n'}, {}, 'private to low/'),
        ({'low/wrapper.h': '#include "low/a_internal.h"\n', 'high/b.c': '#include "low/wrapper.h"\n'}, {},
         'high/b.c includes low/wrapper.h, which is private to low/'),
        ({}, {'src/tools/t.c': '#include "low/a_internal.h"\n'}, 'private to low/'),
        ({'high/b.c': '#include "b.h"\n'}, {}, '"b.h" is no path'),
        ({'new/e.c': ''}, {}, 'new/ is not in the list'),
        ({'e.c': ''}, {}, 'src/cachemodel/ is not in the list'),
    ]
    for changes, users, expected in cases:
        problems = check({**good, **changes}, users, {'rows.inc'}, layers)
        if (expected not in '\n'.join(problems)) if expected else problems:
            sys.exit(f'include_graph: expected "{expected}", found {problems}')
    assert check(good, {}, {'rows.inc'}, layers + ['gone']) == ['gone/ is only in the list of docs/architecture.md']
    assert documented_layers('x/  y\nsrc/top/  all\n    a/  b\n      more/ c\n    d/, d/e/  f\ng/\n', 'src/top') == \
        ['a', 'd', 'd/e']
    driver = {'t.h': '', 'low/a.h': '#include "t.h"\n', 'high/c.h': '#include "high/part/b.h"\n',
              'high/part/b.h': '#include "low/a.h"\n#include "high/c.h"\n#include "util/list.h"\n'}
    assert not check_driver(driver, layers)
    assert check_driver({**driver, 't.h': '#include "low/a.h"\n'}, layers) == [
        f'{DRIVER}/ is below low/, but t.h includes low/a.h']
    assert check_driver({**driver, 'low/a.h': '#include "high/part/b.h"\n'}, layers) == [
        'low/ is below high/, but low/a.h includes high/part/b.h']
    assert check_driver({**driver, 'new/d.c': '#include "high/c.h"\n'}, layers) == [
        'new/ is not in the list of docs/architecture.md']


def texts_below(top, folder, relative_to):
    texts = {}
    for directory, _, files in os.walk(os.path.join(top, folder)):
        for file in files:
            if file.endswith(('.c', '.h')):
                path = os.path.join(directory, file)
                with open(path, encoding='utf-8') as text:
                    texts[os.path.relpath(path, os.path.join(top, relative_to))] = text.read()
    return texts


def main():
    top = sys.argv[1]
    check_itself()
    model = {**texts_below(top, MODEL, MODEL), **texts_below(top, EXAMPLES, EXAMPLES)}
    users = {name: text for folder in USERS for name, text in texts_below(top, folder, '').items()
             if not name.startswith(EXAMPLES)}
    with open(os.path.join(top, MODEL, 'meson.build'), encoding='utf-8') as text:
        generated = set(re.findall(r"output : '([^']+)'", text.read()))
    with open(os.path.join(top, 'docs/architecture.md'), encoding='utf-8') as text:
        layout = text.read()
    layers, driver_layers = documented_layers(layout, MODEL), documented_layers(layout, DRIVER)
    driver = texts_below(top, DRIVER, DRIVER)
    problems = check(model, users, generated, layers)
    problems += check_driver(driver, driver_layers)
    for problem in problems:
        print(problem)
    if not problems:
        print(f'{len(model)} files in {len(layers)} folders, no circle: ' + ' < '.join(layers))
        print(f'driver: {len(driver)} files in {len(driver_layers)} folders, none includes a higher one: ' +
              ' < '.join(driver_layers))
    sys.exit(1 if problems else 0)


main()
