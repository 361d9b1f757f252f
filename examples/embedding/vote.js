// Puts an arena where its script stands: asks for a pair, shows it, tells what the visitor says.
// The key is no secret; it can ask and tell, from the web sites that the owner named.
"use strict";

(() => {
  const { server, arena, key } = document.currentScript.dataset;
  const box = document.createElement("div");
  box.className = "poll";
  box.innerHTML = `
    <button value="left"></button><button value="right"></button>
    <div class="more"><button value="tie">Equal</button> <button value="bad">Both bad</button>
      <button value="skip">Skip</button></div>
    <p class="said" role="status"></p>`;
  document.currentScript.after(box);
  const buttons = [...box.querySelectorAll("button")];
  const said = box.querySelector(".said");

  // Whatever tells your visitors apart: here a random name that the browser keeps.
  localStorage.voter ??= crypto.getRandomValues(new Uint32Array(4)).join("-");

  async function send(method, path, body) {
    const answer = await fetch(`${server}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        "X-Voter": localStorage.voter,
        "Content-Type": "application/json",
      },
      body: body && JSON.stringify(body),
    });
    const content = await answer.json();
    if (answer.ok) return content;
    throw Object.assign(new Error(content.detail), { status: answer.status });
  }

  let duel;

  function show(next) {
    duel = next; // null when the arena was closed meanwhile
    for (const side of duel ? ["left", "right"] : []) {
      const card = duel[side];
      const button = buttons.find((one) => one.value === side);
      if (card.image) {
        const image = new Image();
        [image.src, image.alt] = [server + card.image, `The ${side} picture`];
        button.replaceChildren(image);
      } else {
        button.textContent = card.body; // never as HTML: others wrote it
      }
    }
  }

  async function ask() {
    show(await send("POST", `/arenas/${arena}/duels`));
    return "";
  }

  let votes = 0;

  async function tell(verdict) {
    try {
      const told = await send("PUT", `/duels/${duel.duel}/verdict`, { verdict, next: true });
      votes += told.counted;
      show(told.next);
      return `Thank you. Your votes here: ${votes}`;
    } catch (error) {
      if (![404, 409, 410].includes(error.status)) throw error;
      await ask(); // that pair cannot be answered any more
      return `Not counted, here is another pair: ${error.message}`;
    }
  }

  // One thing at a time. After a failure the same pair stays: to tell it again counts once.
  async function attempt(work) {
    for (const button of buttons) button.disabled = true;
    try {
      said.textContent = await work();
    } catch (error) {
      said.textContent = `${duel ? "Not saved, please try again" : "Nothing to show"}: ${error.message}`;
    }
    for (const button of buttons) button.disabled = !duel;
  }

  for (const button of buttons) {
    button.addEventListener("click", () => attempt(() => tell(button.value)));
  }
  attempt(ask);
})();
