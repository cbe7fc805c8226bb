// A page in a file: suggestions are its cards, decisions stay in this browser and are saved as tables.
const shelf = document.getElementById("cards");
const name = `tacit.review.${shelf.dataset.name}`;
const decided = new Map(Object.entries(kept(`${name}.decided`) ?? {}));
const every = [...shelf.querySelectorAll("article")].map((element) => ({
  element, row: element.dataset.row, label: element.dataset.label, score: Number(element.dataset.score), carries: JSON.parse(element.dataset.carries),
}));
const table = () => every.filter((one) => decided.has(keyOf(one))).map((one) => ({ ...one, choice: decided.get(keyOf(one)) }));
const grouped = (list, order) => {
  const first = new Map();
  list.forEach((one, place) => { if (!first.has(one[order])) first.set(one[order], place); });
  return order === "score" ? list : [...list].sort((one, other) => first.get(one[order]) - first.get(other[order]));
};
shelf.hidden = true;
fold(document, "h1");
review(document.getElementById("app"), {
  name,
  more: async (leave, order) => grouped(every.filter((one) => !decided.has(keyOf(one)) && !leave.includes(keyOf(one))), order),
  find: async (key) => every.find((one) => keyOf(one) === key),
  async decide(one, choice) {
    if (choice === null) decided.delete(keyOf(one)); else decided.set(keyOf(one), choice);
    kept(`${name}.decided`, Object.fromEntries(decided));
  },
  tally() {
    const choices = table(), right = (list) => list.filter((one) => one.choice === "yes").length;
    return {
      accepted: right(choices), rejected: choices.length - right(choices), open: every.length - choices.length,
      likely(score) {
        const like = choices.filter((one) => Math.abs(one.score - score) <= 0.05);
        return { total: like.length, accepted: right(like) };
      },
    };
  },
  card: (one) => one.element,
  downloads: [["Save decisions", () => save("reviewed.csv", decisionsTable(table()))],
    ["Save changed rows", () => save("changed-rows.csv", patchTable(table()))]],
});
