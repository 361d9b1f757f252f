// Making an arena: a preview of what voters will see, and files that are dropped.
// Without it the form works, too.
"use strict";

const form = document.getElementById("new");
const images = ["png", "jpg", "jpeg", "gif", "webp"];

/** Return the cells of the lines of a CSV. */
function cellsOf(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  return rows.filter((row) => row.some((cell) => cell));
}

/** Return options, each with its name and what is shown, of a CSV as the server reads it. */
function optionsOf(text) {
  let rows = cellsOf(text);
  let columns = (rows[0] ?? []).map((cell) => cell.toLowerCase());
  if (columns.includes("name")) rows = rows.slice(1);
  else columns = ["name", "text"];
  return rows.map((row) => {
    const cell = (column) => row[columns.indexOf(column)];
    return { name: cell("name"), text: cell("markdown") || cell("text") || cell("name") };
  });
}

async function options() {
  const found = form.elements.options.value.split("\n").map((line) => line.trim()).filter(Boolean)
    .map((name) => ({ name, text: name }));
  for (const file of form.elements.files.files) {
    const [stem, ending] = [file.name.replace(/\.[^.]*$/, ""), file.name.split(".").pop().toLowerCase()];
    if (images.includes(ending)) found.push({ name: stem, image: file });
    else found.push(...optionsOf(await file.text()));
  }
  return found;
}

function fill(card, option) {
  card.querySelectorAll("img").forEach((image) => URL.revokeObjectURL(image.src));
  const content = document.createElement(option?.image ? "img" : "p");
  if (option?.image) {
    content.src = URL.createObjectURL(option.image);
    content.alt = "An image";
  } else {
    content.textContent = option?.text ?? "…";
    content.className = content.textContent.length <= 60 ? "text short" : "text long";
  }
  card.replaceChildren(content);
}

async function preview() {
  const found = await options();
  const names = new Set(found.map((one) => one.name));
  const sample = document.getElementById("preview");
  sample.hidden = false;
  sample.querySelector(".ask").textContent = form.elements.question.value || "Your question";
  sample.querySelectorAll(".card").forEach((card, n) => fill(card, found[n]));
  sample.querySelector("[data-ties]").hidden = !form.elements.ties.checked;
  const pairs = (names.size * (names.size - 1)) / 2;
  document.getElementById("count").textContent = names.size < 2
    ? "What voters see, when there are two options."
    : `${names.size} options, ${pairs.toLocaleString("en")} ${pairs === 1 ? "pair" : "pairs"}; this is one of them.`;
}

const drop = document.getElementById("drop");
form.addEventListener("input", preview);
for (const kind of ["dragover", "dragleave", "drop"]) {
  form.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
    if (kind !== "drop") return;
    const all = new DataTransfer(); // what was chosen before stays
    for (const file of [...form.elements.files.files, ...event.dataTransfer.files]) all.items.add(file);
    form.elements.files.files = all.files;
    preview();
  });
}
preview();
