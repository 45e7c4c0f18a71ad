/* SPDX-License-Identifier: MIT */
/* The page's data: unpacked on demand; what a run counts by stream, cache and frame. */

async function unpack(id) {
  const element = document.getElementById(id);
  if (!element) return null;
  const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/* A table with columns that are missing where they are zero everywhere. */
class Table {
  constructor(columns) {
    this.columns = columns || {};
    this.length = columns ? columns.frame.length : 0;
  }

  names() {
    return Object.keys(this.columns);
  }

  has(name) {
    return name in this.columns;
  }

  value(name, row) {
    const column = this.columns[name];
    return column ? column[row] : 0;
  }

  rows() {
    return Array.from({ length: this.length }, (_, row) => row);
  }
}

/* Those rows of each of the frame's passes that are of the frame itself: {pass: [row, …]}. */
function rowsByPass(table) {
  const found = new Map();
  table.rows().forEach((row) => {
    if (table.value("pass_frame", row) !== table.value("frame", row)) return;
    const pass = table.value("pass", row);
    if (!found.has(pass)) found.set(pass, []);
    found.get(pass).push(row);
  });
  return found;
}

/* What find(tables) finds, once for a frame's tables. */
function remembered(find) {
  const kept = new WeakMap();
  return (tables) => {
    if (!kept.has(tables)) kept.set(tables, find(tables));
    return kept.get(tables);
  };
}

/* Whether a row of textures is of what its pass stores. */
function storedRows(textures) {
  const counters = textures.names().filter((name) => /\.(color|display|depth)\.(writes|write_bytes)$/.test(name));
  return (row) => counters.some((name) => textures.value(name, row));
}

class Run {
  constructor(data, which) {
    Object.assign(this, data);
    this.which = which;
    this.kept = new Map(); /* a few frames' attributions */
    const frames = Array.from({ length: this.num_frames }, (_, frame) => frame);
    this.usual = frames.filter((frame) => !this.outliers[frame]);
  }

  /* Value of a counter in a frame; frame null: the sum of all. */
  value(name, frame = null) {
    if (frame === null) return this.total[name] || 0;
    const column = this.frames[name];
    return column ? column[frame] : 0;
  }

  /* Of a frame, on average; frames that are not like the others are left out of it. */
  mean(name) {
    return this.usual.reduce((sum, frame) => sum + this.value(name, frame), 0) / this.usual.length;
  }

  column(name) {
    return this.frames[name] || new Array(this.num_frames).fill(0);
  }

  /* Streams that reach memory, the one with the most bytes first. */
  streams() {
    const names = new Set();
    for (const name in this.total) {
      const match = /^dram\.(\w+)\.(read|write)_bytes$/.exec(name);
      if (match && match[1] !== "total") names.add(match[1]);
    }
    const bytes = (name) => this.bytes(name, "read") + this.bytes(name, "write");
    return [...names].sort((a, b) => bytes(b) - bytes(a));
  }

  bytes(stream, direction, frame = null) {
    return this.value(`dram.${stream}.${direction}_bytes`, frame);
  }

  /* Caches with accesses, in the order of the counters. */
  caches() {
    return this.counters.filter((name) => /^\w+\.total\.reads$/.test(name))
      .map((name) => name.split(".")[0])
      .filter((unit) => unit !== "dram" && this.accesses(unit) > 0);
  }

  accesses(unit, frame = null) {
    return this.value(`${unit}.total.reads`, frame) + this.value(`${unit}.total.writes`, frame);
  }

  /* Of the accesses that looked into the cache; null: none did. */
  hitRate(unit, frame = null) {
    const hits = this.value(`${unit}.total.hits`, frame);
    const all = hits + this.value(`${unit}.total.misses`, frame);
    return all ? hits / all : null;
  }

  get timed() {
    return this.value("gpu.cycles") > 0;
  }

  /* Units with energy, the one with the most first; the sums over groups of units are none. */
  energyUnits() {
    const sums = ["memory_hierarchy", "gpu", "system"];
    const names = new Set(Object.keys(this.total).map((name) => /^energy\.(\w+)\.(dynamic|static)$/.exec(name))
      .filter((match) => match && !sums.includes(match[1])).map((match) => match[1]));
    return [...names].sort((a, b) => this.energy(b) - this.energy(a));
  }

  energy(unit, frame = null) {
    return this.value(`energy.${unit}.dynamic`, frame) + this.value(`energy.${unit}.static`, frame);
  }

  /* {passes, draws, textures, tiles} of a frame; null: the page does not have them. */
  async attribution(frame) {
    if (!this.kept.has(frame)) {
      const tables = await unpack(`${this.which}-${frame}`);
      if (this.kept.size > 7) this.kept.delete(this.kept.keys().next().value);
      this.kept.set(frame, tables && Object.fromEntries(
        Object.entries(tables).map(([name, columns]) => [name, new Table(columns)])));
    }
    return this.kept.get(frame);
  }

  /* Bytes of a block of a cache, and the unit that a stream's accesses reach first. */
  block(unit) {
    return this.settings[`caches.${unit}.block`] || 64;
  }

  firstUnit(stream) {
    return this.settings[`streams.${stream}`] || "dram";
  }
}
