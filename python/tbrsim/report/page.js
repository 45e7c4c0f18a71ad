/* SPDX-License-Identifier: MIT */
/* The page: its sections and the selected frame. */

class Page {
  constructor(data) {
    this.a = new Run(data.a, "a");
    this.b = data.b ? new Run(data.b, "b") : null;
    Object.assign(this, { counters: data.counters, maxSize: data.max_size, frame: 0, ofFrame: [], ofTables: [] });
  }

  /* Calls back whenever another frame is selected; with its tables, or null where the page has none. */
  onFrame(call) {
    this.ofFrame.push(call);
  }

  onTables(call) {
    this.ofTables.push(call);
  }

  async select(frame) {
    this.frame = Math.min(Math.max(Math.round(frame) || 0, 0), this.a.num_frames - 1);
    const selected = this.frame;
    this.ofFrame.forEach((call) => call());
    const tables = await this.a.attribution(selected);
    if (selected === this.frame) await Promise.all(this.ofTables.map((call) => call(tables)));
  }

  arrow(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const last = this.a.num_frames - 1;
    this.select(Math.min(Math.max(this.frame + step, 0), last));
  }
}

function buildBar(page, sections) {
  const last = page.a.num_frames - 1;
  const number = element("input", { type: "number", min: 0, max: last, value: 0, "aria-label": "Selected frame", change: () => page.select(Number(number.value)) });
  const slider = element("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "Selected frame", input: () => page.select(Number(slider.value)) });
  page.onFrame(() => {
    number.value = slider.value = page.frame;
  });
  const bar = document.getElementById("bar");
  bar.append(element("span", { class: "frame" }, "Frame ", number, ` of 0–${last} `, slider),
    element("span", { class: "links" }, ...sections.map(([id, title]) => element("a", { href: `#${id}` }, title))));
  bar.hidden = false;
}

function buildConfiguration(page) {
  const one = (run) => {
    const title = run.origin === "sources" ? "each value with the file and line that it is from" : run.origin;
    return element("details", { open: true }, element("summary", {}, `${run.run.preset || "Configuration"}: ${title}`), element("pre", { tabindex: "0" }, run.configuration));
  };
  return section("configuration", "Configuration", one(page.a), page.b ? one(page.b) : null);
}

/* What the page leaves out, if anything. */
function leftOut(page) {
  const notes = [page.a, page.b].filter((run) => run && run.left_out.length).map((run) => element("p", { class: "note", role: "note" },
    `Of ${run === page.b ? "the other run's" : ""} frames ${run.left_out[0]} to ${run.left_out[run.left_out.length - 1]} (${run.left_out.length} frames) the page has no draws, ` +
    `textures, passes and tiles: it would be larger than ${format.bytes(page.maxSize)}. tbrsim report --frames A-B selects others, --max-size makes it larger.`));
  return notes;
}

async function start() {
  const page = new Page(await unpack("data"));
  const main = document.getElementById("main");
  buildHead(page);
  const sections = [["totals", "Totals", buildTotals], ["frames", "Frames", buildFrames],
    ["graph", "Render graph", buildGraph], ["draws", "Draws", buildDraws], ["textures", "Textures", buildTextures], ["passes", "Passes", buildPasses], ["tiles", "Tiles", buildHeatMap],
    ["reuse", "Reuse distances", buildReuse], ["advice", "Advice", buildAdvice],
    ...(page.b ? [["compare", "Two runs", buildComparison]] : []), ["configuration", "Configuration", buildConfiguration]];
  const built = sections.map(([, , build]) => build(page));
  buildBar(page, sections);
  main.replaceChildren(...leftOut(page), ...built);
  drawCharts();
  page.onFrame(redrawCharts);
  page.onFrame(drawCharts);
  window.addEventListener("resize", drawCharts);
  matchMedia("print").addEventListener("change", redrawCharts);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
  await page.select(Number(/^#frame=(\d+)$/.exec(location.hash)?.[1] || 0));
  document.documentElement.dataset.ready = "";
}

start().catch((error) => {
  document.getElementById("message").textContent = `The page cannot be shown: ${error}`;
  console.error(error);
});
