# SPDX-License-Identifier: MIT
"""Caches written to be obviously right, from the policies' definitions (docs/caches.md) and not from the
library: simulate(policy, accesses, sets, ways) counts what `tbrsim cache --json` prints."""


class Policy:
    """What a set does with its ways. `now` is the number of the access."""

    def __init__(self, sets, ways):
        self.sets, self.ways = sets, ways
        self.state = [[0] * ways for _ in range(sets)]

    def hit(self, number, way, block, now):
        pass

    def victim(self, number, blocks, block, now):
        """The way that a full set gives up; None: the block passes by."""
        raise NotImplementedError

    def fill(self, number, way, block, now):
        pass


class LeastRecentlyUsed(Policy):
    def hit(self, number, way, block, now):
        self.state[number][way] = now

    fill = hit

    def victim(self, number, blocks, block, now):
        return self.state[number].index(min(self.state[number]))


class MostRecentlyUsed(LeastRecentlyUsed):
    def victim(self, number, blocks, block, now):
        return self.state[number].index(max(self.state[number]))


class FirstInFirstOut(LeastRecentlyUsed):
    def hit(self, number, way, block, now):
        pass

    def fill(self, number, way, block, now):
        self.state[number][way] = now


class Random(Policy):
    """xorshift64*, a number an eviction."""

    def __init__(self, sets, ways):
        super().__init__(sets, ways)
        self.generator = 0x9e3779b97f4a7c15

    def victim(self, number, blocks, block, now):
        x = self.generator
        x ^= x >> 12
        x = (x ^ x << 25) % 2**64
        x ^= x >> 27
        self.generator = x
        return (x * 0x2545f4914f6cdd1d % 2**64 >> 32) * self.ways >> 32


class NotRecentlyUsed(Policy):
    """State: whether the block was used since all were marked unused."""

    def hit(self, number, way, block, now):
        self.state[number][way] = True

    fill = hit

    def victim(self, number, blocks, block, now):
        if all(self.state[number]):
            self.state[number] = [False] * self.ways
        return self.state[number].index(False)


class Tree(Policy):
    """Each node, named by its range of ways, knows which half was used last."""

    def __init__(self, sets, ways):
        super().__init__(sets, ways)
        self.upper_half_last = {}

    def hit(self, number, way, block, now):
        low, high = 0, self.ways
        while high - low > 1:
            middle = (low + high) // 2
            self.upper_half_last[number, low, high] = way >= middle
            low, high = (middle, high) if way >= middle else (low, middle)

    fill = hit

    def victim(self, number, blocks, block, now):
        low, high = 0, self.ways
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.upper_half_last[number, low, high] else (middle, high)
        return low


class StaticPrediction(Policy):
    distant = 3

    def hit(self, number, way, block, now):
        self.state[number][way] = 0

    def victim(self, number, blocks, block, now):
        while self.distant not in self.state[number]:
            self.state[number] = [prediction + 1 for prediction in self.state[number]]
        return self.state[number].index(self.distant)

    def fill(self, number, way, block, now):
        self.state[number][way] = self.distant - 1


class StaticPrediction4(StaticPrediction):
    distant = 15


class BimodalPrediction(StaticPrediction):
    def __init__(self, sets, ways):
        super().__init__(sets, ways)
        self.fills = 0

    def fill(self, number, way, block, now):
        self.fills += 1
        self.state[number][way] = self.distant - 1 if self.fills % 32 == 0 else self.distant


class BimodalPrediction4(BimodalPrediction):
    distant = 15


class DynamicPrediction(BimodalPrediction):
    def __init__(self, sets, ways):
        super().__init__(sets, ways)
        self.selector = 511
        group = min(max(sets // 32, 4), sets)
        self.static = {set for set in range(sets) if set % group == set // group % group}
        self.bimodal = {set for set in range(sets) if set % group == group - 1 - set // group % group} - self.static

    def fill(self, number, way, block, now):
        if number in self.static:
            self.selector = min(self.selector + 1, 1023)
        elif number in self.bimodal:
            self.selector = max(self.selector - 1, 0)
        if number in self.bimodal or (number not in self.static and self.selector >= 512):
            BimodalPrediction.fill(self, number, way, block, now)
        else:
            StaticPrediction.fill(self, number, way, block, now)


class DynamicPrediction4(DynamicPrediction):
    distant = 15


class RegionPrediction(StaticPrediction):
    """SHiP-mem; blocks have 64 bytes."""

    def __init__(self, sets, ways):
        super().__init__(sets, ways)
        self.counters = {}
        self.used = set()

    def count(self, block, step):
        region = block * 64 // 2**14 % 2**14
        self.counters[region] = min(max(self.counters.get(region, 1) + step, 0), 7)
        return self.counters[region]

    def hit(self, number, way, block, now):
        super().hit(number, way, block, now)
        self.count(block, 1)
        self.used.add(block)

    def victim(self, number, blocks, block, now):
        way = super().victim(number, blocks, block, now)
        if blocks[way] not in self.used:
            self.count(blocks[way], -1)
        self.used.discard(blocks[way])
        return way

    def fill(self, number, way, block, now):
        self.state[number][way] = self.distant - (self.count(block, 0) > 0)


class Optimal(Policy):
    """Knows the positions of all accesses to each block."""
    bypasses = False

    def know(self, blocks):
        self.next, last = [], {}
        for now in range(len(blocks) - 1, -1, -1):
            self.next.append(last.get(blocks[now], float("inf")))
            last[blocks[now]] = now
        self.next.reverse()

    def hit(self, number, way, block, now):
        self.state[number][way] = self.next[now]

    fill = hit

    def victim(self, number, blocks, block, now):
        farthest = max(self.state[number])
        if self.bypasses and self.next[now] > farthest:
            return None
        return self.state[number].index(farthest)


class OptimalWithBypass(Optimal):
    bypasses = True


POLICIES = {
    "lru": LeastRecentlyUsed, "mru": MostRecentlyUsed, "fifo": FirstInFirstOut, "random": Random,
    "nru": NotRecentlyUsed, "tree-plru": Tree, "srrip": StaticPrediction, "srrip4": StaticPrediction4,
    "brrip": BimodalPrediction, "brrip4": BimodalPrediction4, "drrip": DynamicPrediction,
    "drrip4": DynamicPrediction4, "ship-mem": RegionPrediction, "opt": Optimal, "optpt": OptimalWithBypass,
}


POLYNOMIALS = {8: 0b1011, 256: 0b100011011}  # irreducible, by number of sets


def set_number(block, sets, index):
    if index == "ipoly":
        while block >= sets:
            block ^= POLYNOMIALS[sets] << block.bit_length() - sets.bit_length()
        return block
    if index == "xor-fold":
        return block % sets ^ set_number(block // sets, sets, index) if block else 0
    return (block ^ block // sets if index == "xor" else block) % sets


def simulate(name, accesses, sets, ways, index="modulo"):
    """accesses: pairs of a block's number and whether it is written."""
    counts = dict.fromkeys(("accesses", "hits", "misses", "bypasses", "writebacks"), 0)
    counts["accesses"] = len(accesses)
    if name == "perfect":
        counts["hits"] = len(accesses)
        return counts
    policy = POLICIES[name](sets, ways)
    if isinstance(policy, Optimal):
        policy.know([block for block, _ in accesses])
    contents = [[None] * ways for _ in range(sets)]
    dirty = set()
    for now, (block, write) in enumerate(accesses, 1 if not isinstance(policy, Optimal) else 0):
        number = set_number(block, sets, index)
        blocks = contents[number]
        if block in blocks:
            counts["hits"] += 1
            policy.hit(number, blocks.index(block), block, now)
        else:
            way = blocks.index(None) if None in blocks else policy.victim(number, blocks, block, now)
            if way is None:
                counts["bypasses"] += 1
                counts["writebacks"] += write
                continue
            counts["misses"] += 1
            if blocks[way] in dirty:
                counts["writebacks"] += 1
                dirty.remove(blocks[way])
            blocks[way] = block
            policy.fill(number, way, block, now)
        if write:
            dirty.add(block)
    return counts
