import { get, linked, make, post, tried } from "/static/common.js";
import { decisionsTable, patchTable, review, save } from "/look/review.js";

const app = document.getElementById("app");
const address = linked({ model: null }, () => location.reload());
const fresh = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

function card(one) {
  const chips = (words, kind, what, outlined = []) => make("p", {}, words.length ? make("span", { className: "what" }, what) : null, words.map((word) =>
    make("bdi", { className: outlined.includes(word) ? `${kind} speaks` : kind }, word)));
  return make("article", { "aria-label": `${one.row}: ${one.label}` },
    make("header", {}, make("h2", {}, make("bdi", {}, String(one.row))), make("bdi", { className: "new" }, `+ ${one.label}`),
      make("span", { className: "score" }, one.score.toFixed(2))),
    make("p", { dir: "auto" }, one.text), chips(one.carries, "tag", "has", one.companions), chips(one.features, "word", "words that speak for it"),
    one.nearest.length ? make("p", {}, make("span", { className: "what" }, "nearest rows that have it")) : null,
    make("ul", { "aria-label": "nearest rows that have it" }, one.nearest.map(([name, cosine, text]) =>
      make("li", {}, make("div", {}, make("b", {}, make("bdi", {}, name)), " ", make("i", {}, cosine.toFixed(2)), " ", make("bdi", {}, text))))));
}

tried(async () => {
  const { models } = await get("/v1/models"), able = models.filter((one) => one.reviews);
  const model = able.find((one) => one.name === address.read().model)?.name ?? able[0]?.name;
  if (!model) {
    app.append(make("p", {}, "No suggestions are served. Write some with ", make("code", {}, "tacit audit TABLE … -o audit.json"),
      " and start with ", make("code", {}, "tacit serve tags.tacit --review tags=audit.json"), "."));
    return;
  }
  if (able.length > 1) {
    app.before(make("label", {}, "Tagger ", make("select", { onchange: (event) => address.go({ model: event.target.value }) },
      able.map((one) => make("option", { selected: one.name === model }, one.name)))));
  }
  const place = `tacit.review.${model}`, who = sessionStorage.getItem(place) ?? fresh();
  sessionStorage.setItem(place, who);
  // `moves` is odd while a decision is under way: counts that cross one on the way may or may not know it, and are left.
  // Answers may come in another order than they were asked for: counts older than those shown are left, too.
  let tally = { accepted: 0, rejected: 0, open: 0 }, like = new Map(), moves = 0, asked = 0, counted = 0;
  const ask = async (wish) => {
    const before = moves, mine = ++asked, { items, ...counts } = await post(model, "review", { who, ...wish });
    if (before % 2 === 0 && moves === before && mine > counted) { tally = counts; counted = mine; }
    items.forEach((one) => like.set(one.score, one.like));
    return items;
  };
  const table = async () => (await post(model, "decided")).decisions.map((one) => ({ ...one, choice: one.accepted ? "yes" : "no" }));
  await review(app, {
    name: place,
    more: (leave, order) => ask({ order, leave: leave.map((key) => JSON.parse(key)) }),
    find: async (key) => (await ask({ cells: [JSON.parse(key)] }))[0],
    async decide(one, choice) {
      const event = { row: one.row, col: one.label, accepted: choice === null ? null : choice === "yes", text: one.text, id: fresh() };
      const body = JSON.stringify({ events: [event] });
      // A page that is left still sends what is kept alive; browsers refuse to keep more than 64 kB alive.
      const sent = () => fetch(`/v1/models/${encodeURIComponent(model)}/events`, {
        method: "POST", keepalive: body.length < 15_000, headers: { "content-type": "application/json" }, body,
      });
      // The id makes it safe to send again when the connection broke.
      moves += 1;
      const response = await sent().catch(sent).finally(() => { moves += 1; });
      if (!response.ok) throw new Error((await response.json()).error);
      if (choice === null) await ask({ cells: [[one.row, one.label]] });
      else { tally[choice === "yes" ? "accepted" : "rejected"] += 1; tally.open -= 1; }
    },
    tally: () => ({ ...tally, likely: (score) => ({ total: like.get(score)?.[0] ?? 0, accepted: like.get(score)?.[1] ?? 0 }) }),
    card,
    downloads: [["Save decisions", async () => save("reviewed.csv", decisionsTable(await table()))],
      ["Save changed rows", async () => save("changed-rows.csv", patchTable(await table()))]],
  });
})();
