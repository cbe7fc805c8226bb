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

// Run one thing, and say what went wrong instead of failing in silence.
export const tried = (work) => async (...given) => {
  try { say(""); return await work(...given); } catch (error) { say(error.message); }
};
