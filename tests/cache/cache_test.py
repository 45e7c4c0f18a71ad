# SPDX-License-Identifier: MIT
"""tbrsim cache: each policy against a plain reference to the last miss, the trace formats, and what is said
about malformed traces."""

import bz2
import gzip
import json
import lzma
import os
import pathlib
import random
import struct
import subprocess
import sys

import reference

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


def records(accesses, size=64):
    """libCacheSim's: time, object, size, next access."""
    return b"".join(struct.pack("<IQIq", now, address, size, -1) for now, (address, _) in enumerate(accesses))


def plain(accesses):
    return "".join(f"{'W' if write else 'R'} 0x{address:x}\n" for address, write in accesses).encode()


def din(accesses):
    return "".join(f"{1 if write else 0} {address:x}\n" for address, write in accesses).encode()


def dramsim3(accesses):
    """As tbrsim export writes it."""
    return "".join(f"0x{address:X} {'WRITE' if write else 'READ'} {number}\n"
                   for number, (address, write) in enumerate(accesses)).encode()


def ramulator(accesses):
    return "".join(f"0x{address:x} {'W' if write else 'R'}\n" for address, write in accesses).encode()


def ramulator2(accesses):
    """Decimal addresses, and hexadecimal ones."""
    return "".join(f"{'ST' if write else 'LD'} {address if number % 2 else hex(address)}\n"
                   for number, (address, write) in enumerate(accesses)).encode()


def lackey(accesses):
    return "".join(f" {'S' if write else 'L'} {address:08x},4\n" for address, write in accesses).encode()


def csv(accesses, header="time,object,size\n"):
    return (header + "".join(f"{now},{address},4\n" for now, (address, _) in enumerate(accesses))).encode()


class CacheTest(tbrsim.TestCase):
    def counts(self, trace, size=4096, ways=4, *options):
        """The object that is printed for a trace of these bytes."""
        result = self.fine("cache", "--size", size, "--ways", ways, *options, "--json", "-", data=trace)
        counts = json.loads(result)
        self.assertEqual(list(counts.pop("run")), ["schema", "tbrsim", "simulator"])
        return counts


class Policies(CacheTest):
    # Sets and ways.
    shapes = ((1, 1), (1, 4), (1, 16), (2, 2), (8, 4), (16, 8), (64, 2), (256, 4), (4, 6), (1, 33), (3, 4), (48, 2))

    def traces(self, blocks):
        """Accesses to blocks: patterns and random ones around a cache of so many blocks."""
        generator = random.Random(blocks)
        n = 3000
        wide, narrow = 4 * blocks + 3, blocks + blocks // 4 + 1
        phases = [generator.randrange(i // 500 * blocks, i // 500 * blocks + narrow) for i in range(n)]
        yield [(i % narrow, False) for i in range(n)]
        yield [(i % narrow if i // narrow % 2 else narrow - 1 - i % narrow, i % 3 == 0) for i in range(n)]
        yield [(generator.randrange(wide), generator.random() < 0.3) for _ in range(n)]
        yield [(min(int(generator.paretovariate(0.4)), 10**6), generator.random() < 0.1) for _ in range(n)]
        yield [(block, generator.random() < 0.5) for block in phases]
        # Scans between uses, in several of SHiP's regions.
        yield [(i * 7 % 20000 if i % 4 == 0 else generator.randrange(narrow), False) for i in range(n)]

    def check(self, policy):
        for sets, ways in self.shapes:
            if policy == "tree-plru" and ways & ways - 1 or policy.startswith("drrip") and sets & sets - 1:
                continue
            for index in ("modulo", "xor", "xor-fold", "ipoly") if sets in (8, 256) else ("modulo",):
                for accesses in self.traces(sets * ways):
                    expected = reference.simulate(policy, accesses, sets, ways, index)
                    got = self.counts(plain([(block * 64, write) for block, write in accesses]), 64 * sets * ways,
                                      ways, "--policy", policy, "--index", index)
                    self.assertEqual(got, expected, (policy, sets, ways, index))


def add_policy_test(policy):
    setattr(Policies, "test_" + policy.replace("-", "_"), lambda self: self.check(policy))


for each in [*reference.POLICIES, "perfect"]:
    add_policy_test(each)


class Streams(CacheTest):
    def test_policies_that_know_streams(self):
        """With accesses of 'the rest' alone, GSPC's policies are srrip; textures are another matter."""
        generator = random.Random(8)
        accesses = [(generator.randrange(6000), generator.random() < 0.3) for _ in range(60000)]
        trace = plain([(block * 64, write) for block, write in accesses])
        expected = reference.simulate("srrip", accesses, 256, 8)
        for policy in "gspztc", "gspztc-tse", "gspc":
            options = (131072, 8, "--policy", policy)
            for stream in "vertex", "stencil", "constant":
                self.assertEqual(self.counts(trace, *options, "--stream", stream), expected, (policy, stream))
            texture = self.counts(trace, *options, "--stream", "texture")
            self.assertNotEqual(texture, expected)
            self.assertEqual(self.counts(trace, *options), texture)
        drrip = reference.simulate("drrip", accesses, 256, 8)
        self.assertEqual(self.counts(trace, 131072, 8, "--policy", "gs-drrip", "--stream", "depth"), drrip)


class Formats(CacheTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(5)
        self.accesses = [(generator.randrange(1 << 14) & ~3, generator.random() < 0.2) for _ in range(20000)]
        self.expected = reference.simulate("lru", [(address // 64, write) for address, write in self.accesses], 16, 4)
        self.reads = [(address, False) for address, _ in self.accesses]
        self.expected_reads = dict(self.expected, writebacks=0)

    def test_formats(self):
        for name, trace, expected in (
                ("plain", plain(self.accesses), self.expected),
                ("din", din(self.accesses), self.expected),
                ("dramsim3", dramsim3(self.accesses), self.expected),
                ("ramulator", ramulator(self.accesses), self.expected),
                ("ramulator", ramulator2(self.accesses), self.expected),
                ("lackey", lackey(self.accesses), self.expected),
                ("csv", csv(self.accesses), self.expected_reads),
                ("csv", csv(self.accesses, ""), self.expected_reads),
                ("oraclegeneral", records(self.accesses, 4), self.expected_reads)):
            self.assertEqual(self.counts(trace), expected, name)
            self.assertEqual(self.counts(trace, 4096, 4, "--format", name), expected, name)

    def test_din(self):
        trace = b"2 1000 an instruction\n\n 0 1004\r\n3\t0x1040\n1 FFC0"
        self.assertEqual(self.counts(trace), dict(accesses=4, hits=1, misses=3, bypasses=0, writebacks=0))
        # The extended format has sizes: here of two and of 65 blocks.
        trace = b"r 103e 4\nw 0x0 1001\ni 1000 4 comment\nm fc0 1\n"
        self.assertEqual(self.counts(trace, 64 * 128, 2),
                         dict(accesses=2 + 65 + 1 + 1, hits=1 + 1 + 1, misses=66, bypasses=0, writebacks=0))

    def test_plain(self):
        trace = b"# a comment\n\nr 0x1000\n  W   0X1000  \nR 0xffffffffffff"
        self.assertEqual(self.counts(trace), dict(accesses=3, hits=1, misses=2, bypasses=0, writebacks=0))

    def test_dramsim3(self):
        """Its own operations, and those of DRAMsim2's traces."""
        trace = b"0x1fc0 READ 0\n0x1FC0 write 12\n1fc4 P_MEM_RD 13\n0x2000 P_FETCH 14\n0x2000 P_MEM_WR 15"
        self.assertEqual(self.counts(trace), dict(accesses=5, hits=3, misses=2, bypasses=0, writebacks=0))

    def test_ramulator_cpu(self):
        """Instructions before it, what is read, what is written back."""
        generator = random.Random(10)
        accesses, lines = [], []
        for number in range(20000):
            read, write = (generator.randrange(1 << 14) * 64 + (1 << 20) for _ in range(2))
            both = number % 3 == 0
            accesses += [(read // 64, False)] + [(write // 64, True)] * both
            lines.append(f"{generator.randrange(9)} {read}" + f" {write}" * both)
        trace = "\n".join(lines).encode()
        for size, options in (65536, ()), (4096, ("--format", "ramulator-cpu")):
            self.assertEqual(self.counts(trace, size, 4, *options),
                             reference.simulate("lru", accesses, size // 256, 4), size)
        # Where a line could be din's, one that cannot be says what the trace is.
        self.assertEqual(self.counts(b"1 20734016\n3 20846400\n27 20734016\n")["accesses"], 3)
        # Second accesses that do not fit into a batch with the first.
        self.assertEqual(self.counts(b"9 65536 131072\n" * 10001),
                         dict(accesses=20002, hits=20000, misses=2, bypasses=0, writebacks=0))

    def test_lackey(self):
        """What valgrind 3.19 writes; a modification is a read and a write."""
        trace = (b"==11807== Lackey, an example Valgrind tool\n==11807== Command: true\n==11807== \n"
                 b"I  0401ab70,3\n S 1fff000718,8\n M 1fff00073e,4\nI  0401ab7e,4\n L 1fff000710,8\n"
                 b"==11807== \n==11807== Exit code:       0\n")
        self.assertEqual(self.counts(trace), dict(accesses=9, hits=5, misses=4, bypasses=0, writebacks=0))

    def test_csv(self):
        """Columns are those that the header names; libCacheSim's tracePrint writes the first of these."""
        expected = dict(accesses=4, hits=1, misses=3, bypasses=0, writebacks=0)
        for trace in (b"clock_time,obj_id,obj_size,next_access_vtime\n0,32,128,-1\n1,0,0,-1\n",
                      b"Size, Object\r\n128, 32\r\n0,0x0\r\n", b"7,32,128\n8,0,0\n", b"7,32,128,60\n8,0,0,60\n"):
            self.assertEqual(self.counts(trace), expected, trace)
        self.assertEqual(self.counts(b"object\n64\n100\n128\n")["misses"], 2)
        names = [2**64 - 1, 5, 2**64 - 1, 2**63]
        trace = "".join(f"{now},{name},70000\n" for now, name in enumerate(names)).encode()
        self.assertEqual(self.counts(trace, 4096, 4, "--objects"),
                         dict(accesses=4, hits=1, misses=3, bypasses=0, writebacks=0))

    def test_byte_order_mark(self):
        for trace in (din, plain, csv):
            self.assertEqual(self.counts(b"\xef\xbb\xbf" + trace(self.accesses)),
                             self.expected_reads if trace is csv else self.expected)

    def test_many_comments(self):
        self.assertEqual(self.counts(b"# a header\n" * 1000 + ramulator(self.accesses)), self.expected)

    def test_streams(self):
        # The block is dirty when it is invalidated, and there no more.
        trace = b"F\nW 0x1000 color\nR 0x1000 texture\nI 0x1000 0x1040\nR 0x1000 texture\nF\n"
        for policy in ("lru", "opt"):
            counts = self.counts(trace, 4096, 4, "--policy", policy)
            self.assertEqual(counts, dict(accesses=3, hits=1, misses=2, bypasses=0, writebacks=1, streams=dict(
                color=dict(accesses=1, hits=0, misses=1, bypasses=0, writebacks=1),
                texture=dict(accesses=2, hits=1, misses=1, bypasses=0, writebacks=0))))
        counts = self.counts("".join(f"{'W' if write else 'R'} 0x{address:x} hiz\n" for address, write in self.accesses)
                             .encode())
        self.assertEqual(counts.pop("streams"), {"hiz": counts})
        self.assertEqual(counts, self.expected)

    def test_records(self):
        # 128 bytes from the middle of a block: three of them.
        trace = records([(32, False)], 128) + records([(0, False)], 0)
        self.assertEqual(self.counts(trace), dict(accesses=4, hits=1, misses=3, bypasses=0, writebacks=0))
        # More blocks than are read at a time.
        trace = records([(0, False)], 64 * 100000)
        self.assertEqual(self.counts(trace)["accesses"], 100000)

    def test_objects(self):
        """Objects by name are blocks, as libCacheSim's are with sizes ignored."""
        generator = random.Random(6)
        names = [generator.randrange(2**64) for _ in range(200)] + list(range(100))
        accesses = [(generator.choice(names), False) for _ in range(10000)]
        expected = reference.simulate("lru", accesses, 1, 64)
        self.assertEqual(self.counts(records(accesses, 123456), 64 * 64, 64, "--objects"), expected)

    def test_addresses_of_64_bits(self):
        """Of a kernel, the vsyscall page, and with tags, among others: each block is one, and no two are the same."""
        generator = random.Random(11)
        low = [generator.randrange(1 << 40) for _ in range(60)]
        bases = [0xffff888000001000, 0xffffffffff600000, 2**64 - 4096, 0xb400007000001000, 2**63, 2**62, 2**61]
        bases += [address | tag << 56 for address in low[:20] for tag in (0x3f, 0x40, 0x7f, 0x80, 0xbf, 0xff)]
        blocks = [address // 64 for address in low + bases] + [address // 64 + 1 for address in bases]
        accesses = [(generator.choice(blocks), generator.random() < 0.3) for _ in range(20000)]
        for write, policy, sets, ways, index in (
                (plain, "lru", 1, 512, "modulo"), (din, "opt", 4, 8, "modulo"), (dramsim3, "srrip", 16, 4, "xor")):
            trace = write([(block * 64 + 8, written) for block, written in accesses])
            expected = reference.simulate(policy, accesses, sets, ways, index)
            got = self.counts(trace, 64 * sets * ways, ways, "--policy", policy, "--index", index)
            self.assertEqual(got, expected, (policy, sets, index))
        self.assertEqual(self.counts(plain([(block * 64, False) for block in blocks]), 65536, 1024)["misses"],
                         len(set(blocks)))

    def test_largest_addresses(self):
        """Blocks of other sizes; accesses over the end of a region of numbers; the last byte."""
        for block in (16, 64, 256, 4096):
            trace = b"r ffffffffffffffff 1\nr fffffffffffffff0 10\nr 7fffffffffffffff 2\nr 8000000000000000 1\n"
            self.assertEqual(self.counts(trace, 64 * block, 4, "--block", block),
                             dict(accesses=5, hits=2, misses=3, bypasses=0, writebacks=0), block)
        trace = (b"W 0xffff888000001000 color\nI 0xffff888000001000 0xffff888000001040\n"
                 b"R 0xffff888000001000 texture\nR 0xffff888000001000 texture\n")
        counts = self.counts(trace)
        self.assertEqual((counts["misses"], counts["hits"], counts["writebacks"]), (2, 1, 1))

    def test_compressed(self):
        zstd = lambda data: subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout
        for trace, expected in ((plain(self.accesses), self.expected),
                                (records(self.accesses, 4), self.expected_reads)):
            middle = len(trace) // 48 * 24
            for compress in (gzip.compress, lzma.compress, zstd):
                self.assertEqual(self.counts(compress(trace)), expected)
                # Several parts, one after the other, are one trace.
                self.assertEqual(self.counts(compress(trace[:middle]) + compress(trace[middle:])), expected)

    def test_files_and_table(self):
        path = self.path("trace", plain(self.accesses))
        result = self.fine("cache", "--size", "4K", "--ways", 4, "--block", 64, "--policy", "lru", path)
        table = {line.split()[0]: int(line.split()[1]) for line in result.splitlines()}
        self.assertEqual(table, self.expected)

    def test_same_from_pipe(self):
        """Input that comes in small pieces."""
        reader, writer = os.pipe()
        process = tbrsim.start("cache", "--size", "4096", "--ways", "4", "--json", "-", stdin=reader,
                               stdout=subprocess.PIPE)
        os.close(reader)
        with open(writer, "wb", buffering=0) as pipe:
            trace = plain(self.accesses)
            for begin in range(0, len(trace), 997):
                pipe.write(trace[begin:begin + 997])
        counts = json.loads(process.communicate()[0])
        self.assertEqual({name: counts[name] for name in self.expected}, self.expected)


class Words(CacheTest):
    def test_sizes_and_names_as_others_write_them(self):
        generator = random.Random(9)
        accesses = [(generator.randrange(200), generator.random() < 0.3) for _ in range(2000)]
        trace = plain([(block * 64, write) for block, write in accesses])
        for size in "4k", "4K", "4KB", "4kib", "4096B":
            self.assertEqual(self.counts(trace, size, 4), reference.simulate("lru", accesses, 16, 4), size)
        for policy, name in ("LRU", "lru"), ("belady", "opt"), ("MIN", "opt"), ("plru", "tree-plru"):
            self.assertEqual(self.counts(trace, 4096, 4, "--policy", policy),
                             reference.simulate(name, accesses, 16, 4), policy)
        for ways in "full", "FULL":
            self.assertEqual(self.counts(trace, 4096, ways), reference.simulate("lru", accesses, 1, 64))


class BadInput(CacheTest):
    def refused(self, status, pattern, *words, data=""):
        result = super().refused(status, pattern, "cache", *words, data=data)
        self.assertEqual(result.stdout, "")

    def malformed(self, trace, pattern, *options):
        self.refused(1, "standard input" + pattern, "--size", 4096, "--ways", 4, *options, "-", data=trace)

    def refused_options(self, pattern, *arguments):
        self.refused(2, pattern, *arguments, data=b"R 0x0\n")

    def test_lines(self):
        self.malformed(b"R 0x0\nR 0x40\nX 0x80\n", ":3: 'X 0x80', expected \"R 0xADDRESS\"")
        self.malformed(b"R 0x0\nR 40\n", ":2: 'R 40', expected")
        self.malformed(b"R 0x0\nR 0x40 8\n", ":2: 'R 0x40 8', expected")
        self.malformed(b"R 0x0\nR 0x10000000000000000\n", ":2: ")
        self.malformed(b"R 0x0\nW\n", ":2: ")
        self.malformed(b"R 0x0\nR 0x4g\n", ":2: ")
        self.malformed(b"R 0x0\nR 0x4\x00\n", ":2: 'R 0x4\\?'", "--format", "plain")
        self.malformed(b"R 0x0 texture\nR 0x40 moon\n", ":2: 'moon', expected the name of a stream")
        self.malformed(b"R 0x0 texture\nR 0x40\n", ":2: '', expected the name of a stream")
        self.malformed(b"F\nI 0x40\n", ":2: 'I 0x40', expected \"I 0xBEGIN 0xEND\"")
        self.malformed(b"F\nI 0x40 0x0\n", ":2: ")
        self.malformed(b"F\nX\n", ":2: 'X', expected \"R|W 0xADDRESS STREAM\"".replace("|", "\\|"))
        self.malformed(b"0 0\n\n7 40\n", ":3: '7 40', expected \"LABEL ADDRESS\"")
        self.malformed(b"0 0\n0\n", ":2: ")
        self.malformed(b"0 0\n0 zz\n", ":2: '0 zz' has no hexadecimal address")
        self.malformed(b"0 0\n4 0\n", ":2: label 4: flushes")
        self.malformed(b"r 0 4\nr 0\n", ":2: 'r 0' has no hexadecimal size")
        self.malformed(b"r 0 4\nr ffffffffffffffff 2\n", ":2: .* beyond the largest address")
        self.malformed(b"r 0 4\nr 1000 ffffffffffffffff\n", ":2: .* beyond the largest address")
        self.malformed(b"r 0 4\nr 0 ffffffffffffffff\n", ":2: .* is larger than anything at such an address")
        self.malformed(b"0x0 READ 0\n0x0 READ\n", ":2: '0x0 READ' has no decimal cycle")
        self.malformed(b"0x0 READ 0\n0x0 REED 1\n", ":2: '0x0 REED 1', expected \"0xADDRESS READ|WRITE CYCLE\""
                       .replace("|", "\\|"))
        self.malformed(b"LD 0x0\nLD 0x0 4\n", ":2: 'LD 0x0 4', expected")
        self.malformed(b"LD 0x0\nLD 18446744073709551616\n", ":2: ")
        self.malformed(b"99 65536\n1 65536 1 1\n", ":2: '1 65536 1 1', expected")
        self.malformed(b" L 40,4\n L 40\n", ":2: 'L 40', expected")
        self.malformed(b" L 40,4\n L 40 ,4\n", ":2: ")
        self.malformed(b"1,2,3\n1,2\n", ":2: '1,2' has no number as its size")
        self.malformed(b"0 0\n" + b"x" * 200000, ":2: the line is longer than 65536 bytes")
        self.malformed(b"R 0x0\n" * 10000 + b"R 4", ":10001: ")

    def test_records(self):
        generator = random.Random(13)
        good = records([(0, False)] * 1000)
        self.malformed(good[:-7], ": record 1000 \\(byte 23976\\): the trace ends within it, after 17 of 24 bytes")
        self.malformed(good[:5], ": record 1 \\(byte 0\\): ", "--format", "oraclegeneral")
        names = records([(generator.randrange(2**64), False) for _ in range(10000)], 4)
        self.malformed(names, ": record .*more than 1024 regions.*: no addresses .--objects")
        self.malformed(good + records([(2**64 - 1, False)]), ": record 1001 \\(byte 24000\\): object 0xf+ of 64 bytes")

    def test_no_trace(self):
        self.malformed(b"", ": the trace is empty")
        self.malformed(gzip.compress(b""), ": the trace is empty")
        for options in (), ("--format", "din"):
            self.malformed(b"\n\n", ": the trace has no accesses", *options)
            self.malformed(b"# only a comment\n", ": the trace has no accesses", *options)
        self.malformed(b"# comment\n" * 10000, ": the trace has no accesses", "--format", "din")
        self.malformed(b"# comment\n" * 10000, ": begins with comments alone")
        self.malformed(b"F\nF\n", ": the trace has no accesses")
        self.malformed(b"I 0x0 0x40\n", ": the trace has no accesses")
        self.malformed(b"==12== Lackey\n==12==\n", ": the trace has no accesses", "--format", "lackey")

    def test_what_it_is(self):
        """What is no trace is named, rather than read as something else."""
        self.malformed(bz2.compress(b"0 1000\n"), ": compressed with bzip2, which is not read")
        self.malformed(b"\x04\x22\x4d\x18" + b"\x40" * 40, ": compressed with lz4")
        self.malformed("0 1000\n".encode("utf-16"), ": text in UTF-16")
        self.malformed(b"PK\x03\x04" + b"\x00" * 20, ": not an address trace but a ZIP archive")
        # Zeros have times that do not go back, but next accesses that do; five bytes are no record.
        for nothing in (random.Random(12).randbytes(2400), bytes(2400), "0\u00a01fc0\n".encode(), b"0 1fc0\f\n"):
            self.malformed(nothing, ": neither text nor records of oraclegeneral")
        for options in (), ("--format", "din"):
            self.malformed(b"0 1fc0\r1 2000\r", ": lines that end with carriage returns alone", *options)
        self.assertEqual(self.counts(b"0 1fc0\r\n1 2000\r\r\n")["accesses"], 2)
        self.malformed(b"LBTBRREC"[:4] + b"hello\n", ": 'LBTBhello' is a line of no known format")
        self.malformed(b"R 0,0,1,5,20\n", ":1: .*are no addresses", "--format", "ramulator")
        self.malformed(b"1,33898,2a,512,42932745\n", ": '1,33898,2a,512,42932745' is a line of no known format")
        self.malformed(b"version,time,op,size,lbn\n1,33898,2a,512,42932745\n",
                       ": 'version,time,op,size,lbn' is a line of no known format")
        self.malformed(b"1,2,3,4,5\n", ":1: '1,2,3,4,5': which of its columns is the object")
        self.malformed(b"time,object,size\n1,key,3\n", ":2: '1,key,3' has no number as its object")

    def test_din_or_ramulator(self):
        """Lines that can be both are not taken for one of them, unless short numbers leave no doubt."""
        for trace in (b"3 20734016\n1 20846400 20734016\n", b"1 20734016\n", b"2 123457\n" * 100):
            self.malformed(trace, ": it can be of the formats din and ramulator-cpu; --format says which")
            self.assertEqual(self.counts(trace, 4096, 4, "--format", "din")["accesses"], trace.count(b"\n"))
        # With 0x, a second address tells.
        trace = b"3 0x40000 0x80000\n1 0x40\n"
        self.malformed(trace, ": it can be of the formats din and ramulator-cpu; --format says which")
        self.assertEqual(self.counts(trace, 4096, 4, "--format", "ramulator-cpu")["accesses"], 3)
        self.assertEqual(self.counts(b"9 0x40000 0x80000\n1 64 0x80000\n")["accesses"], 4)
        for trace in (b"0 0x12345678\n" * 100, b"0 1000\n1 2000 4\n", b"0 40\n" * 1000, b"1 20734010\n", b"1 123450\n0 fc0\n" * 100):
            self.assertEqual(self.counts(trace), self.counts(trace, 4096, 4, "--format", "din"))
        self.refused(1, "/none: cannot be opened: No such file", "--size", 4096, "--ways", 4, "/none")
        self.refused(1, "cannot be read: Is a directory", "--size", 4096, "--ways", 4, "/tmp")

    def test_damaged(self):
        generator = random.Random(7)
        trace = records([(generator.randrange(1 << 30), False) for _ in range(20000)])
        zstd = subprocess.run(["zstd", "-q", "-c", "--check"], input=trace, capture_output=True, check=True).stdout
        for name, data in ("gzip", gzip.compress(trace)), ("xz", lzma.compress(trace)), ("zstd", zstd):
            self.malformed(data[:len(data) // 2], f": its {name} data is cut off")
            self.malformed(data[:12], f": its {name} data is cut off")
            flipped = bytearray(data)
            flipped[len(data) // 2] ^= 0x55
            self.malformed(bytes(flipped), f": (its {name} data is damaged|record)")

    def test_options(self):
        self.refused_options("no trace", "--size", 4096, "--ways", 4)
        self.refused_options("more than one trace", "--size", 4096, "--ways", 4, "-", "-")
        self.refused_options("--ways is missing", "--size", 4096, "-")
        self.refused_options("--ways 0: expected at least 1, or full", "--size", 4096, "--ways", 0, "-")
        self.refused_options("--size is missing", "--ways", 4, "-")
        self.refused_options("--size 0: expected at least one block", "--size", 0, "--ways", 4, "-")
        self.refused_options("2 caches; expected one", "--size", "4K,8K", "--ways", 4, "-")
        self.refused_options("--size 4x: expected a number", "--size", "4x", "--ways", 4, "-")
        self.refused_options("--size 4G: expected a number", "--size", "4G", "--ways", 4, "-")
        self.refused_options("--size: 4000 is no multiple", "--size", 4000, "--ways", 4, "-")
        for policy in ("dead-lru", "tcor"):
            self.refused_options(f"--policy: {policy} needs the finished tiles", "--size", 4096, "--ways", 4, "--policy",
                                 policy, "-")
        self.refused_options("--size: 12288 makes 48 sets", "--size", 12288, "--ways", 4, "--policy", "drrip", "-")
        self.refused_options("--ways: 524288 is out of range", "--size", "32M", "--ways", 524288, "-")
        self.refused_options("--block 48: expected a power of two", "--size", 4096, "--ways", 4, "--block", 48, "-")
        self.refused_options("--policy clock: expected one of: lru, mru, fifo", "--size", 4096, "--ways", 4,
                             "--policy", "clock", "-")
        self.refused_options("--policy: tree-plru makes no tree of 3 ways", "--size", 3072, "--ways", 3, "--policy",
                             "tree-plru", "-")
        self.refused_options("--policy: gspc learns in one of 64 sets of each of 4 banks, expected at least 256 sets, "
                             "not 128", "--size", "64K", "--ways", 8, "--policy", "gspc", "-")
        self.refused_options("--stream colour .did you mean color..: expected one of: vertex, index", "--size", 4096, "--ways", 4,
                             "--stream", "colour", "-")
        self.refused_options("--index prime: expected one of: modulo, xor", "--size", 4096, "--ways", 4, "--index",
                             "prime", "-")
        self.refused_options("--format elf: expected one of: auto, din", "--size", 4096, "--ways", 4, "--format",
                             "elf", "-")
        self.refused(1, "--objects: plain has addresses", "--size", 4096, "--ways", 4, "--objects", "-", data=b"R 0x0\n")
        self.refused_options("unknown option '--sice'", "--sice", 4096, "-")
        self.refused_options("--size needs a value", "--size")


if __name__ == "__main__":
    tbrsim.main()
