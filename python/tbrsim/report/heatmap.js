/* SPDX-License-Identifier: MIT */
/* A counter of each tile, over the picture. Colours: viridis (11 of its colours, and what is between them), which the
 * colour-blind can read, and which is in order in grey. */

const VIRIDIS = [[68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142], [33, 145, 140], [34, 168, 132],
  [68, 191, 112], [122, 209, 81], [189, 223, 38], [253, 231, 37]];

function viridis(part) {
  const at = Math.min(Math.max(part, 0), 1) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return VIRIDIS[low].map((value, channel) => Math.round(value + (at - low) * (VIRIDIS[low + 1][channel] - value)));
}

class HeatMap {
  constructor(page) {
    Object.assign(this, { page, pass: null, counter: "fragment_stage.fragments", at: null, log: false, cover: 0.7, picture: null });
    this.canvas = element("canvas", { tabindex: "0", role: "img", class: "map",
      pointermove: (event) => this.point(event), pointerleave: () => this.say(null), keydown: (event) => this.key(event), focus: () => this.say(this.at || [0, 0]) });
    this.value = element("output", { class: "value", "aria-live": "polite" });
    this.legend = element("div", { class: "legend" });
    this.controls = element("div", { class: "controls" });
    this.table = element("details", { toggle: () => this.drawTable() }, element("summary", {}, "As a table"));
    this.coverage = element("label", { class: "choice" }, "colours over the picture ", element("input", { type: "range", min: 0, max: 100, value: 100 * this.cover, input: (event) => {
      this.cover = event.target.value / 100;
      this.paint();
    } }));
    this.part = element("div", {}, this.controls, this.legend, element("div", { class: "scroll" }, this.canvas), this.value, this.table);
    this.element = element("div", {}, this.part);
    window.addEventListener("resize", () => this.paint());
  }

  /* The passes of this frame that have tiles: {pass, rows, across, down, width, height, size}. */
  passes(tables) {
    const tiles = tables.tiles, found = new Map();
    tiles.rows().forEach((row) => {
      const column = tiles.value("column", row);
      if (column === null || tiles.value("pass_frame", row) !== this.page.frame) return;
      const pass = tiles.value("pass", row);
      if (!found.has(pass)) found.set(pass, { pass, rows: [], across: 0, down: 0, size: this.page.a.settings["tile.size"], width: 0, height: 0 });
      const one = found.get(pass);
      one.rows.push(row);
      one.across = Math.max(one.across, column + 1);
      one.down = Math.max(one.down, tiles.value("row", row) + 1);
    });
    const passes = tables.passes || new Table(null);
    passes.rows().forEach((row) => {
      const one = found.get(passes.value("pass", row));
      if (one && passes.value("pass_frame", row) === this.page.frame) {
        one.across = passes.value("tiles_x", row);
        Object.assign(one, { size: passes.value("tile_size", row), width: passes.value("width", row), height: passes.value("height", row) });
      }
    });
    return [...found.values()].sort((a, b) => a.pass - b.pass);
  }

  draw(tables) {
    this.tables = tables;
    const all = tables && tables.tiles ? this.passes(tables) : [];
    if (!all.length) {
      this.element.replaceChildren(element("p", { class: "none" }, missing(this.page, ["tiles"], "tile")));
      return;
    }
    this.element.replaceChildren(this.part);
    const fragments = (one) => one.rows.reduce((sum, row) => sum + tables.tiles.value("fragment_stage.fragments", row), 0);
    this.all = all;
    this.current = all.find((one) => one.pass === this.pass) || all.reduce((most, one) => (fragments(one) > fragments(most) ? one : most));
    this.drawControls();
    this.update();
  }

  drawControls() {
    const usual = ["fragment_stage.fragments", "tiling_engine.pmds", "dram.total.read_bytes", "dram.total.write_bytes",
      ...this.page.a.caches().map((unit) => `${unit}.total.misses`)].filter((name) => this.tables.tiles.has(name));
    const counters = [...usual, ...this.tables.tiles.names().filter((name) => name.includes(".") && !usual.includes(name))];
    if (!counters.includes(this.counter)) this.counter = counters[0];
    this.controls.replaceChildren(
      choice("Pass", this.all.map((one) => [one.pass, `${one.pass}${passTitle(this.tables, one.pass).replace(/^(?=.)/, " ")}${one.width ? ` (${one.width} × ${one.height})` : ""}`]), this.current.pass, (value) => {
        this.pass = Number(value);
        this.current = this.all.find((one) => one.pass === this.pass);
        this.update();
      }),
      choice("Counter", counters.map((name) => [name, name]), this.counter, (value) => {
        this.counter = value;
        this.update();
      }),
      element("label", { class: "choice" }, element("input", { type: "checkbox", checked: this.log, change: (event) => {
        this.log = event.target.checked;
        this.update();
      } }), " logarithmic colours"),
      this.coverage);
  }

  /* The pass' picture, below the colours, where there is one. */
  takePicture() {
    const { current, tables, page } = this;
    const source = thumbnailOf(tables, current.pass);
    this.coverage.hidden = !source;
    this.turned = isUpsideDown(tables, current.pass);
    this.canvas.classList.toggle("turned", this.turned);
    this.picture = null;
    if (!source) return;
    const picture = new Image();
    picture.onload = () => {
      if (current !== this.current) return;
      this.picture = picture;
      this.paint();
    };
    picture.src = source;
  }

  update() {
    const { current, tables } = this;
    this.takePicture();
    this.values = new Map();
    current.rows.forEach((row) => this.values.set(tables.tiles.value("row", row) * current.across + tables.tiles.value("column", row), tables.tiles.value(this.counter, row)));
    this.highest = Math.max(...this.values.values());
    this.at = null;
    const write = formatOf(this.counter), sum = [...this.values.values()].reduce((a, b) => a + b, 0);
    const about = this.page.counters[this.counter];
    this.legend.replaceChildren(element("span", {}, write(0)), element("span", { class: "scale", "aria-hidden": "true" }), element("span", {}, write(this.highest)),
      element("span", { class: "about" }, `${about ? `${about[1]}, ` : ""}per tile of ${current.size} × ${current.size} pixels; the pass: ${write(sum)}`));
    this.canvas.setAttribute("aria-label", `Pass ${current.pass} of frame ${this.page.frame}: ${this.counter} of ${current.across} × ${current.down} tiles, ` +
      `0 to ${write(this.highest)}. Arrow keys move from tile to tile.`);
    this.paint();
    this.say(null);
    this.drawTable();
  }

  part01(value) {
    if (!this.highest) return 0;
    return this.log ? Math.log1p(value) / Math.log1p(this.highest) : value / this.highest;
  }

  /* Tiles at the edge are cut off where the picture ends. */
  paint() {
    if (!this.values) return;
    const { current, canvas } = this;
    const width = current.width || current.across * current.size;
    const room = Math.max(240, Math.min(this.element.clientWidth || 900, 960));
    this.step = Math.max(1, Math.min(48, room * current.size / width, 640 / current.down * (current.down > 400 ? 2 : 1)));
    const cut = (pixels, tiles) => (pixels && pixels > (tiles - 1) * current.size && pixels <= tiles * current.size ? pixels / current.size : tiles) * this.step;
    const size = [cut(current.width, current.across), cut(current.height, current.down)];
    canvas.width = Math.round(size[0] * devicePixelRatio);
    canvas.height = Math.round(size[1] * devicePixelRatio);
    canvas.style.width = `${size[0]}px`;
    canvas.style.height = `${size[1]}px`;
    const context = canvas.getContext("2d");
    const step = this.step * devicePixelRatio;
    if (this.picture) context.drawImage(this.picture, 0, 0, canvas.width, canvas.height);
    context.globalAlpha = this.picture ? this.cover : 1;
    for (const [tile, value] of this.values) {
      context.fillStyle = `rgb(${viridis(this.part01(value)).join(" ")})`;
      const x = Math.round(tile % current.across * step), y = Math.round(Math.floor(tile / current.across) * step);
      context.fillRect(x, y, Math.round((tile % current.across + 1) * step) - x, Math.round((Math.floor(tile / current.across) + 1) * step) - y);
    }
    context.globalAlpha = 1;
    if (this.at) {
      context.lineWidth = 2 * devicePixelRatio;
      context.strokeStyle = "#fff";
      context.strokeRect(this.at[0] * step, this.at[1] * step, step, step);
      context.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
      context.strokeStyle = "#000";
      context.strokeRect(this.at[0] * step, this.at[1] * step, step, step);
    }
  }

  say(at) {
    this.at = at;
    this.paint();
    if (!at) {
      this.value.textContent = "The value of a tile is shown where the pointer is.";
      return;
    }
    const value = this.values.get(at[1] * this.current.across + at[0]);
    const write = formatOf(this.counter);
    const exact = write === format.count ? "" : ` (${format.count(value || 0)})`;
    this.value.textContent = `Tile ${at[1] * this.current.across + at[0]}, column ${at[0]}, row ${at[1]}: ` +
      (value === undefined ? "nothing" : `${write(value)}${exact}`);
  }

  point(event) {
    const x = Math.floor(event.offsetX / this.step), y = Math.floor(event.offsetY / this.step);
    if (x >= 0 && y >= 0 && x < this.current.across && y < this.current.down) this.say([x, y]);
  }

  key(event) {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, this.turned ? 1 : -1], ArrowDown: [0, this.turned ? -1 : 1] }[event.key];
    if (!move) return;
    event.preventDefault();
    const [x, y] = this.at || [0, 0];
    this.say([Math.min(Math.max(x + move[0], 0), this.current.across - 1), Math.min(Math.max(y + move[1], 0), this.current.down - 1)]);
  }

  drawTable() {
    this.table.querySelectorAll(".scroll").forEach((old) => old.remove());
    if (!this.table.open || !this.values) return;
    const { current } = this, write = formatOf(this.counter);
    const columns = Array.from({ length: current.across }, (_, column) => column);
    this.table.append(plainTable(`${this.counter} of pass ${current.pass}, frame ${this.page.frame}`, ["row \\ column", ...columns],
      Array.from({ length: current.down }, (_, row) => [row, ...columns.map((column) => write(this.values.get(row * current.across + column) || 0))])));
  }
}

function buildHeatMap(page) {
  const map = new HeatMap(page);
  page.onTables((tables) => map.draw(tables));
  return section("tiles", "Tiles", map.element);
}
