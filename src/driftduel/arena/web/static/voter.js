// Voting without a new page: keys, the next pair with the answer, and patience while the server is
// away. It sends the forms of the page; a pair is shown only after the last answer was saved.
"use strict";

const form = document.getElementById("vote");
const said = document.getElementById("said");
const tally = document.getElementById("tally");
const words = JSON.parse(form.dataset.words); // in the language of the page
const cards = ["left", "right"].map((side) => document.getElementById(side));
const context = document.getElementById("context");
const keys = { ArrowLeft: "left", ArrowRight: "right", t: "tie", b: "bad", s: "skip" };
const longest = 15_000; // milliseconds between two attempts
const glance = 400; // nobody has looked at two cards by then: it is a double click
const undoable = 60_000;

let busy = false;
let shownAt = 0; // the page itself was not clicked before it was there
let forgetting;

class Refused extends Error {}

const pause = (time) => new Promise((done) => {
  setTimeout(done, time);
  addEventListener("online", done, { once: true });
});

/** Send fields and return the answer; throw Refused if there is no use in trying again. */
async function send(address, fields) {
  let answer;
  try {
    answer = await fetch(address, {
      method: fields ? "POST" : "GET",
      headers: { Accept: "application/json" },
      body: fields && new URLSearchParams(fields),
      signal: AbortSignal.timeout(longest),
    });
  } catch {
    throw new Error(words.away);
  }
  if (answer.ok) return answer.json();
  const { detail } = await answer.json().catch(() => ({ detail: words.away }));
  if (answer.status === 429 || answer.status >= 500) throw new Error(detail);
  throw new Refused(detail);
}

/** Send until there is an answer, and say so meanwhile; whatever is sent counts once. */
async function insist(address, fields, trouble) {
  for (let wait = 500; ; wait = Math.min(2 * wait, longest)) {
    try {
      return await send(address, fields);
    } catch (error) {
      if (error instanceof Refused) throw error;
      complain(`${error.message} ${trouble}`);
      await pause(wait);
    }
  }
}

async function vote(verdict) {
  if (busy || performance.now() - shownAt < glance) return;
  const button = form.querySelector(`[value="${verdict}"]`);
  if (!button) return; // an arena without ties
  setBusy(true, button);
  try {
    const fields = { duel: form.elements.duel.value, verdict };
    const answer = await insist(form.action, fields, words.unsaved);
    await show(answer.next);
    report(answer);
  } catch (error) {
    complain(`${error.message} ${words.another}`);
    const { next, tally } = await insist(location.pathname, null, words.waiting);
    await show(next);
    report({ tally });
  }
  setBusy(false);
}

async function undo(duel, address) {
  if (busy) return;
  setBusy(true);
  try {
    const answer = await insist(address, { duel }, words.kept);
    if (answer.next) await show(answer.next);
    report(answer);
  } catch (error) {
    complain(error.message);
  }
  setBusy(false);
  document.getElementById("main").focus({ preventScroll: true });
}

/** Show a pair when its images are there; without one the page says why. */
async function show(next) {
  if (!next) return location.assign(location.pathname);
  const contents = ["left", "right"].map((side) => {
    const card = document.createElement("template");
    card.innerHTML = next[side]; // escaped by the server
    return card.content;
  });
  const images = contents.flatMap((card) => [...card.querySelectorAll("img")]);
  const loaded = images.map((image) => Object.assign(new Image(), { src: image.src }).decode());
  await Promise.race([Promise.allSettled(loaded), pause(3_000)]);
  contents.forEach((card, side) => cards[side].querySelector(".content").replaceChildren(card));
  context.textContent = next.context ?? "";
  context.hidden = !next.context;
  form.elements.duel.value = next.duel;
  scrollTo(0, 0);
  shownAt = performance.now();
}

function report(answer) {
  tally.textContent = answer.tally ?? tally.textContent;
  if (answer.notice === undefined) return;
  said.classList.remove("bad");
  said.innerHTML = answer.notice; // escaped by the server
  forgetUndo();
}

function complain(words) {
  said.classList.add("bad");
  if (said.textContent !== words) said.textContent = words;
}

function setBusy(now, button) {
  busy = now;
  form.setAttribute("aria-busy", now);
  form.querySelectorAll("button").forEach((one) => one.classList.toggle("chosen", one === button));
  cards.forEach((card) => card.classList.toggle("chosen", now && card.id === button?.value));
}

function forgetUndo() {
  clearTimeout(forgetting);
  forgetting = setTimeout(() => said.querySelector("form")?.remove(), undoable);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter) vote(event.submitter.value);
});
said.addEventListener("submit", (event) => {
  event.preventDefault();
  undo(event.target.elements.duel.value, event.target.action);
});
addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const verdict = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (verdict) {
    event.preventDefault();
    vote(verdict);
  }
});
forgetUndo();
