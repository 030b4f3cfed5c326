// The page, section by section.

const run = JSON.parse(document.getElementById("data").textContent);

// What the curves run over.
const AXES = {
  generation: { name: "generation", whole: true, at: (point) => point.generation },
  time: { name: "hours of work", whole: false, at: (point) => point.elapsed / 3600 },
  games: { name: "games of self-play", whole: true, at: (point) => point.games },
};
if (run.seconds < 2 * 3600) AXES.time = { name: "minutes of work", whole: false, at: (point) => point.elapsed / 60 };
let axis = AXES.generation;
const x = () => axis;

const percent = (share) => `${short(100 * share)} %`;
const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
const count = (number) => number.toLocaleString("en");
// Points need to know where they lie on any axis.
const point = (one, y, low, high) => ({ generation: one.generation, elapsed: one.elapsed, games: one.games, y, low, high });
const points = (y) => run.generations.flatMap((one) => Number.isFinite(y(one)) ? [point(one, y(one))] : []);
const ofGeneration = (generation) => run.generations.find((one) => one.generation === generation);

function duration(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  return minutes > 0 ? `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s` : `${Math.round(seconds)} s`;
}

function section(title, words, ...content) {
  return html("section", {}, html("h2", {}, title), html("p", { class: "soft" }, words), ...content);
}
const missing = (words) => html("p", { class: "missing" }, words);

function head() {
  const states = new Map([[true, "a process is at work on it"], [false, "no process is at work on it"]]);
  const state = states.get(run.running) ?? "whether a process is at work on it is unknown";
  const written = new Date(run.written * 1000).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  return html("header", {}, html("h1", {}, `Run ${run.name}`),
    html("p", { class: "soft" }, `Game of the Amazons, ${run.settings[0].words}. As of ${written}; ${state}, and the next stage to finish is ${run.waits_for}.`));
}

function facts() {
  const last = run.generations[run.generations.length - 1];
  const fact = (number, words) => html("div", { class: "fact" }, html("b", {}, number), html("span", {}, words));
  const all = [
    fact(last ? count(last.generation) : "0", "generations"),
    fact(last ? count(last.games) : "0", "games of self-play"),
    fact(last ? count(last.positions) : "0", "positions"),
    fact(last ? count(last.steps) : "0", "training steps"),
    fact(duration(run.seconds), "of work"),
    fact(run.champion, "champion"),
  ];
  const rated = run.generations.findLast((one) => one.rating !== null);
  if (rated) {
    const [low, high] = rated.rating_interval.map((bound) => signed(Math.round(bound)));
    all.push(fact(`${signed(Math.round(rated.rating))} Elo`, `95 %: ${low} to ${high}; Hard is 0`));
  }
  return html("div", { class: "facts" }, ...all);
}

function axisChoice() {
  const buttons = Object.values(AXES).map((choice) => {
    const button = html("button", { type: "button", "aria-pressed": choice === axis, onclick: () => {
      axis = choice;
      buttons.forEach((one) => one.setAttribute("aria-pressed", one === button));
      redraws.forEach((redraw) => redraw());
    } }, capital(choice.name));
    return button;
  });
  return html("div", { class: "axis" }, "Curves over", ...buttons);
}

function rating() {
  const rated = run.generations.filter((one) => one.rating !== null && one.rating_interval);
  const words = `Of the champion on ${run.rated_on}, by its matches there so far; Hard is 0. The band is the 95 % interval.`;
  if (rated.length === 0) return section("Rating", words, missing("No champion has been rated yet."));
  const line = rated.map((one) => point(one, one.rating, ...one.rating_interval));
  return section("Rating", words, lineChart({
    series: [{ name: "Elo", color: "c1", points: line }], x, height: 300, format: (y) => short(Math.round(y)),
  }));
}

function opponents() {
  const words = `The champion's share of the games on ${run.rated_on}, with 95 % intervals.`;
  const usual = ["easy", "medium", "hard", "classical"];
  const names = [...new Set(run.ratings.flatMap((one) => Object.keys(one.scores)))];
  names.sort((a, b) => (usual.indexOf(a) + 1 || 9) - (usual.indexOf(b) + 1 || 9));
  const series = names.map((name, k) => ({
    name: capital(name),
    color: `c${["3", "2", "1", "4", "5"][k % 5]}`,
    points: run.ratings.flatMap((one) => {
      const [score, place] = [one.scores[name], ofGeneration(one.generation)];
      return score && place ? [point(place, score.score, ...score.interval)] : [];
    }),
  })).filter((one) => one.points.length > 0);
  if (series.length === 0) return section("Score by opponent", words, missing("No match against the levels has been played yet."));
  return section("Score by opponent", words, legend(series),
    lineChart({ series, x, height: 275, to: 1, whiskers: true, format: percent }));
}

function losses() {
  const words = "Mean over each generation's training.";
  const usual = ["total", "policy", "value", "owner", "margin"];
  const names = [...new Set(run.generations.flatMap((one) => Object.keys(one.losses)))];
  names.sort((a, b) => (usual.indexOf(a) + 1 || 9) - (usual.indexOf(b) + 1 || 9));
  const charts = names.map((name, k) => {
    const line = points((one) => one.losses[name]);
    if (line.length === 0) return null;
    return html("div", { class: name === "total" ? "wide" : "" }, html("h3", {}, capital(name)), lineChart({
      series: [{ name: capital(name), color: `c${k % 5 + 1}`, points: line }], x, height: 190,
      format: (y) => y.toFixed(3).replace("-", "−").replace(/0$/, ""),
    }));
  }).filter(Boolean);
  return section("Losses", words, charts.length > 0 ? html("div", { class: "grid" }, ...charts) : missing("No generation has been trained on yet."));
}

function gates() {
  const words = "A match between the newest network and the last one that won such a match, in pairs of games with colours swapped.";
  if (run.gates.length === 0) return section("Gate", words, missing("No gate match has been played yet."));
  const { lower, upper } = run.gates[run.gates.length - 1].sprt;
  const test = ` A log likelihood ratio (LLR) of ${short(upper)} or more accepts the network, one of ${short(lower)} or less turns it away.`;
  const columns = ["Gen", "Board", "Candidate", "Against", "Pairs lost, split, won", "Games", "Score", "Elo (95 %)", "LLR", "Verdict"];
  const isWords = [1, 2, 3, 4, 9];
  const row = (gate) => {
    const games = 2 * gate.pairs.reduce((sum, pairs) => sum + pairs, 0);
    const bar = html("span", { class: "pairs" },
      ...["lost", "split", "won"].map((name, k) => {
        const part = html("i", { class: name });
        part.style.flex = String(gate.pairs[k]);
        return part;
      }));
    const [low, high] = gate.elo_interval.map((bound) => signed(Math.round(bound)));
    const { llr, verdict } = gate.sprt;
    const forfeits = gate.forfeits_candidate + gate.forfeits_champion;
    const cells = [
      count(gate.generation), gate.boards.join(", "), gate.candidate, gate.champion, [bar, gate.pairs.join(" / ")], count(games), percent(gate.score),
      `${signed(Math.round(gate.elo))} [${low}, ${high}]`, (llr > 0 ? "+" : "") + llr.toFixed(2).replace("-", "−"),
      [html("span", { class: `badge ${gate.accepted ? "good" : "bad"}` }, gate.accepted ? "accepted" : "rejected"),
        verdict === "open" ? " at the cap on games" : "", forfeits > 0 ? ` ${forfeits} forfeits` : ""],
    ];
    return html("tr", {}, ...cells.map((cell, k) => html("td", { class: isWords.includes(k) ? "words" : "" }, ...[cell].flat())));
  };
  return section("Gate", words + test, html("div", { class: "scroll", tabindex: "0" }, html("table", {},
    html("thead", {}, html("tr", {}, ...columns.map((name, k) => html("th", { class: isWords.includes(k) ? "words" : "" }, name)))),
    html("tbody", {}, ...run.gates.toReversed().map(row)))));
}

function ladder() {
  if (!run.ladder || run.ladder.players.length === 0) return [];
  const rows = run.ladder.players.toSorted((a, b) => b.elo - a.elo);
  return [section("Ladder", "Ratings from the run's ladder, with 95 % intervals.", intervalChart(rows))];
}

function throughput() {
  const words = "Speeds are means over each generation's stage.";
  const items = run.generations.flatMap((one) => one.stages ? [{ ...point(one), stages: one.stages }] : []);
  if (items.length === 0) return section("Throughput", words, missing("No times have been noted yet."));
  const parts = [["Self-play", "selfplay"], ["Training", "learn"], ["Gate", "gate"], ["Rating", "rating"]]
    .map(([name, key], k) => ({ name, color: `c${k + 1}`, value: (item) => item.stages[key] }));
  const speeds = [["Games a second", "games_per_second"], ["Positions a second", "positions_per_second"], ["Training steps a second", "steps_per_second"]];
  const charts = speeds.map(([name, key], k) => [name, points((one) => one[key] ?? NaN), k]).filter(([, line]) => line.length > 0)
    .map(([name, line, k]) => html("div", {}, html("h3", {}, name), lineChart({
      series: [{ name, color: `c${k + 1}`, points: line }], x, height: 190, from: 0,
    })));
  const stages = html("div", {}, html("h3", {}, "Seconds by stage"), legend(parts), stackedChart({ items, parts, x, height: 190 }));
  return section("Throughput", words, html("div", { class: "grid two" }, ...charts, stages));
}

function games() {
  const { games, damaged } = run.samples;
  const note = damaged > 0 ? ` ${count(damaged)} damaged games were passed over.` : "";
  if (games.length === 0) return section("Games", `Games of self-play.${note}`, missing("No file of games is complete yet."));
  const words = html("p", { class: "soft" }, "Self-play, from the first generation to the newest. ",
    html("kbd", {}, "←"), " ", html("kbd", {}, "→"), " go through a game, ", html("kbd", {}, "space"), ` plays it.${note}`);
  return html("section", { id: "games" }, html("h2", {}, "Games"), words, replay(games));
}

function configuration() {
  return section("Configuration", "", html("dl", {}, ...run.settings.flatMap(({ name, words }) => [html("dt", {}, name), html("dd", {}, words)])),
    html("details", {}, html("summary", {}, "The whole configuration, config.toml"), html("pre", { tabindex: "0" }, run.config)));
}

document.title = `Hippolyta: ${run.name}`;
document.getElementById("report").replaceChildren(
  head(), facts(), axisChoice(), html("div", { class: "pair" }, rating(), opponents()), games(), losses(), gates(), ...ladder(), throughput(), configuration());
