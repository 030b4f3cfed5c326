// Elements, and charts as SVG. Data reaches the page as text nodes and attributes only, never as markup.

const SVG = svgElement("svg").namespaceURI;

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

// A number with the digits that tell something: 0.0123, 1.23, 12.3, 1,230.
function short(x) {
  const size = Math.abs(x);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 4;
  return x.toLocaleString("en", { maximumFractionDigits: digits }).replace("-", "−");
}
const signed = (x) => (x > 0 ? "+" : "") + short(x);

// About `count` round numbers that cover [low, high].
function ticks(low, high, count, whole = false) {
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  let step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * 0.999);
  if (whole) step = Math.max(1, Math.round(step));
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

// Keeps a chart as wide as its place: draws it anew when that changes, and when the page asks for it.
const redraws = [];
function chart(draw) {
  const place = html("div", { class: "chart" });
  let width = 0;
  const redraw = () => { if (width > 0) place.replaceChildren(...draw(width)); };
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (now !== width) { width = now; redraw(); }
  }).observe(place);
  redraws.push(redraw);
  return place;
}

function legend(series) {
  return html("div", { class: "legend" },
    ...series.map(({ name, color }) => html("span", {}, html("i", { class: color }), name)));
}

// The frame of a chart: scales, grid, labels. `ys` are the ticks; `x` says what is along the axis.
function frame({ width, height, xs, ys, x, format = short }) {
  const left = 12 + 7 * Math.max(...ys.map((y) => format(y).length));
  const [right, top, bottom] = [width - 10, 10, height - 38];
  let [low, high] = [Math.min(...xs), Math.max(...xs)];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const [floor, ceiling] = [ys[0], ys[ys.length - 1]];
  const at = (value) => left + (value - low) / (high - low) * (right - left);
  const up = (value) => bottom - (value - floor) / (ceiling - floor || 1) * (bottom - top);
  const shapes = ys.flatMap((y) => [
    svg("line", { class: y === 0 && floor < 0 ? "zero" : "gridline", x1: left, x2: right, y1: up(y), y2: up(y) }),
    svg("text", { x: left - 8, y: up(y) + 4, "text-anchor": "end" }, format(y)),
  ]);
  for (const tick of ticks(low, high, width / 60, x.whole)) {
    if (tick < low || tick > high) continue;
    shapes.push(svg("text", { x: at(tick), y: bottom + 17, "text-anchor": "middle" }, short(tick)));
  }
  shapes.push(svg("text", { x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, x.name));
  return { at, up, left, right, top, bottom, shapes };
}

// What the pointer is over: a line at the nearest of `xs`, and the words that `tell` gives for its index.
function hover(root, place, width, xs, tell) {
  const tip = html("div", { class: "tip", hidden: "" });
  const line = svg("line", { class: "cursor", y1: place.top, y2: place.bottom, visibility: "hidden" });
  root.append(line);
  const leave = () => { tip.hidden = true; line.setAttribute("visibility", "hidden"); };
  root.addEventListener("pointerleave", leave);
  root.addEventListener("pointermove", (event) => {
    const pointer = event.clientX - root.getBoundingClientRect().left;
    let nearest = 0;
    xs.forEach((x, k) => {
      if (Math.abs(place.at(x) - pointer) < Math.abs(place.at(xs[nearest]) - pointer)) nearest = k;
    });
    const x = place.at(xs[nearest]);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    line.setAttribute("visibility", "visible");
    tip.replaceChildren(...tell(nearest));
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(x + 12, width - tip.offsetWidth))}px`;
  });
  return tip;
}

const tipLine = (color, words) => html("div", { class: color }, html("i"), html("span", {}, words));

// Lines over a common axis. A series has name, color, points [{ x, y, low?, high? }]; low and high are drawn as a
// band, or as whiskers where `whiskers` is set. `x` is { name, whole, at(point) }.
function lineChart({ series, x, height = 220, from, to, whiskers, format = short }) {
  return chart((width) => {
    const points = series.flatMap((one) => one.points);
    const values = points.flatMap((point) => [point.low ?? point.y, point.y, point.high ?? point.y]);
    const axis = x();
    const low = from ?? Math.min(...values), high = to ?? Math.max(...values);
    const pad = low === high ? Math.max(Math.abs(low) * 0.1, 0.5) : 0;
    const xs = [...new Set(points.map(axis.at))].sort((a, b) => a - b);
    const place = frame({ width, height, xs, ys: ticks(low - pad, high + pad, height / 40), x: axis, format });
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img" }, ...place.shapes);
    for (const { color, points } of series) root.append(drawn(points, color, place, axis, whiskers));
    const tip = hover(root, place, width, xs, (k) => {
      const here = series.map((one) => [one, one.points.find((point) => axis.at(point) === xs[k])]);
      const first = here.find(([, point]) => point)[1];
      return [html("b", {}, `Generation ${first.generation}`), ...here.filter(([, point]) => point).map(([one, point]) => {
        const interval = point.low === undefined ? "" : ` [${format(point.low)}, ${format(point.high)}]`;
        return tipLine(one.color, `${one.name} ${format(point.y)}${interval}`);
      })];
    });
    return [root, tip];
  });
}

function drawn(points, color, { at, up }, axis, whiskers) {
  const group = svg("g", { class: color });
  const spot = (point, y) => `${at(axis.at(point)).toFixed(1)},${up(y).toFixed(1)}`;
  const bounded = points.filter((point) => point.low !== undefined);
  if (whiskers) {
    for (const point of bounded) {
      const x = at(axis.at(point));
      group.append(svg("line", { class: "whisker", x1: x, x2: x, y1: up(point.low), y2: up(point.high) }));
    }
  } else if (bounded.length > 1) {
    const edge = [...bounded.map((point) => spot(point, point.high)), ...bounded.map((point) => spot(point, point.low)).reverse()];
    group.append(svg("polygon", { class: "band", points: edge.join(" ") }));
  } else {
    for (const point of bounded) {
      const x = at(axis.at(point));
      group.append(svg("line", { class: "whisker", x1: x, x2: x, y1: up(point.low), y2: up(point.high) }));
    }
  }
  group.append(svg("polyline", { class: "series", points: points.map((point) => spot(point, point.y)).join(" ") }));
  if (points.length <= 60) {
    for (const point of points) group.append(svg("circle", { class: "dot", cx: at(axis.at(point)), cy: up(point.y), r: 3.5 }));
  }
  return group;
}

// Columns of stacked parts. A part has name, color and value(item).
function stackedChart({ items, parts, x, height = 220, format = short }) {
  return chart((width) => {
    const axis = x();
    const total = (item) => parts.reduce((sum, part) => sum + part.value(item), 0);
    const xs = items.map(axis.at);
    const place = frame({ width, height, xs, ys: ticks(0, Math.max(...items.map(total), 1e-9), height / 40), x: axis, format });
    const thick = Math.max(1, Math.min(22, (place.right - place.left) / items.length * 0.7));
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img" }, ...place.shapes);
    for (const item of items) {
      let below = 0;
      for (const part of parts) {
        const value = part.value(item);
        const y = place.up(below + value);
        root.append(svg("rect", { class: `bar ${part.color}`, x: place.at(axis.at(item)) - thick / 2, y, width: thick, height: place.up(below) - y }));
        below += value;
      }
    }
    const tip = hover(root, place, width, xs, (k) => [
      html("b", {}, `Generation ${items[k].generation}`),
      ...parts.map((part) => tipLine(part.color, `${part.name} ${format(part.value(items[k]))}`)),
    ]);
    return [root, tip];
  });
}

// Names with a point and its interval each, from the top.
function intervalChart(rows) {
  return chart((width) => {
    const height = 30 * rows.length + 44;
    const values = rows.flatMap((row) => row.elo_interval);
    const marks = ticks(Math.min(...values), Math.max(...values), width / 110);
    const [left, right] = [Math.min(190, width * 0.38), width - 60];
    const at = (value) => left + (value - marks[0]) / (marks[marks.length - 1] - marks[0] || 1) * (right - left);
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img" });
    for (const mark of marks) {
      root.append(svg("line", { class: "gridline", x1: at(mark), x2: at(mark), y1: 4, y2: height - 36 }),
        svg("text", { x: at(mark), y: height - 20, "text-anchor": "middle" }, short(mark)));
    }
    root.append(svg("text", { x: (left + right) / 2, y: height - 3, "text-anchor": "middle" }, "Elo"));
    rows.forEach((row, k) => {
      const y = 20 + 30 * k;
      root.append(svg("g", { class: "c1" },
        svg("title", {}, `${row.name}: ${signed(row.elo)} in ${row.games} games`),
        svg("text", { x: left - 12, y: y + 4, "text-anchor": "end" }, row.name),
        svg("line", { class: "whisker", x1: at(row.elo_interval[0]), x2: at(row.elo_interval[1]), y1: y, y2: y }),
        svg("circle", { class: "dot", cx: at(row.elo), cy: y, r: 5 }),
        svg("text", { x: right + 8, y: y + 4 }, signed(Math.round(row.elo)))));
    });
    return [root];
  });
}
