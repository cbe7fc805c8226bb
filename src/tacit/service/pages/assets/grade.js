import { brief, drawn, figure, get, keptFocus, linked, make, post, say, tried } from "/static/common.js";
import { fold } from "/look/fold.js";

const app = document.getElementById("app");
const address = linked({ model: null }, () => location.reload());
const fresh = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
const given = [], skipped = [];
let model = null, state = null, current = null, acting = Promise.resolve(), looking = false;

const asked = () => current;
const same = (one, other) => JSON.stringify(one.row) === JSON.stringify(other.row);

// The row that is being looked at stays until it is graded or skipped, whatever the ranker learns meanwhile.
async function look({ stay = false, quietly = false } = {}) {
  let found = await post(model, "grading", { leave: skipped });
  if (!found.rows.some((one) => one.given === null) && skipped.length) { skipped.length = 0; found = await post(model, "grading", {}); }
  const held = stay && current && (found.rows.find((one) => same(one, current)) ?? current);
  current = held && held.given === null ? held : found.rows.find((one) => one.given === null) ?? null;
  if (current) found.rows = [current, ...found.rows.filter((one) => !same(one, current))];
  state = found;
  draw(quietly);
}

async function send(row, grade) {
  await post(model, "events", { events: [{ row, col: grade ?? state.classes[0], accepted: grade === null ? null : true, id: fresh() }] });
}

// However fast keys come, each acts on the row that the one before it has brought.
const act = (work) => { acting = acting.then(tried(work)); };

const grade = (name) => act(async () => {
  const one = asked();
  if (!one) return;
  await send(one.row, name);
  given.push(one);
  await look();
});
const skip = () => act(async () => { const one = asked(); if (one) { skipped.push(one.row); await look(); } });
const undo = () => act(async () => {
  if (!given.length) return;
  const one = given.at(-1);
  await send(one.row, null);
  given.pop();
  current = { ...one, given: null };
  await look({ stay: true });
});

function axis() {
  const all = [...state.scores, ...state.thresholds], low = Math.min(...all), high = Math.max(...all);
  const wide = Math.min(1000, Math.max(290, app.clientWidth - 36));
  const x = (value) => 20 + (wide - 40) * (value - low) / (high - low || 1);
  const svg = drawn("svg", { class: "axis-of-scores", viewBox: `0 0 ${wide} 70`, role: "img", "aria-label": `Scores of rows, and ${state.thresholds.length} thresholds between grades` });
  svg.append(drawn("line", { x1: 20, x2: wide - 20, y1: 42, y2: 42, class: "grid" }));
  state.scores.forEach((score, place) => svg.append(drawn("circle", { cx: x(score), cy: 42 + ((place * 7) % 13) - 6, r: 3, class: "dot" })));
  state.thresholds.forEach((cut) => svg.append(drawn("line", { x1: x(cut), x2: x(cut), y1: 18, y2: 66, class: "cut" })));
  const edges = [low, ...state.thresholds, high];
  state.classes.forEach((name, place) => {
    const text = drawn("text", { x: (x(edges[place]) + x(edges[place + 1])) / 2, y: 14, "text-anchor": "middle" });
    text.textContent = name.length > 12 ? `${name.slice(0, 11)}…` : name;
    svg.append(text);
  });
  const one = asked();
  if (one) svg.append(drawn("circle", { cx: x(one.score), cy: 42, r: 7, class: "here" }));
  return make("figure", {}, make("figcaption", {}, "Scores, and the thresholds between grades"), svg);
}

const shown = (cell) => (cell.trim() && Number.isFinite(Number(cell)) ? figure(Number(cell), 4) : cell);

// After a key the row has the focus, so that the space bar skips; what is drawn in the background moves nobody.
function draw(quietly) {
  const one = asked(), keys = state.classes.slice(0, 9), refocus = keptFocus(app);
  const columns = ["row", "grade", "confidence", "worth", ...state.columns.slice(0, 6)];
  app.replaceChildren(
    make("p", { className: "soft", "aria-live": "polite", id: "counts" }, `${state.graded} graded here, ${state.learned} learned, ${state.open} open. Most worth grading first.`),
    one ? make("section", { className: "panel", id: "asked", tabIndex: -1 }, make("h2", {}, make("bdi", {}, String(one.row))),
      make("p", {}, "predicted ", brief(one.grade), `, confidence ${figure(one.confidence, 2)}`),
      make("dl", { className: "facts" }, state.columns.slice(0, 12).map((name, place) => make("div", {}, make("dt", {}, brief(name)), make("dd", {}, make("bdi", {}, shown(one.features[place])))))),
      make("div", { className: "row" }, keys.map((name, place) => make("button", { type: "button", onclick: () => grade(name) }, brief(name), " ", make("kbd", {}, String(place + 1)))),
        make("button", { type: "button", onclick: skip }, "skip ", make("kbd", {}, "space")),
        make("button", { type: "button", onclick: undo, disabled: !given.length }, "undo ", make("kbd", {}, "backspace"))))
      : make("p", {}, "Every row is graded. Thank you."),
    axis(),
    make("table", { className: "stacks" }, make("caption", { className: "unseen" }, "Rows"), make("thead", {}, make("tr", {}, columns.map((name) => make("th", { scope: "col" }, brief(name))))),
      make("tbody", {}, state.rows.map((line) => make("tr", { className: line === one ? "asked" : line.given ? "graded" : "" },
        [String(line.row), line.given ? `${line.given} (given)` : line.grade, figure(line.confidence, 2), figure(line.worth, 2), ...line.features.slice(0, 6).map(shown)]
          .map((cell, place) => make("td", { "data-column": columns[place], className: place > 3 ? "feature" : "" }, make("bdi", {}, cell))))))));
  fold(app, "#asked h2, #asked dd");
  if (quietly) refocus();
  if (!quietly || document.activeElement === document.body) document.getElementById("asked")?.focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  if (!state || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  if (event.key === " " && event.target.matches("button, a, summary")) return;
  const name = state.classes[Number(event.key) - 1];
  if (event.key === " ") skip(); else if (event.key === "Backspace") undo(); else if (/^[1-9]$/.test(event.key) && name !== undefined) grade(name); else return;
  event.preventDefault();
});

tried(async () => {
  const { models } = await get("/v1/models"), able = models.filter((one) => one.grades);
  model = (able.find((one) => one.name === address.read().model) ?? able[0])?.name;
  if (!model) {
    app.append(make("p", {}, "No rows are served. Start with ", make("code", {}, "tacit serve grades.tacit --rows grades=table.csv"), "."));
    return;
  }
  await look();
  // The ranker learns in the background; what it has learned is drawn when nobody is pressing keys.
  setInterval(() => {
    if (looking || state.learned === state.graded || document.hidden) return;
    looking = true;
    act(() => look({ stay: true, quietly: true }).finally(() => { looking = false; }));
  }, 1500);
  say("");
})();
