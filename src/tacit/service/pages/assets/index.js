import { figure, get, make, tried } from "/static/common.js";

const pages = (model) => [
  model.answers.some((one) => ["recommend", "similar", "neighbours", "tags"].includes(one)) && ["/explore", "explore"],
  model.reviews && ["/review", "review tags"],
  model.answers.includes("predict") && ["/watch", "watch"],
  model.grades && ["/grade", "grade rows"],
].filter(Boolean);

tried(async () => {
  const { models } = await get("/v1/models");
  const head = make("tr", {}, ["model", "kind", "size", "events learned", "pages"].map((name) => make("th", { scope: "col" }, name)));
  const rows = models.map((model) => make("tr", {},
    make("td", {}, model.name), make("td", {}, model.kind),
    make("td", {}, Object.entries(model.size).map(([side, size]) => `${figure(size, 12)} ${side}`).join(", ")),
    make("td", {}, figure(model.sequence, 12)),
    make("td", {}, pages(model).flatMap(([path, name], place) =>
      [place ? ", " : "", make("a", { href: `${path}?model=${encodeURIComponent(JSON.stringify(model.name))}` }, name)]))));
  document.getElementById("app").append(make("div", { className: "wide" },
    make("table", {}, make("thead", {}, head), make("tbody", {}, rows))));
})();
