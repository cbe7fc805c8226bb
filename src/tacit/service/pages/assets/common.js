// What all pages share. Ids, titles and tags are set as text, never as markup.

export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name in node && !name.includes("-") && name !== "list") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const drawn = (tag, properties = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};

export const figure = (value, digits = 3) =>
  Number.isFinite(value) ? value.toLocaleString("en", { maximumSignificantDigits: digits }) : "–";

// Scores stand below each other: as many digits in each.
export const score = (value) => (Number.isFinite(value) ? value.toLocaleString("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 }) : "–");

const trouble = document.getElementById("trouble");
export const say = (sentence) => { trouble.textContent = sentence; };

async function answered(response) {
  const found = await response.json();
  if (!response.ok) throw new Error(found.error ?? `the service answered ${response.status}`);
  return found;
}

export const get = async (path) => answered(await fetch(path));

export async function post(model, question, body = {}) {
  return answered(await fetch(`/v1/models/${encodeURIComponent(model)}/${question}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  }));
}

// Every state is a link: fields of `plain` are kept in the address, as JSON, where they differ from it.
export function linked(plain, changed) {
  const read = () => {
    const state = structuredClone(plain);
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (!(name in plain)) continue;
      try { state[name] = JSON.parse(value); } catch { state[name] = value; }
    }
    return state;
  };
  const address = (state) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(state)) {
      if (JSON.stringify(value) !== JSON.stringify(plain[name])) query.set(name, JSON.stringify(value));
    }
    return `${location.pathname}${query.size ? `?${query}` : ""}`;
  };
  addEventListener("popstate", () => changed(read()));
  return { read, address, go(state) { history.pushState(null, "", address(state)); changed(state); } };
}

// An id or a name on one line, however long it is.
export const brief = (value) => make("bdi", { className: "brief", title: String(value).slice(0, 1000) }, String(value));

const FOCUSABLE = "a[href], button, input, select, textarea, summary";
const called = (node) => node.getAttribute("aria-label") || node.name || node.textContent;

// Whoever works by keyboard stays where they were when `root` is drawn anew: on what is called the same, else at the same
// place. Call it before, and what it returns after.
export function keptFocus(root) {
  const all = () => [...root.querySelectorAll(FOCUSABLE)].filter((node) => !node.disabled);
  const held = document.activeElement, place = all().indexOf(held), name = place < 0 ? null : called(held);
  return () => {
    if (place < 0 || document.activeElement !== document.body) return;
    const now = all();
    (now.find((node) => called(node) === name) ?? now[Math.min(place, now.length - 1)])?.focus({ preventScroll: true });
  };
}

// Of several runs only the newest may draw or complain: after every wait, `work` asks whether it is that one.
export function newest(work) {
  let run = 0;
  return async (...given) => {
    const mine = ++run, still = () => mine === run;
    say("");
    try { await work(still, ...given); } catch (error) { if (still()) say(error.message); }
  };
}

// Run one thing, and say what went wrong instead of failing in silence.
export const tried = (work) => async (...given) => {
  try { say(""); return await work(...given); } catch (error) { say(error.message); }
};
