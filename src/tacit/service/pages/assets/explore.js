import { brief, drawn, figure, get, keptFocus, linked, make, newest, post, say, score, tried } from "/static/common.js";
import { fold } from "/look/fold.js";

const plain = {
  model: null, beside: null, side: "cols", id: null, history: [], without: [], exclude: [], why: null, seen: false,
  context: {}, plus: [], minus: [], map: false, text: "",
};
const app = document.getElementById("app");
const asks = make("div"), more = make("div"), views = make("div", { className: "beside" });
const found = make("ul", { className: "found", "aria-label": "Found" });
let models = [], about = {}, asked = plain;
const address = linked(plain, (state) => show(state));
const names = new Map(), abouts = new Map();

const job = (model) => model.answers.includes("neighbours") ? "words"
  : model.answers.includes("tags") ? "tags" : model.answers.includes("grade") ? "grades" : "items";
const named = (name) => models.find((one) => one.name === name);
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const without = (list, id) => list.filter((one) => !same(one, id));
const remember = (ids, titles) => ids.forEach((id, place) => { if (titles?.[place]) names.set(JSON.stringify(id), titles[place]); });
const label = (id) => [make("bdi", { className: "id" }, String(id)),
  names.has(JSON.stringify(id)) && make("bdi", { className: "title" }, names.get(JSON.stringify(id)))];
const go = (state, changes) => address.go({ ...state, ...changes });
const link = (state, changes, ...content) => make("a", {
  href: address.address({ ...state, ...changes }),
  onclick: (event) => { if (!event.ctrlKey && !event.metaKey) { event.preventDefault(); go(state, changes); } },
}, content);
const chip = (text, title, act) => make("button", { type: "button", title, "aria-label": `${title}: ${text}`, onclick: act }, brief(text), " ×");

// -- the form: which model, which side, search as one types. It is built once and then only changed, so that nobody's
// typing is lost: a list keeps the letters that it has heard, and the box its words.

const choice = (name, text, act) => {
  const list = make("select", { name, onchange: () => act(list.value) });
  return make("label", {}, text, list);
};
const box = make("input", {
  type: "search", name: "search", autocomplete: "off", spellcheck: false,
  oninput: () => search(asked, box.value),
  onkeydown: (event) => { if (event.key === "ArrowDown") { event.preventDefault(); found.querySelector("button")?.focus(); } },
});
const sought = make("span"), searched = make("label", { className: "grows" }, sought, box);
const chosen = choice("model", "Model", (name) => go(plain, { model: name }));
const beside = choice("beside", "Beside it", (name) => go(asked, { beside: name || null }));
const side = choice("side", "Search", (name) => go(plain, { model: asked.model, beside: asked.beside, side: name, history: asked.history }));

function offer(label, options, value) {
  const list = label.lastChild;
  if (!same(options, [...list.options].map((one) => [one.value, one.text]))) {
    list.replaceChildren(...options.map(([name, text]) => make("option", { value: name }, text)));
  }
  list.value = value;
  label.hidden = options.length < 2;
}

function fillForm(state) {
  const model = named(state.model), sides = Object.keys(about.sides ?? {});
  const others = models.filter((one) => one.name !== state.model && job(one) === job(model));
  offer(chosen, models.map((one) => [one.name, one.name]), state.model);
  chosen.hidden = false;
  offer(beside, [["", "nothing"], ...others.map((one) => [one.name, one.name])], state.beside ?? "");
  offer(side, sides.length > 1 ? [["cols", "items"], ["rows", "users"]] : [], state.side);
  searched.hidden = !sides.length;
  sought.textContent = job(model) === "words" ? "Word" : state.side === "rows" ? "User" : "Id or title";
  if (!asks.firstChild) asks.append(make("div", { className: "row" }, chosen, beside, side, searched));
}

// An empty question ends the search: what is still under way comes to nothing.
const search = newest(async (still, state, q) => {
  if (!q.trim()) { found.replaceChildren(); return; }
  const { results } = await post(state.model, "search", { q, side: state.side });
  if (!still()) return;
  found.replaceChildren(...results.map(({ id, title }) => {
    remember([id], [title]);
    return make("li", {}, make("button", { type: "button", onclick: () => pick(state, id), onkeydown: walk }, label(id)));
  }));
  if (!results.length) found.replaceChildren(make("li", { className: "none soft" }, "Nothing found. Ids and titles are searched by how their words begin."));
});

const pick = (state, id) => job(named(state.model)) === "words"
  ? go(state, { plus: [...without(state.plus, id), id] }) : go(state, { id, without: [], exclude: [], why: null });

function walk(event) {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (!step) return;
  event.preventDefault();
  (event.currentTarget.parentNode[step]?.querySelector("button") ?? box).focus();
}

// -- panels

const panel = (title, ...content) => make("section", { className: "panel" }, make("h2", {}, title), content);
const listed = (ids, scores, item) => ids.length ? make("ol", { className: "list" }, ids.map((id, place) => item(id, scores[place]))) : make("p", { className: "soft" }, "Nothing is left to show.");
const add = (state, id) => make("button", {
  type: "button", "aria-label": `add ${id} to the what-if user`, onclick: () => go(state, { history: [...without(state.history, id), id] }),
}, "+ what-if");

async function neighbours(state, name) {
  const { results: [{ ids, scores, titles }] } = await post(name, "similar", { ids: [state.id], side: state.side, k: 12 });
  remember(ids, titles);
  return panel(["Nearest in ", brief(name)], listed(ids, scores, (id, value) => make("li", {},
    make("span", {}, link(state, { id, without: [], why: null }, label(id))),
    make("span", { className: "does" }, make("span", { className: "score" }, score(value)), state.side === "cols" && add(state, id)))));
}

// A known user with nothing taken away is asked by name; any other by what is left of the history.
function question(state, history) {
  const context = Object.keys(state.context).length ? { context: state.context } : {};
  const left = history.filter((one) => !state.without.some((gone) => same(gone, one.id)));
  const wishes = { k: 10, exclude_seen: !state.seen, ...context, ...(state.exclude.length && { exclude: state.exclude }) };
  if (state.id !== null && !state.without.length) return { ...wishes, rows: [state.id] };
  return { ...wishes, histories: [{ cols: left.map((one) => one.id), weights: left.map((one) => one.weight) }] };
}

async function list(state, name, history) {
  const asked = question(state, history);
  if (asked.histories && !asked.histories[0].cols.length) return panel(name, make("p", { className: "soft" }, "Nothing is left of the history."));
  const changed = state.without.length || state.exclude.length;
  const [{ results: [now] }, before] = await Promise.all([post(name, "recommend", asked),
    changed ? post(name, "recommend", question({ ...state, without: [], exclude: [] }, history)) : null]);
  remember(now.ids, now.titles);
  const old = before?.results[0].ids ?? now.ids;
  const moved = (id, place) => {
    const was = old.findIndex((one) => same(one, id));
    if (!changed || was === place) return null;
    return make("span", { className: was < 0 || was > place ? "up" : "down" }, was < 0 ? "new" : was > place ? `up ${was - place}` : `down ${place - was}`);
  };
  const answers = named(name).answers.includes("why");
  const rows = listed(now.ids, now.scores, (id, value) => make("li", {},
    make("span", {}, link(state, { id, side: "cols", without: [], why: null, exclude: [] }, label(id))),
    make("span", { className: "does" }, moved(id, now.ids.indexOf(id)), make("span", { className: "score" }, score(value)),
      answers && make("button", { type: "button", "aria-label": `why ${id}`, "aria-pressed": String(same(state.why, id)), onclick: () => go(state, { why: same(state.why, id) ? null : id }) }, "why"),
      make("button", { type: "button", "aria-label": `leave out ${id}`, onclick: () => go(state, { exclude: [...state.exclude, id] }) }, "leave out"))));
  const gone = old.filter((id) => !now.ids.some((one) => same(one, id)));
  return panel(["Best for ", state.id === null ? "the what-if user" : brief(state.id), " in ", brief(name)], rows,
    gone.length ? make("p", { className: "soft", id: "gone" }, "No longer in the list: ", gone.flatMap((id, place) => [place ? ", " : "", brief(id)])) : null,
    state.why !== null && answers ? await because(state, name, history) : null);
}

async function because(state, name, history) {
  const left = history.filter((one) => !state.without.some((gone) => same(gone, one.id)));
  const known = state.id !== null && !state.without.length;
  const found = await post(name, "why", { col: state.why,
    ...(known ? { row: state.id } : { history: { cols: left.map((one) => one.id), weights: left.map((one) => one.weight) } }) });
  const rest = found.remainder ? `, and ${signed(found.remainder)} that no single part accounts for` : "";
  // A what-if user has no history to strike through: what is taken away is gone.
  const away = (id) => (state.id === null ? { history: without(state.history, id), why: null } : { without: [...without(state.without, id), id] });
  return reasons(state.why, found, known ? `What each part of the history adds${rest}; together they are the score.` : "What the score loses when one part of the history is taken away.",
    (id) => make("button", { type: "button", "aria-label": `take away ${id}`, onclick: () => go(state, away(id)) }, "take away"));
}

const signed = (value) => `${value < 0 ? "−" : "+"}${score(Math.abs(value))}`;

function reasons(what, { score: sum, because: parts }, meaning, act) {
  const most = Math.max(...parts.map((part) => Math.abs(part.adds)), 1e-12);
  return make("section", { className: "why", "aria-label": "Why" }, make("h3", {}, "Why ", brief(what), ": score ", score(sum)),
    make("p", { className: "soft" }, parts.length ? meaning : "No single part speaks for it."),
    make("div", { className: "bars" }, parts.slice(0, 12).flatMap(({ id, adds }) => [
      make("span", {}, label(id)), make("meter", { className: adds < 0 ? "against" : "", min: 0, max: most, value: Math.abs(adds), "aria-label": `${id} adds ${figure(adds)}` }),
      make("span", { className: adds < 0 ? "score down" : "score" }, signed(adds)), act(id)])));
}

function historyPanel(state, history) {
  const gone = (id) => state.without.some((one) => same(one, id));
  return make("section", { className: "panel history" },
    make("h2", {}, state.id === null ? "What-if user" : ["History of ", brief(state.id)]),
    make("p", { className: "soft" }, state.id === null ? "Built by you; nothing is stored." : "Take one away, and the list changes."),
    make("ul", { className: "list" }, history.slice(0, 100).map(({ id }) => make("li", {},
      make("span", { className: gone(id) ? "gone" : "" }, label(id)),
      make("span", { className: "does" }, make("button", {
        type: "button", "aria-label": `${gone(id) ? "put back" : "take away"} ${id}`,
        onclick: () => (state.id === null ? go(state, { history: without(state.history, id), why: null })
          : go(state, { without: gone(id) ? without(state.without, id) : [...state.without, id] })),
      }, gone(id) ? "put back" : "take away"))))),
    history.length > 100 ? make("p", { className: "soft" }, `and ${history.length - 100} more`) : null,
    filters(state));
}

function filters(state) {
  const contexts = Object.entries(about.contexts ?? {});
  return make("div", { className: "row" },
    make("label", {}, make("span", {}, make("input", { type: "checkbox", checked: state.seen, onchange: (event) => go(state, { seen: event.target.checked }) }), " also list what they have")),
    contexts.map(([name, ids]) => make("label", {}, name, make("select", { onchange: (event) => go(state, { context: { ...state.context, [name]: JSON.parse(event.target.value) } }) },
      ids.map((id) => make("option", { value: JSON.stringify(id), selected: same(state.context[name], id) }, String(id)))))),
    state.exclude.map((id) => chip(String(id), "left out; allow it again", () => go(state, { exclude: without(state.exclude, id) }))));
}

async function words(state, name) {
  if (!state.plus.length) return panel(name, make("p", { className: "soft" }, "Search a word above."));
  const { results: [{ ids, scores }] } = await post(name, "neighbours", { positive: state.plus, negative: state.minus, k: 15 });
  const map = state.map ? await drawMap(name, [...state.plus, ...state.minus, ...ids]) : make("button", { type: "button", onclick: () => go(state, { map: true }) }, "Draw a map of these");
  return panel(["Nearest in ", brief(name)], listed(ids, scores, (id, value) => make("li", {},
    make("span", {}, link(state, { plus: [id], minus: [] }, label(id))),
    make("span", { className: "does" }, make("span", { className: "score" }, score(value)),
      make("button", { type: "button", "aria-label": `add ${id}`, onclick: () => go(state, { plus: [...without(state.plus, id), id] }) }, "+"),
      make("button", { type: "button", "aria-label": `subtract ${id}`, onclick: () => go(state, { minus: [...without(state.minus, id), id] }) }, "−")))), map);
}

async function drawMap(name, ids) {
  const { places } = await post(name, "map", { ids });
  const width = Math.min(560, Math.max(280, app.clientWidth - 36)), high = 360;
  const [xs, ys] = [0, 1].map((axis) => places.map((one) => one[axis]));
  const scaled = (value, all, size, edge) => edge + (size - 2 * edge) * (value - Math.min(...all)) / (Math.max(...all) - Math.min(...all) || 1);
  return drawn("svg", { class: "map", viewBox: `0 0 ${width} ${high}`, role: "img", "aria-label": `Map of ${ids.length} words: near words stand near each other` },
    ...ids.map((id, place) => {
      const text = String(id).slice(0, 40), half = Math.min(width / 2, 3.6 * text.length + 4);
      const x = Math.min(width - half, Math.max(half, scaled(xs[place], xs, width, 10)));
      const word = drawn("text", { x, y: scaled(ys[place], ys, high, 18), "text-anchor": "middle", class: place ? "" : "name-a value" });
      word.textContent = text;
      return word;
    }));
}

function wordChips(state) {
  return make("div", { className: "row" },
    state.plus.map((word) => chip(`+ ${word}`, "remove", () => go(state, { plus: without(state.plus, word) }))),
    state.minus.map((word) => chip(`− ${word}`, "remove", () => go(state, { minus: without(state.minus, word) }))),
    make("p", { className: "soft" }, "An analogy: Paris − France + Italy. Add and subtract words with the buttons beside them."));
}

function textForm(state) {
  const box = make("textarea", { rows: 3, value: state.text });
  return make("form", { className: "row", onsubmit: (event) => { event.preventDefault(); go(state, { text: box.value, why: null }); } },
    make("label", { className: "grows" }, "Text", box), make("button", {}, "Tag it"));
}

async function tags(state, name) {
  if (!state.text.trim()) return make("p", { className: "soft" }, "Write or paste a text: you see the tags that fit best, and which words speak for them.");
  const { results: [{ ids, scores }] } = await post(name, "tags", { texts: [state.text], k: 10 });
  const chosen = (id) => same(state.why, id);
  const rows = listed(ids, scores, (id, value) => make("li", {}, make("span", {}, label(id)),
    make("span", { className: "does" }, make("span", { className: "score" }, score(value)),
      make("button", { type: "button", "aria-label": `why ${id}`, "aria-pressed": String(chosen(id)), onclick: () => go(state, { why: chosen(id) ? null : id }) }, "why"))));
  return panel(["Best tags by ", brief(name)], rows, state.why === null ? null : await speaking(state, name));
}

async function speaking(state, name) {
  const found = await post(name, "why", { col: state.why, text: state.text });
  const exactly = (word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const whole = (word) => new RegExp(`(?<![\\p{L}\\p{N}_])${exactly(word)}(?![\\p{L}\\p{N}_])`, "giu");
  return reasons(state.why, found, "What each word adds to the score.",
    (word) => make("button", { type: "button", "aria-label": `take away ${word}`, onclick: () => go(state, { text: state.text.replace(whole(word), " ").replace(/\s+/g, " ").trim() }) }, "take away"));
}

// A title that no list has brought yet.
async function titled(state) {
  if (names.has(JSON.stringify(state.id))) return;
  const { results } = await post(state.model, "search", { q: String(state.id), side: state.side, n: 1 });
  results.filter(({ id }) => same(id, state.id)).forEach(({ id, title }) => remember([id], [title]));
}

// Something to click before anybody has typed.
async function often(state) {
  const { results } = await post(state.model, "search", { q: "", side: state.side });
  remember(results.map(({ id }) => id), results.map(({ title }) => title));
  return panel(state.side === "rows" ? "Users with the longest histories" : "Items that occur most often", make("ol", { className: "list" },
    results.map(({ id }) => make("li", {}, make("span", {}, link(state, { id }, label(id))), state.side === "cols" && addable(state, id)))));
}
const addable = (state, id) => named(state.model).answers.includes("why") && make("span", { className: "does" }, add(state, id));

// What stands below the form; old panels stay until the new ones are here, so that nothing jumps.
async function panelsOf(state, shown, kind) {
  const model = named(state.model), every = (part) => Promise.all(shown.map(part));
  if (kind === "grades") return [make("p", {}, "This model grades rows: ", make("a", { href: "/grade" }, "open the grading page"), ".")];
  if (kind === "words") return every((name) => words(state, name));
  if (kind === "tags") return every((name) => tags(state, name));
  const user = state.side === "rows" && state.id !== null;
  const panels = [];
  if (user) {
    const taken = model.answers.includes("predict") ? { cols: [], weights: [] } : await post(state.model, "history", { row: state.id });
    remember(taken.cols, taken.titles);
    const history = taken.cols.map((id, place) => ({ id, weight: taken.weights[place] }));
    if (history.length) panels.push(historyPanel(state, history));
    panels.push(...await every((name) => list(state, name, history)));
  } else if (state.id !== null) {
    const able = shown.filter((name) => named(name).answers.includes("similar"));
    await titled(state);
    panels.push(make("section", { className: "panel" }, make("h2", {}, label(state.id)), model.answers.includes("why") && add(state, state.id)));
    panels.push(...await Promise.all(able.map((name) => neighbours(state, name))));
  }
  if (!user && state.history.length) {
    const history = state.history.map((id) => ({ id, weight: 1 }));
    const whatIf = { ...state, id: null, without: [] };
    panels.push(historyPanel({ ...state, id: null }, history), ...await every((name) => list(whatIf, name, history)));
  }
  if (panels.length) return panels;
  return [make("section", { className: "panel" }, make("h2", {}, "Where to begin"),
    make("p", { className: "soft" }, state.side === "rows" ? "Search a user, or take one of these: you see the history, the list, and why."
      : "Search an item, or take one of these: you see its neighbours. Add items to a what-if user to see what would be recommended.")), await often(state)];
}

const show = newest(async (still, state) => {
  state = { ...state, model: named(state.model) ? state.model : models.find((one) => job(one) === "items")?.name ?? models[0].name };
  const kind = job(named(state.model)), shown = [state.model, named(state.beside)?.name].filter(Boolean);
  const picked = found.contains(document.activeElement), refocus = keptFocus(app);
  // The box is emptied before anything is waited for: what is typed from now on is a question to this state.
  asked = state;
  box.value = "";
  search(state, "");
  const known = abouts.get(state.model) ?? await post(state.model, "about");
  abouts.set(state.model, known);
  if (!still()) return;
  about = known;
  for (const [name, ids] of Object.entries(about.contexts)) state.context[name] ??= ids[0];
  views.setAttribute("aria-busy", "true");
  fillForm(state);
  more.replaceChildren(...(kind === "words" ? [wordChips(state)] : kind === "tags" ? [textForm(state)] : []));
  try {
    const panels = await panelsOf(state, shown, kind);
    if (!still()) return;
    views.replaceChildren(...panels);
    fold(views, "h2 > .id, h2 > .title");
  } catch (error) {
    if (still()) views.replaceChildren();
    throw error;
  } finally {
    if (still()) views.setAttribute("aria-busy", "false");
  }
  const heading = picked && views.querySelector("h2");
  const idle = document.activeElement === document.body; // else somebody has gone on meanwhile
  if (heading && idle) { heading.tabIndex = -1; heading.focus({ preventScroll: true }); } else refocus();
});

tried(async () => {
  ({ models } = await get("/v1/models"));
  if (!models.length) { say("no model is served."); return; }
  app.replaceChildren(asks, found, more, views);
  await show(address.read());
  if (document.activeElement === document.body) box.focus();
})();
