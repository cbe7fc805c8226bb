import { drawn, figure, get, linked, make, say } from "/static/common.js";

const app = document.getElementById("app");
const address = linked({ model: null }, () => latest && draw());
const seen = new Map(), SECOND = 1000, WINDOW = 5;
let latest = null;

// Events a second, over the last few answers.
function rate(model, time) {
  const list = seen.get(model.name) ?? [];
  list.push([time, model.sequence]);
  while (list.length > WINDOW) list.shift();
  seen.set(model.name, list);
  const [[began, before]] = list;
  return time > began ? (model.sequence - before) / (time - began) : 0;
}

const milliseconds = (seconds) => (seconds === null ? "beyond 30 s" : `${figure(seconds * 1000)} ms`);
const duration = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${figure(seconds / 3600)} h`);
const tile = (what, value, remark = "") => make("div", { className: "tile" }, make("span", { className: "what" }, what),
  make("span", { className: "figure" }, value), make("span", { className: "remark" }, remark));

// The step of an axis: 1, 2 or 5 times a power of ten, four or five of them.
function step(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  return [1, 2, 5, 10].find((one) => one * power >= most / 4) * power;
}

function curve(stream) {
  const names = { model: ["a", "model"], recent: ["d", "latest 200"], item: ["b", "item's mean"], overall: ["c", "overall mean"] };
  const points = stream.curve, most = Math.max(...points.flatMap((one) => Object.keys(names).map((name) => one[name] ?? 0)), 1e-9) * 1.08;
  const last = points.at(-1).count, first = points[0].count;
  // Drawn as wide as it is shown, so that letters keep their size; on a phone names stand in two lines.
  const wide = Math.min(1000, Math.max(290, app.clientWidth - 36)), each = wide < 480 ? 2 : 4;
  const x = (count) => 46 + (wide - 54) * (count - first) / Math.max(last - first, 1), y = (value) => 232 - 212 * value / most;
  const svg = drawn("svg", { class: "curve", viewBox: `0 0 ${wide} ${each === 2 ? 290 : 270}`, role: "img", "aria-label": `Mean absolute error over ${stream.count} ratings` });
  for (let value = 0; value <= most; value += step(most)) {
    const text = drawn("text", { x: 40, y: y(value) + 4, "text-anchor": "end", class: "axis" });
    text.textContent = figure(value, 2);
    svg.append(drawn("line", { x1: 46, x2: wide - 8, y1: y(value), y2: y(value), class: "grid" }), text);
  }
  Object.entries(names).forEach(([name, [letter, shown]], place) => {
    svg.append(drawn("polyline", { class: `line-${letter}`, points: points.map((one) => `${x(one.count).toFixed(1)},${y(one[name] ?? 0).toFixed(1)}`).join(" ") }));
    const text = drawn("text", { x: 46 + 130 * (place % each), y: 262 + 22 * Math.floor(place / each), class: `name-${letter}` });
    text.textContent = shown;
    svg.append(text);
  });
  return make("figure", {}, make("figcaption", {}, "Running mean absolute error, each rating predicted before it was learned"), svg);
}

function experts(stream) {
  if (!stream.weights) return null;
  return make("figure", {}, make("figcaption", {}, "Weights of the experts"), make("div", { className: "bars two" },
    stream.weights.flatMap((weight, place) => [make("span", {}, stream.experts[place]),
      make("meter", { min: 0, max: 1, value: weight, "aria-label": `expert ${place + 1}: weight ${figure(weight)}` }),
      make("span", { className: "score" }, figure(weight))])));
}

function streamOf(model) {
  const { stream } = model;
  const drift = stream.drift === null ? ["–", "after 400 ratings"] : [figure(stream.drift, 2), `standard errors: ${stream.drift > 3 ? "the world has changed" : stream.drift < -3 ? "better than before" : "steady"}`];
  return make("section", { "aria-label": model.name }, make("h2", {}, make("bdi", {}, model.name)),
    make("div", { className: "tiles" }, tile("ratings learned", figure(stream.count, 12), "since this start"), tile("error", figure(stream.count ? stream.errors.model : NaN), "mean absolute"),
      tile("item's mean errs by", figure(stream.count ? stream.errors.item : NaN)), tile("latest 200", figure(stream.recent ?? NaN)), tile("drift", ...drift)),
    stream.curve.length > 1 ? curve(stream) : make("p", { className: "soft" }, "Waiting for ratings."), experts(stream));
}

function table(columns, rows) {
  return make("table", { className: "stacks" }, make("thead", {}, make("tr", {}, columns.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, rows.map((row) => make("tr", {}, row.map((cell, place) => make("td", { "data-column": columns[place] }, make("bdi", {}, String(cell))))))));
}

function draw() {
  const state = latest, chosen = address.read().model;
  const rates = state.models.map((model) => rate(model, state.time));
  const streams = state.models.filter((model) => model.stream && (!chosen || model.name === chosen));
  app.replaceChildren(
    make("div", { className: "tiles" }, tile("service", state.ready ? "ready" : "not ready"), tile("events a second", figure(rates.reduce((sum, one) => sum + one, 0))),
      tile("events waiting", figure(state.waiting, 12))),
    ...streams.map(streamOf), make("h2", {}, "Models"),
    table(["model", "kind", "events", "a second", "not learned", "snapshot at", "snapshot age"], state.models.map((model, place) =>
      [model.name, model.kind, figure(model.sequence, 12), figure(rates[place]), model.refused, figure(model.snapshot, 12), duration(model.snapshot_age)])),
    make("h2", {}, "Latencies"),
    table(["route", "requests", "median at most", "99 % at most"], state.latencies.map((one) =>
      [one.route === "none" ? "files of pages" : one.route, figure(one.count, 12), milliseconds(one.median), milliseconds(one.p99)])));
}

async function look() {
  if (!document.hidden || latest === null) {
    try { latest = await get("/v1/watch"); say(""); draw(); } catch (error) { say(`The service does not answer: ${error.message}`); }
  }
  setTimeout(look, SECOND);
}
look();
