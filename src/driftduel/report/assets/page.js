"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const themes = read("themes");
  const specs = read("specs");
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const toggle = document.getElementById("theme");
  const views = new Map();

  const theme = () => root.dataset.theme || (system.matches ? "dark" : "light");

  async function draw(box) {
    const now = theme();
    box.dataset.drawn = "";
    views.get(box)?.finalize();
    try {
      const spec = specs[box.dataset.figure];
      spec.params.find((param) => param.name === "room").value = box.clientWidth;
      const made = await vegaEmbed(box, spec, {
        actions: false,
        renderer: "svg",
        config: themes[now],
        tooltip: { theme: now },
      });
      views.set(box, made);
      box.dataset.drawn = now;
    } catch (error) {
      box.classList.add("failed");
      box.textContent = `This figure could not be drawn: ${error.message}`;
      console.error(error);
    }
  }

  const visible = (box) => !box.closest("[hidden]");

  async function drawAll() {
    const now = theme();
    for (const box of document.querySelectorAll(".chart")) {
      if (visible(box) && box.dataset.drawn !== now) await draw(box);
    }
  }

  function name() {
    const other = theme() === "dark" ? "Light" : "Dark";
    toggle.textContent = `${other} colours`;
  }

  toggle.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    name();
    drawAll();
  });
  system.addEventListener("change", () => {
    name();
    drawAll();
  });

  let width = innerWidth;
  let resting;
  addEventListener("resize", () => {
    clearTimeout(resting);
    resting = setTimeout(() => {
      if (innerWidth === width) return;
      width = innerWidth;
      for (const box of document.querySelectorAll(".chart")) box.dataset.drawn = "";
      drawAll();
    }, 200);
  });

  const chooser = document.getElementById("stream");
  function show() {
    for (const article of document.querySelectorAll("article")) {
      article.hidden = article.id !== chooser.value;
    }
    drawAll();
  }
  if (chooser) {
    const step = (by) => () => {
      const n = chooser.options.length;
      chooser.selectedIndex = (chooser.selectedIndex + by + n) % n;
      show();
    };
    chooser.addEventListener("change", show);
    document.getElementById("before").addEventListener("click", step(-1));
    document.getElementById("after").addEventListener("click", step(1));
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-save]");
    if (!button) return;
    const box = button.closest("figure").querySelector(".chart");
    const form = button.dataset.save;
    const link = document.createElement("a");
    link.href = await views.get(box).view.toImageURL(form, form === "png" ? 2 : 1);
    link.download = `${box.dataset.figure}.${form}`;
    link.click();
  });

  name();
  chooser ? show() : drawAll();
})();
