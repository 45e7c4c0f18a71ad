/* SPDX-License-Identifier: MIT */
/* Tables that are sorted by their columns' buttons. */

const SHOWN_ROWS = 100; /* until all are asked for */

/* columns: {title, value(row), format, number: false where it is text, hint, order(row): what it is sorted by,
 * where not by its value, tone(value): a class}; texts may be elements, or lists of both; none(): the text where a number is
 * missing. bars: a bar behind each number, as
 * long as its part of the column's largest. sort: {column, down}; sorts(column, down): whenever another is chosen. */
class SortedTable {
  constructor(caption, columns, rows, options = {}) {
    Object.assign(this, { caption, columns, rows, sort: { column: 0, down: false }, bars: true, foot: null, most: SHOWN_ROWS, sorts: () => {} }, options);
    this.all = this.rows.length <= this.most;
    this.marked = null;
    this.element = element("div", { class: "scroll" });
    this.draw();
  }

  sorted() {
    const column = this.columns[this.sort.column] || this.columns[0];
    const direction = this.sort.down ? -1 : 1;
    const order = (a, b) => {
      const key = column.order || column.value;
      const x = key(a), y = key(b);
      if (x === null || y === null) return (x === null) - (y === null);
      return direction * (typeof x === "string" || typeof y === "string"
        ? String(x).localeCompare(String(y), "en", { numeric: true }) : x - y);
    };
    return [...this.rows].sort(order);
  }

  head(column, number) {
    const sorted = number === this.sort.column;
    const arrow = sorted ? (this.sort.down ? " ▼" : " ▲") : "";
    const press = () => {
      this.sort.down = sorted ? !this.sort.down : column.number !== false;
      this.sort.column = number;
      this.sorts(column, this.sort.down);
      this.draw();
      this.element.querySelectorAll("thead button")[number].focus();
    };
    return element("th", { scope: "col", class: column.number === false ? "text" : "number",
      "aria-sort": sorted ? (this.sort.down ? "descending" : "ascending") : null },
    element("button", { type: "button", title: column.hint || null, click: press }, column.title, element("span", { "aria-hidden": "true" }, arrow)));
  }

  cell(column, row, largest, first) {
    const value = column.value(row);
    const text = (column.format || (column.number === false ? format.text : format.count))(value, row);
    const tag = first ? "th" : "td";
    const bar = this.bars && !first && column.number !== false && column.bar !== false && value > 0 && largest > 0;
    const kind = column.number === false ? (column.wrap ? "text wrap" : "text") : "number";
    return element(tag, { scope: first ? "row" : null, class: column.tone ? `${kind} ${column.tone(value, row)}` : kind,
      title: typeof value === "number" && column.format ? format.count(value) : null,
      style: bar ? `--part:${(100 * value / largest).toFixed(1)}%` : null }, ...[column.number !== false && value === null ? (column.none ? column.none() : "–") : text].flat());
  }

  /* A line of the table. */
  line(row, largest) {
    return element("tr", row === this.marked ? { class: "found", tabindex: "-1" } : {},
      ...this.columns.map((column, number) => this.cell(column, row, largest[number], number === 0)));
  }

  /* Marks the first row that matches, and shows it; false: there is none. */
  reveal(matches) {
    const row = this.rows.find(matches);
    if (row === undefined) return false;
    this.marked = row;
    this.all = this.all || this.sorted().indexOf(row) >= this.most;
    this.draw();
    const line = this.element.querySelector(".found");
    line.focus({ preventScroll: true });
    line.scrollIntoView({ block: "center" });
    return true;
  }

  draw() {
    const rows = this.sorted();
    const shown = this.all ? rows : rows.slice(0, this.most);
    const largest = this.columns.map((column) => (column.number === false ? 0
      : rows.reduce((most, row) => Math.max(most, column.value(row) || 0), 0)));
    const table = element("table", {}, element("caption", {}, element("span", {}, this.caption)),
      element("thead", {}, element("tr", {}, ...this.columns.map((column, number) => this.head(column, number)))),
      element("tbody", {}, ...shown.map((row) => this.line(row, largest))));
    if (this.foot) {
      table.append(element("tfoot", {}, element("tr", {}, ...this.columns.map((column, number) => (number
        ? element("td", { class: "number" }, column.sum === undefined ? "" : (column.format || format.count)(column.sum))
        : element("th", { scope: "row", class: "text" }, this.foot))))));
    }
    this.element.replaceChildren(table);
    if (!this.all) {
      this.element.append(element("button", { type: "button", class: "more", click: () => {
        this.all = true;
        this.draw();
      } }, `Show all ${format.count(rows.length)} rows (${this.most} are shown)`));
    }
  }
}

/* A table as it is: heads, rows of texts, elements, or lists of both. kind: of all columns but the first; spans: heads over
 * several of these, [[text, columns], …]. */
function plainTable(caption, heads, rows, { kind = "number", spans = [] } = {}) {
  const line = (cells, tag) => element("tr", {}, ...cells.map((cell, number) => (number
    ? element(tag, { class: kind, scope: tag === "th" ? "col" : null }, ...[cell].flat())
    : element("th", { scope: tag === "th" ? "col" : "row", class: "text" }, ...[cell].flat()))));
  const over = spans.length ? element("tr", { class: "spans" }, element("td"), ...spans.map(([text, colspan]) => element("th", { colspan, scope: "colgroup", class: kind }, text))) : null;
  const head = element("thead", {}, over, line(heads, "th"));
  return element("div", { class: "scroll" }, element("table", { class: spans.length ? "spanned" : null }, element("caption", {}, element("span", {}, caption)), head,
    element("tbody", {}, ...rows.map((row) => line(row, "td")))));
}
