// The list of models; ids and names are set as text, never as markup.
const rows = document.getElementById("models");
const { models } = await (await fetch("/v1/models")).json();
for (const model of models) {
  const row = rows.insertRow();
  for (const text of [model.name, model.kind, model.answers.join(", "), model.sequence]) {
    row.insertCell().textContent = text;
  }
}
