import { figure, get, make, tried } from "/static/common.js";

const pages = (model) => [
  model.answers.some((one) => ["recommend", "similar", "neighbours", "tags"].includes(one)) && ["/explore", "explore"],
  model.reviews && ["/review", "review tags"],
  model.answers.includes("predict") && ["/watch", "watch"],
  model.grades && ["/grade", "grade rows"],
].filter(Boolean);

tried(async () => {
  const [{ models }, { reports }] = await Promise.all([get("/v1/models"), get("/v1/reports")]);
  const columns = ["model", "kind", "size", "events learned", "pages"];
  const cells = (model) => [make("bdi", {}, model.name), model.kind,
    Object.entries(model.size).map(([side, size]) => `${figure(size, 12)} ${side === "cols" ? "columns" : model.answers.includes("grade") ? "grades" : side}`).join(", "), figure(model.sequence, 12),
    make("span", {}, pages(model).map(([path, name], place) =>
      [place ? ", " : "", make("a", { href: `${path}?model=${encodeURIComponent(JSON.stringify(model.name))}` }, name)]))];
  document.getElementById("app").append(make("h2", {}, "Models"), make("table", { className: "stacks" },
    make("thead", {}, make("tr", {}, columns.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, models.map((model) => make("tr", {}, cells(model).map((cell, place) => make("td", { "data-column": columns[place] }, cell)))))));
  if (reports.length) {
    document.getElementById("app").append(make("h2", {}, "Reports"), make("ul", {}, reports.map(({ name, title }) =>
      make("li", {}, make("a", { href: `/reports/${encodeURIComponent(name)}` }, make("bdi", {}, title))))));
  }
})();
