// Games to go through, on the board of the page to play on (web/page/board.js).

// The search's values for White, with the move that is shown marked; a click goes to a move.
function valueCurve(game, ply, go) {
  return chart((width) => {
    const height = 130;
    const moves = game.moves.length;
    const axis = { name: "moves played", whole: true };
    const place = frame({ width, height, xs: [0, Math.max(1, moves)], ys: [-1, 0, 1], x: axis });
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", style: "cursor: pointer" }, ...place.shapes);
    const known = game.white_values.flatMap((value, k) => value === null ? [] : [[place.at(k), place.up(value)]]);
    if (known.length > 0) {
      const line = known.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
      const ends = [known[known.length - 1][0], known[0][0]].map((x) => `${x.toFixed(1)},${place.up(0)}`).join(" ");
      root.append(svg("polygon", { class: "value-area", points: `${line} ${ends}` }),
        svg("polyline", { class: "series c1", points: line }));
    }
    const x = place.at(ply());
    root.append(svg("line", { class: "cursor", x1: x, x2: x, y1: place.top, y2: place.bottom }));
    const value = game.white_values[ply()];
    if (value !== null && value !== undefined) root.append(svg("circle", { class: "dot c1", cx: x, cy: place.up(value), r: 5 }));
    root.addEventListener("click", (event) => {
      const share = (event.clientX - root.getBoundingClientRect().left - place.left) / (place.right - place.left);
      go(Math.round(share * Math.max(1, moves)));
    });
    return [root];
  });
}

function result(game) {
  const winner = game.winner === "white" ? "White" : "Black";
  const how = game.by_verdict ? "decided by territory" : "the other side has no move";
  return `${winner} wins by ${game.margin} ${game.margin === 1 ? "move" : "moves"} (${how}).`;
}

function replay(games) {
  const boardPlace = html("div"), curvePlace = html("div"), movesPlace = html("div", { class: "moves" });
  const state = html("div", { class: "state", "aria-live": "polite" });
  const slider = html("input", { type: "range", min: 0, "aria-label": "Moves played", oninput: () => go(Number(slider.value)) });
  const play = html("button", { type: "button", title: "Play (space)", onclick: toggle }, "Play");
  const step = (label, title, to) => html("button", { type: "button", title, "aria-label": title, onclick: () => { stop(); go(to()); } }, label);
  const first = step("«", "First position (Home)", () => 0);
  const back = step("‹", "Move back (←)", () => ply - 1);
  const next = step("›", "Next move (→)", () => ply + 1);
  const last = step("»", "Last position (End)", () => game.moves.length);
  const chooser = html("select", { "aria-label": "Game", onchange: () => choose(Number(chooser.value)) },
    ...games.map((one, k) => html("option", { value: k },
      `Generation ${one.generation}, game ${one.game + 1}: ${positions(one).files}x${positions(one).ranks}, ${one.moves.length} moves, ${one.winner === "white" ? "White" : "Black"} wins`)));
  const text = html("pre");
  let game, line, ply, timer = null;
  let redrawCurve;

  function choose(k) {
    stop();
    game = games[k];
    line = positions(game);
    ply = 0;
    chooser.value = k;
    slider.max = game.moves.length;
    movesPlace.replaceChildren(...game.moves.flatMap((text, index) => {
      const button = html("button", { type: "button", onclick: () => { stop(); go(index + 1); } }, text);
      if (index > 0 && line.all[index].side === "w") return [html("span", {}, `${line.all.slice(0, index).filter((one) => one.side === "w").length + 1}.`), button];
      return index === 0 ? [html("span", {}, "1."), ...(line.all[0].side === "b" ? [html("span", {}, "…")] : []), button] : [button];
    }));
    if (redrawCurve) redraws.splice(redraws.indexOf(redrawCurve), 1);
    curvePlace.replaceChildren(valueCurve(game, () => ply, (to) => { stop(); go(to); }));
    redrawCurve = redraws[redraws.length - 1];
    // What the page to play on takes, to analyse the game there.
    text.textContent = [game.start, ...game.moves].join("\n");
    go(0);
  }

  function go(to) {
    ply = Math.max(0, Math.min(game.moves.length, to));
    slider.value = ply;
    boardPlace.replaceChildren(drawBoard(line, line.all[ply]));
    const over = ply === game.moves.length;
    const value = game.white_values[ply];
    const turn = line.all[ply].side === "w" ? "White" : "Black";
    const before = ply === 0 ? "Start" : `Move ${ply} of ${game.moves.length}: ${game.moves[ply - 1]}`;
    const words = over ? result(game)
      : value === null ? `${turn} to move; the next move was drawn without a search.`
      : `${turn} to move; value for White ${signed(value)}.`;
    state.replaceChildren(html("b", {}, before), html("br"), words);
    first.disabled = back.disabled = ply === 0;
    next.disabled = last.disabled = over;
    const buttons = movesPlace.querySelectorAll("button");
    buttons.forEach((button, k) => button.setAttribute("aria-current", k === ply - 1));
    const here = buttons[Math.max(0, ply - 1)];
    if (here) movesPlace.scrollTop = here.offsetTop - movesPlace.clientHeight / 2;
    redrawCurve();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  }

  function toggle() {
    if (timer !== null) return stop();
    if (ply === game.moves.length) go(0);
    play.textContent = "Pause";
    timer = setInterval(() => {
      go(ply + 1);
      if (ply === game.moves.length) stop();
    }, 800);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
    if (event.key === " " && event.target.matches("button, summary")) return;
    const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: game.moves.length }[event.key];
    if (to === undefined && event.key !== " ") return;
    if (!inView(boardPlace)) return;
    event.preventDefault();
    if (event.key === " ") return toggle();
    stop();
    go(to);
  });

  const view = html("div", {},
    html("div", { class: "controls" }, chooser),
    html("div", { class: "replay" },
      html("div", {}, boardPlace, html("div", { class: "controls" }, first, back, play, next, last, slider)),
      html("div", {}, state, html("h3", {}, "Value for White, by the search"), curvePlace, movesPlace,
        html("details", {}, html("summary", {}, "The game as text, to paste into the page to play on"), text))));
  choose(games.length - 1);
  return view;
}

// Keys that also scroll the page belong to the board only while it is seen.
function inView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
