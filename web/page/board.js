// A drawn board: to look at, in a report or a review, and to play on by touches and keys.
// Data reaches the page as text nodes and attributes only, never as markup. This file imports nothing, because the
// report puts its text into a page of one file.

const CELL = 100;
const EDGE = 50;

/** @typedef {{ from: string, to: string, arrow: string }} MoveParts */
/** @typedef {{ squares: Map<string, string>, side: string, move: MoveParts | null }} Placement `squares` maps names as in "a1" to "Q" (White's amazon), "q" (Black's) or "*" (an arrow) */

let namespace = "";

/**
 * An SVG element.
 * @param {string} name
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svgElement(name, attributes = {}, ...children) {
  if (!namespace) {
    const template = document.createElement("template");
    template.innerHTML = "<svg></svg>";
    namespace = template.content.firstElementChild?.namespaceURI ?? "";
  }
  const element = /** @type {SVGElement} */ (document.createElementNS(namespace, name));
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * A FEN, read: trusted to be one.
 * @param {string} fen
 * @returns {{ files: number, ranks: number, placement: Placement }}
 */
export function readFen(fen) {
  const [ranks, side] = fen.split(" ");
  const squares = new Map();
  const rows = ranks.split("/");
  let files = 0;
  rows.forEach((row, k) => {
    let file = 0;
    for (const [mark] of row.matchAll(/\d+|\D/g)) {
      if (/\d/.test(mark)) file += Number(mark);
      else squares.set(String.fromCharCode(97 + file++) + (rows.length - k), mark);
    }
    files = file;
  });
  return { files, ranks: rows.length, placement: { squares, side, move: null } };
}

/**
 * @param {string} text as in "d1-d7/g7"
 * @returns {MoveParts}
 */
export function moveParts(text) {
  const [from, to, arrow] = text.split(/[-/]/);
  return { from, to, arrow };
}

/**
 * The placement after a move, which is trusted to be legal.
 * @param {Placement} before
 * @param {string} text
 * @returns {Placement}
 */
export function placementAfter(before, text) {
  const move = moveParts(text);
  const squares = new Map(before.squares);
  squares.set(move.to, squares.get(move.from) ?? "");
  squares.delete(move.from);
  squares.set(move.arrow, "*");
  return { squares, side: before.side === "w" ? "b" : "w", move };
}

/**
 * A game's positions: the start and one after each move.
 * @param {{ start: string, moves: string[] }} game
 */
export function positions(game) {
  const { files, ranks, placement } = readFen(game.start);
  const all = [placement];
  for (const text of game.moves) all.push(placementAfter(all[all.length - 1], text));
  return { files, ranks, all };
}

/** Where things lie on a drawn board. */
class Geometry {
  /**
   * @param {number} files
   * @param {number} ranks
   * @param {boolean} flipped whether Black's side is at the bottom
   */
  constructor(files, ranks, flipped) {
    this.files = files;
    this.ranks = ranks;
    this.flipped = flipped;
    this.width = files * CELL + EDGE;
    this.height = ranks * CELL + EDGE;
  }

  /** The name of a square by its column from the left and its row from the top. @param {number} column @param {number} row */
  name(column, row) {
    const file = this.flipped ? this.files - 1 - column : column;
    const rank = this.flipped ? row : this.ranks - 1 - row;
    return String.fromCharCode(97 + file) + (rank + 1);
  }

  /** Column and row of a square. @param {string} name @returns {[number, number]} */
  place(name) {
    const file = name.charCodeAt(0) - 97;
    const rank = Number(name.slice(1)) - 1;
    return this.flipped ? [this.files - 1 - file, rank] : [file, this.ranks - 1 - rank];
  }

  /** @param {string} name @returns {[number, number]} */
  corner(name) {
    const [column, row] = this.place(name);
    return [EDGE + column * CELL, row * CELL];
  }

  /** @param {string} name @returns {[number, number]} */
  middle(name) {
    const [x, y] = this.corner(name);
    return [x + CELL / 2, y + CELL / 2];
  }
}

/** The amazon's shape. @param {string} what @param {number} x @param {number} y */
function amazon(what, x, y) {
  const shape = svgElement("g", {
    class: what === "Q" ? "piece white-amazon" : "piece black-amazon",
    transform: `translate(${x + 9} ${y + 5}) scale(0.82 0.86)`,
  });
  shape.append(
    svgElement("path", { d: "M20 34 L31 62 L50 24 L69 62 L80 34 L74 76 L26 76 Z" }),
    svgElement("rect", { x: 25, y: 79, width: 50, height: 8, rx: 3 }),
    svgElement("circle", { cx: 20, cy: 29, r: 6 }),
    svgElement("circle", { cx: 50, cy: 18, r: 7 }),
    svgElement("circle", { cx: 80, cy: 29, r: 6 }));
  return shape;
}

/** @param {Geometry} geometry @param {Placement} placement */
function pieces(geometry, { squares, move }) {
  return [...squares].flatMap(([name, what]) => {
    const [x, y] = geometry.corner(name);
    if (what !== "*") {
      const shape = svgElement("g", { "data-square": name }, amazon(what, x, y));
      return [shape];
    }
    const isNew = move && move.arrow === name;
    return [
      svgElement("rect", { class: isNew ? "arrow arrow-new" : "arrow", x: x + 16, y: y + 16, width: 68, height: 68, rx: 14 }),
      svgElement("path", { class: "arrow-cross", d: `M${x + 36} ${y + 36} l28 28 m0 -28 l-28 28` })];
  });
}

/** The squares and lines of the last move. @param {Geometry} geometry @param {MoveParts | null} move */
function lastMove(geometry, move) {
  if (!move) return [];
  const squares = [[move.from, "mark-from"], [move.to, "mark-to"]].map(([name, mark]) => {
    const [x, y] = geometry.corner(name);
    return svgElement("rect", { class: mark, x, y, width: CELL, height: CELL });
  });
  const [[x1, y1], [x2, y2], [x3, y3]] = [move.from, move.to, move.arrow].map((name) => geometry.middle(name));
  return [...squares,
    svgElement("line", { class: "path walk", x1, y1, x2, y2 }),
    svgElement("line", { class: "path shot", x1: x2, y1: y2, x2: x3, y2: y3 })];
}

/** @param {Geometry} geometry */
function coordinates(geometry) {
  const texts = [];
  for (let row = 0; row < geometry.ranks; row++) {
    texts.push(svgElement("text", { x: 24, y: (row + 0.5) * CELL, "aria-hidden": "true" }, geometry.name(0, row).slice(1)));
  }
  for (let column = 0; column < geometry.files; column++) {
    texts.push(svgElement("text", { x: EDGE + (column + 0.5) * CELL, y: geometry.ranks * CELL + 26, "aria-hidden": "true" },
      geometry.name(column, 0).charAt(0)));
  }
  return texts;
}

/** @param {string} name */
const shade = (name) => ((name.charCodeAt(0) + Number(name.slice(1))) % 2 ? "light" : "dark");

/**
 * A board to look at.
 * @param {{ files: number, ranks: number }} board
 * @param {Placement} placement
 * @param {{ flipped?: boolean, label?: string }} [options]
 */
export function drawBoard({ files, ranks }, placement, options = {}) {
  const geometry = new Geometry(files, ranks, options.flipped ?? false);
  const root = svgElement("svg", {
    class: "board", viewBox: `0 0 ${geometry.width} ${geometry.height}`, role: "img", "aria-label": options.label ?? "Board",
  });
  for (let row = 0; row < ranks; row++) {
    for (let column = 0; column < files; column++) {
      const name = geometry.name(column, row);
      root.append(svgElement("rect", { class: shade(name), x: EDGE + column * CELL, y: row * CELL, width: CELL, height: CELL }));
    }
  }
  root.append(...coordinates(geometry), ...lastMove(geometry, placement.move), ...pieces(geometry, placement));
  return root;
}

/**
 * What stands on a board to play on, beside the position.
 * @typedef {object} BoardView
 * @property {Placement} placement
 * @property {string[]} [movable] amazons that may be touched
 * @property {string | null} [chosen] the amazon that was touched
 * @property {string[]} [targets] where it may go
 * @property {string[]} [shots] where its arrow may land
 * @property {Map<string, number> | null} [owners] who will own each square, 1 White, -1 Black
 * @property {{ move: string, share: number }[]} [best] the best moves, with their share of the first one's worth
 * @property {string | null} [slide] the square from which the last moved amazon is seen to come
 */

/** A board to play on: a grid with one square in the tab order, which arrow keys move. */
export class PlayBoard {
  /** @type {Map<string, SVGElement>} */
  #cells = new Map();
  #geometry = new Geometry(6, 6, false);
  #focused = "a1";
  /** @type {BoardView} */
  #view = { placement: { squares: new Map(), side: "w", move: null } };

  /**
   * @param {HTMLElement} place
   * @param {{ touch: (square: string) => void, key: (event: KeyboardEvent) => boolean,
   *   describe: (square: string, what: string, view: BoardView) => string, label: () => string }} told
   */
  constructor(place, told) {
    this.place = place;
    this.told = told;
    place.addEventListener("click", (event) => {
      const cell = event.target instanceof Element && event.target.closest("[data-cell]");
      const name = cell && cell.getAttribute("data-cell");
      if (!name) return;
      this.#rove(name, false);
      told.touch(name);
    });
    place.addEventListener("keydown", (event) => this.#key(event));
    place.addEventListener("focusin", (event) => {
      const name = event.target instanceof Element && event.target.getAttribute("data-cell");
      if (name) this.#rove(name, false);
    });
  }

  /**
   * @param {number} files
   * @param {number} ranks
   * @param {boolean} flipped
   */
  shape(files, ranks, flipped) {
    const before = this.#geometry;
    if (this.#cells.size > 0 && before.files === files && before.ranks === ranks && before.flipped === flipped) return;
    const hadFocus = this.place.contains(document.activeElement);
    const geometry = this.#geometry = new Geometry(files, ranks, flipped);
    const root = svgElement("svg", { class: "board", viewBox: `0 0 ${geometry.width} ${geometry.height}`, role: "grid" });
    this.#cells.clear();
    for (let row = 0; row < ranks; row++) {
      const line = svgElement("g", { role: "row" });
      for (let column = 0; column < files; column++) {
        const name = geometry.name(column, row);
        const [x, y] = [EDGE + column * CELL, row * CELL];
        const cell = svgElement("g", { role: "gridcell", "data-cell": name, tabindex: -1 },
          svgElement("rect", { class: shade(name), x, y, width: CELL, height: CELL }),
          svgElement("rect", { class: "focus-ring", x: x + 4, y: y + 4, width: CELL - 8, height: CELL - 8, rx: 8 }));
        this.#cells.set(name, cell);
        line.append(cell);
      }
      root.append(line);
    }
    root.append(...coordinates(geometry), svgElement("g", { class: "overlay", "aria-hidden": "true" }));
    this.place.replaceChildren(root);
    if (!this.#cells.has(this.#focused)) this.#focused = geometry.name(0, ranks - 1);
    this.#rove(this.#focused, hadFocus);
  }

  /** @param {BoardView} view */
  show(view) {
    this.#view = view;
    const root = this.place.querySelector("svg");
    root?.setAttribute("aria-label", this.told.label());
    const overlay = this.place.querySelector(".overlay");
    if (!overlay) return;
    const { placement, movable = [], chosen = null, targets = [], shots = [] } = view;
    const touchable = new Set(shots.length > 0 ? shots : [...targets, ...movable]);
    for (const [name, cell] of this.#cells) {
      const what = placement.squares.get(name) ?? "";
      cell.setAttribute("aria-label", this.told.describe(name, what, view));
      cell.setAttribute("aria-selected", String(name === chosen));
      cell.classList.toggle("touchable", touchable.has(name));
    }
    const geometry = this.#geometry;
    const box = (/** @type {string} */ name, /** @type {string} */ mark) => {
      const [x, y] = geometry.corner(name);
      return svgElement("rect", { class: mark, x, y, width: CELL, height: CELL });
    };
    const children = [
      ...lastMove(geometry, placement.move),
      ...owners(geometry, view.owners ?? null),
      ...(chosen ? [box(chosen, "mark-chosen")] : []),
      ...shots.map((name) => box(name, "mark-shot")),
      ...pieces(geometry, placement),
      ...movable.filter(() => !chosen && shots.length === 0).map((name) => {
        const [x, y] = geometry.corner(name);
        return svgElement("path", { class: "can-move", d: `M${x + 36} ${y + 94} h28` });
      }),
      ...targets.map((name) => {
        const [cx, cy] = geometry.middle(name);
        return svgElement("circle", { class: "dot-target", cx, cy, r: 15 });
      }),
      ...shots.map((name) => {
        const [x, y] = geometry.middle(name);
        return svgElement("path", { class: "cross-target", d: `M${x - 15} ${y} h30 M${x} ${y - 15} v30` });
      }),
      ...bestMoves(geometry, view.best ?? []),
    ];
    overlay.replaceChildren(...children);
    if (view.slide && placement.move) this.#slide(overlay, view.slide, placement.move.to);
  }

  /** @param {string} name */
  focus(name) {
    this.#rove(name, true);
  }

  /** The square in the tab order. */
  get focused() {
    return this.#focused;
  }

  /** @param {Element} overlay @param {string} from @param {string} to */
  #slide(overlay, from, to) {
    const shape = overlay.querySelector(`[data-square="${to}"]`);
    if (!shape || !shape.animate || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [[x1, y1], [x2, y2]] = [this.#geometry.corner(from), this.#geometry.corner(to)];
    shape.animate([{ transform: `translate(${x1 - x2}px, ${y1 - y2}px)` }, { transform: "none" }], { duration: 260, easing: "ease-out" });
  }

  /** @param {string} name @param {boolean} focus */
  #rove(name, focus) {
    this.#cells.get(this.#focused)?.setAttribute("tabindex", "-1");
    this.#focused = name;
    const cell = this.#cells.get(name);
    cell?.setAttribute("tabindex", "0");
    if (focus) cell?.focus({ preventScroll: false });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [column, row] = this.#geometry.place(this.#focused);
    const { files, ranks } = this.#geometry;
    /** @type {Record<string, [number, number]>} */
    const steps = {
      ArrowLeft: [column - 1, row], ArrowRight: [column + 1, row], ArrowUp: [column, row - 1], ArrowDown: [column, row + 1],
      Home: [0, row], End: [files - 1, row], PageUp: [column, 0], PageDown: [column, ranks - 1],
    };
    const step = steps[event.key];
    if (step) {
      const [x, y] = step;
      if (x >= 0 && x < files && y >= 0 && y < ranks) this.#rove(this.#geometry.name(x, y), true);
    } else if (event.key === "Enter" || event.key === " ") {
      this.told.touch(this.#focused);
    } else if (!this.told.key(event)) {
      return;
    }
    event.preventDefault();
  }
}

/** @param {Geometry} geometry @param {Map<string, number> | null} map */
function owners(geometry, map) {
  return [...(map ?? [])].filter(([, owner]) => Math.abs(owner) >= 0.08).map(([name, owner]) => {
    const [x, y] = geometry.middle(name);
    const half = 8 + 26 * Math.abs(owner);
    // A full square for White, a turned one for Black: the shape says it without the colour.
    return svgElement("rect", {
      class: owner > 0 ? "owner-white" : "owner-black", x: x - half, y: y - half, width: 2 * half, height: 2 * half,
      transform: owner > 0 ? undefined : `rotate(45 ${x} ${y}) scale(1)`,
    });
  });
}

/** @param {Geometry} geometry @param {{ move: string, share: number }[]} moves */
function bestMoves(geometry, moves) {
  /** @type {SVGElement[]} */
  const labels = [];
  const lines = moves.map(({ move, share }, place) => {
    const { from, to, arrow } = moveParts(move);
    const [[x1, y1], [x2, y2], [x3, y3]] = [from, to, arrow].map((name) => geometry.middle(name));
    const [width, opacity] = [5 + 9 * share, 0.45 + 0.5 * share];
    labels.push(svgElement("g", { class: "best-label" },
      svgElement("circle", { cx: x2, cy: y2, r: 19 }), svgElement("text", { x: x2, y: y2 + 1 }, String(place + 1))));
    return svgElement("g", { class: "best", opacity },
      svgElement("line", { class: "best-walk", x1, y1, x2, y2, "stroke-width": width }),
      svgElement("line", { class: "best-shot", x1: x2, y1: y2, x2: x3, y2: y3, "stroke-width": width }),
      svgElement("circle", { class: "best-end", cx: x3, cy: y3, r: 12 }));
  });
  // No line crosses a number.
  return [...lines, ...labels];
}
