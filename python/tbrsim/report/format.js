/* SPDX-License-Identifier: MIT */
/* Numbers and elements. */

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

function significant(value) {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function scaled(value, step, units) {
  const sign = value < 0 ? "−" : "";
  let size = Math.abs(value), unit = 0;
  while (size >= step && unit < units.length - 1) {
    size /= step;
    unit++;
  }
  return `${sign}${significant(size)} ${units[unit]}`.trim();
}

const format = {
  count: (value) => whole.format(Math.round(value)).replace("-", "−"),
  short: (value) => scaled(value, 1000, ["", "thousand", "million", "billion", "trillion"]),
  bytes: (value) => scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]),
  energy: (value) => scaled(value, 1000, ["pJ", "nJ", "µJ", "mJ", "J"]),
  percent: (value) => (value === null ? "–" : `${(100 * value).toFixed(1)} %`),
  text: (value) => (value === null || value === undefined ? "" : String(value)),
};

/* How values of a counter are written. */
function formatOf(name) {
  if (/bytes$/.test(name)) return format.bytes;
  return /^energy\./.test(name) ? format.energy : format.count;
}

/* "1 pass", "2 passes". */
const plural = (count, one, several = `${one}s`) => `${format.count(count)} ${count === 1 ? one : several}`;

const words = (name) => name.replace(/_/g, " ");
const streamNames = { pb_list: "PB-Lists", pb_attribute: "PB-Attributes", color: "colour" };
const streamName = (stream) => streamNames[stream] || words(stream);
const cacheName = (unit) => (/^(l2|llc)$/.test(unit) ? unit.toUpperCase() : words(unit));

/* element("td", {class: "number"}, "12", child …): attributes by name, functions as listeners. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function section(id, title, ...children) {
  return element("section", { id, "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title), ...children);
}

/* A select with options [value, text]. */
function choice(label, options, selected, change) {
  const select = element("select", { change: () => change(select.value) },
    ...options.map(([value, text]) => element("option", { value, selected: String(value) === String(selected) }, text)));
  return element("label", { class: "choice" }, `${label} `, select);
}
