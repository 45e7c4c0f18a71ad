/* SPDX-License-Identifier: MIT */
/* Charts, by uPlot. Colours: Okabe and Ito's, which the colour-blind can tell apart, and two greys; lines have
 * dashes besides. */

const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999", "#6a51a3", "#8c564b"];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [14, 4], [1, 4]];
const charts = [];

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const chartAxis = () => ({ stroke: () => colour("--text"), grid: { stroke: () => colour("--line"), width: 1 },
  ticks: { stroke: () => colour("--line"), width: 1 } });

/* What all charts over frames share. heights: of what is drawn in each frame; frames that are not like the others may be
 * higher than the chart. */
function chartOptions(title, heights, write, page) {
  const count = heights.length, highest = Math.max(...page.a.usual.map((frame) => heights[frame]));
  /* Ticks of bytes are powers of two. */
  const steps = write === format.bytes ? { incrs: Array.from({ length: 44 }, (_, power) => 2 ** power) } : {};
  const axis = chartAxis();
  return {
    title, width: 600, height: 240,
    scales: { x: { time: false, range: () => [-0.6, count - 0.4] }, y: { range: () => [0, highest > 0 ? highest * 1.05 : 1] } },
    axes: [{ ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000], values: (_, ticks) => ticks.map((tick) => (tick >= 0 && tick < count ? tick : "")) },
      { ...axis, ...steps, size: 84, values: (_, ticks) => ticks.map(write) }],
    cursor: { drag: { x: false, y: false }, focus: { prox: 16 }, y: false },
    legend: { live: true },
    hooks: {
      /* The selected frame, drawn behind the data. */
      drawAxes: [(plot) => {
        const middle = plot.valToPos(page.frame, "x", true);
        const half = Math.max(3 * devicePixelRatio, 0.46 * (plot.valToPos(1, "x", true) - plot.valToPos(0, "x", true)));
        plot.ctx.save();
        plot.ctx.fillStyle = colour("--selected");
        plot.ctx.fillRect(middle - half, plot.bbox.top, 2 * half, plot.bbox.height);
        plot.ctx.restore();
      }],
      ready: [(plot) => plot.over.addEventListener("click", () => {
        if (plot.cursor.idx !== null && plot.cursor.idx !== undefined) page.select(plot.cursor.idx);
      })],
    },
  };
}

function place(options, data, label, page) {
  const box = element("figure", { class: "chart", tabindex: "0", role: "group",
    "aria-label": `${label}. Arrow keys select a frame; the numbers are in the table below the charts.` });
  box.addEventListener("keydown", (event) => page.arrow(event));
  const chart = { box, plot: null, draw: null };
  chart.draw = () => {
    const width = Math.max(280, box.clientWidth);
    if (!chart.plot) chart.plot = new uPlot({ ...options, width }, data, box);
    else chart.plot.setSize({ width, height: options.height });
    chart.plot.setCursor({ left: -10, top: -10 });
    chart.tell();
  };
  /* Once uPlot has done what it puts off: without a pointer the legend has the selected frame's values. */
  chart.tell = () => setTimeout(() => chart.plot.setLegend({ idx: page.frame }), 50);
  box.addEventListener("mouseleave", chart.tell);
  charts.push(chart);
  return box;
}

/* series: {name, values}; stacked on each other, the first one at the bottom. */
function stackedChart(title, series, write, page) {
  const count = series[0].values.length;
  const sums = [];
  series.forEach(({ values }, number) => sums.push(values.map((value, frame) => value + (number ? sums[number - 1][frame] : 0))));
  const options = chartOptions(title, sums[sums.length - 1], write, page);
  const bars = count <= 120 ? uPlot.paths.bars({ size: [0.86, 64], align: 0 }) : uPlot.paths.stepped({ align: 1 });
  options.series = [{ label: "frame" }];
  const data = [Array.from({ length: count }, (_, frame) => frame)];
  /* The whole stack first, so that what is below it is drawn over it. */
  for (let number = series.length - 1; number >= 0; number--) {
    const ink = COLOURS[number % COLOURS.length];
    data.push(sums[number]);
    options.series.push({ label: series[number].name, fill: ink, stroke: ink, width: 0, paths: bars, points: { show: false },
      value: (_, value, __, frame) => (frame === null || frame === undefined ? "–" : write(series[number].values[frame])) });
  }
  const box = place(options, data, title, page);
  box.classList.add("stacked");
  return box;
}

/* series: the same, with null for no value; as lines. highest: of the axis; null: of the values. */
function lineChart(title, series, write, page, highest = null) {
  const count = series[0].values.length;
  const options = chartOptions(title, Array.from({ length: count }, (_, frame) => Math.max(...series.map(({ values }) => values[frame] || 0))), write, page);
  if (highest !== null) options.scales.y.range = () => [0, highest];
  options.series = [{ label: "frame" }, ...series.map(({ name }, number) => ({
    label: name, stroke: COLOURS[number % COLOURS.length], width: 2, dash: DASHES[number % DASHES.length],
    points: { show: count <= 60, size: 6 }, spanGaps: false,
    value: (_, value) => (value === null || value === undefined ? "–" : write(value)) }))];
  return place(options, [Array.from({ length: count }, (_, frame) => frame), ...series.map(({ values }) => values)], title, page);
}

function drawCharts() {
  charts.forEach((chart) => chart.draw());
}

function redrawCharts() {
  charts.forEach((chart) => chart.plot && chart.plot.redraw(false, true));
}
