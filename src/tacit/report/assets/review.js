// One row, one suspected tag, one key. `source` says where suggestions come from and where decisions go:
//   more(leave, order) → suggestions that are open, without those in `leave`; find(key) → one of them
//   decide(suggestion, choice) → kept when the promise is; "yes", "no", or null to take a decision back
//   tally() → {accepted, rejected, open, likely(score)}; card(suggestion) → its element
//   name → where the undo list is kept; downloads → [[label, function], …]

import { fold } from "./fold.js";

const KEYS = { accept: "a", reject: "x", skip: " ", undo: "Backspace" };
const CHOICES = { accept: "yes", reject: "no", skip: "skip" };
const RECENT = 25;
const shownKey = (key) => ({ " ": "space", Backspace: "backspace", Enter: "enter" })[key] ?? key;
const shortly = (id) => (String(id).length > 80 ? `${String(id).slice(0, 80)}…` : String(id));
const kept = (name, value) => {
  try {
    if (value === undefined) return JSON.parse(localStorage.getItem(name));
    localStorage.setItem(name, JSON.stringify(value));
  } catch { return null; }
};

export const keyOf = (one) => JSON.stringify([one.row, one.label]);

// Wilson's interval: where the share of right suggestions lies, at 95 %.
export function interval(yes, total) {
  if (!total) return [0, 1];
  const z = 1.96, share = yes / total, wide = 1 + z * z / total;
  const middle = (share + z * z / (2 * total)) / wide;
  const half = z * Math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / wide;
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

export function hint(recent) {
  if (recent.length < RECENT) return "";
  const yes = recent.filter((choice) => choice === "yes").length;
  return yes <= RECENT / 5 ? `Only ${yes} of your last ${RECENT} were right: you may stop here.`
    : `${yes} of your last ${RECENT} were right: go on.`;
}

const harmless = (text) => (/^ *[=+@\t\r-]/.test(text) && isNaN(text) ? `'${text}` : text);
const quote = (value) => `"${harmless(String(value)).replaceAll('"', '""')}"`;
export const csv = (columns, lines) => `${[columns, ...lines.map((line) => line.map(quote))].join("\n")}\n`;

// Decisions as `tacit audit --apply` reads them, and the changed rows with all their tags.
export const decisionsTable = (decided) => csv(["row", "label", "accept"], decided.map(({ row, label, choice }) => [row, label, choice]));
export function patchTable(decided) {
  const rows = new Map();
  for (const { row, label, choice, carries } of decided) {
    if (choice === "yes") rows.set(row, [...(rows.get(row) ?? carries), label]);
  }
  return csv(["row", "labels"], [...rows].map(([row, labels]) => [row, labels.join(",")]));
}

export function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

function node(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export async function review(root, source) {
  const keys = { ...KEYS, ...kept("tacit.keys") };
  let queue = [], current = null, order = "score", saving = Promise.resolve(), waiting = 0;
  let acting = Promise.resolve(), asking = null;
  const undoable = kept(source.name) ?? [], skipped = new Set();
  const slot = node("div", { className: "slot" }), said = node("p", { className: "said" }), counts = node("p", { className: "counts" });
  const advice = node("p", { className: "advice" }), done = node("progress", { max: 1, value: 0 });
  done.setAttribute("aria-label", "decided");
  said.setAttribute("role", "alert");
  counts.setAttribute("aria-live", "polite");
  const buttons = {}, bar = node("div", { className: "choice" });
  for (const name of Object.keys(KEYS)) {
    buttons[name] = node("button", { type: "button", className: name, onclick: () => act(name) }, name, " ", node("kbd", {}, shownKey(keys[name])));
    bar.append(buttons[name]);
  }

  // However fast keys come, each acts on the card that the one before it has brought.
  const act = (name) => { acting = acting.then(() => perform(name)); };

  async function perform(name) {
    if (name === "undo") { await undo(); return; }
    if (!current) return;
    const one = current, choice = CHOICES[name];
    undoable.push({ key: keyOf(one), choice });
    kept(source.name, undoable);
    if (choice === "skip") skipped.add(keyOf(one)); else send(one, choice);
    await advance();
  }

  function send(one, choice) {
    waiting += 1;
    // One after the other: an undo never overtakes what it takes back.
    saving = saving.then(() => source.decide(one, choice)).then(() => { said.textContent = ""; }, (error) => {
      said.textContent = `Not saved: ${shortly(one.row)}, ${shortly(one.label)} (${error.message}). Decide it again.`;
      queue.push(one);
    }).finally(() => { waiting -= 1; draw(); });
  }

  async function undo() {
    const last = undoable.pop();
    if (!last) return;
    kept(source.name, undoable);
    try {
      const one = await source.find(last.key);
      if (last.choice === "skip") skipped.delete(last.key); else send(one, null);
      if (current) queue.unshift(current);
      current = one;
      queue = queue.filter((other) => keyOf(other) !== last.key);
    } catch (error) {
      said.textContent = error.message;
    }
    draw(true);
  }

  const inHand = () => [...skipped, ...queue.map(keyOf), ...undoable.filter((one) => one.choice !== "skip").slice(-50).map((one) => one.key), ...(current ? [keyOf(current)] : [])];

  async function refill() {
    const asked = order;
    try {
      const found = await source.more(inHand(), asked), held = inHand();
      if (asked === order) queue.push(...found.filter((one) => !held.includes(keyOf(one))));
    } catch (error) { said.textContent = error.message; }
    asking = null;
  }

  async function advance() {
    current = queue.shift() ?? null;
    if (queue.length < 4) asking ??= refill();
    if (!current) {
      await asking;
      current = queue.shift() ?? null;
    }
    if (!current && skipped.size) {
      skipped.clear();
      await refill();
      current = queue.shift() ?? null;
    }
    draw(true);
  }

  function draw(focus = false) {
    const { accepted, rejected, open, likely } = source.tally(), total = accepted + rejected;
    const [low, high] = interval(accepted, total), percent = (share) => `${Math.round(100 * share)} %`;
    counts.textContent = `${accepted} accepted, ${rejected} rejected, ${open} open`
      + (total ? ` · ${percent(accepted / total)} right (${percent(low)} to ${percent(high)})` : "") + (waiting ? ` · saving ${waiting}` : " · all saved");
    done.value = total; done.max = Math.max(total + open, 1);
    advice.textContent = hint(undoable.filter((one) => one.choice !== "skip").slice(-RECENT).map((one) => one.choice));
    buttons.undo.disabled = !undoable.length;
    for (const name of ["accept", "reject", "skip"]) buttons[name].disabled = !current;
    if (!focus) return;
    const card = current ? source.card(current) : node("article", {}, node("p", {}, "Nothing is open. Thank you."));
    card.tabIndex = -1;
    if (current) {
      const like = likely?.(current.score);
      card.querySelector(".meaning")?.remove();
      card.append(node("p", { className: "meaning" }, `Score ${current.score.toFixed(2)}: how much models that never saw this row expect the tag, less for a tag that few rows have.`
        + (like?.total ? ` Of ${like.total} decided with a like score, ${like.accepted} were right.` : "")));
    }
    slot.replaceChildren(card);
    fold(card, "h2, .new, p, li > div");
    if (!document.activeElement || document.activeElement === document.body || root.contains(document.activeElement)) card.focus({ preventScroll: true });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if ([" ", "Enter"].includes(event.key) && event.target.matches("button, a, summary")) return;
    const name = Object.keys(keys).find((one) => keys[one] === event.key);
    if (!name) return;
    event.preventDefault();
    act(name);
  });

  const setting = node("details", {}, node("summary", {}, "Change keys"), ...Object.keys(KEYS).map((name) => {
    const box = node("input", { value: shownKey(keys[name]), readOnly: true, size: 9 });
    box.addEventListener("keydown", (event) => {
      if (["Tab", "Shift", "Escape"].includes(event.key)) return;
      event.preventDefault();
      if (Object.entries(keys).some(([other, key]) => other !== name && key === event.key)) return;
      keys[name] = event.key;
      box.value = buttons[name].querySelector("kbd").textContent = shownKey(event.key);
      kept("tacit.keys", keys);
    });
    return node("label", {}, name, " ", box);
  }));
  const orders = node("select", { onchange: () => { acting = acting.then(async () => { order = orders.value; queue = []; current = null; await asking; await advance(); }); } },
    ...[["score", "best first"], ["label", "by tag"], ["row", "by row"]].map(([value, text]) => node("option", { value }, text)));
  const files = source.downloads.map(([text, act]) => node("button", { type: "button", onclick: act }, text));
  root.replaceChildren(done, counts, slot, bar, advice, said,
    node("div", { className: "tools" }, node("label", {}, "Order ", orders), ...files, setting));
  await advance();
}
