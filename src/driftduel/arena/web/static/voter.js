// Voting without a new page: keys, the next pair with the answer, and patience while the server is
// away. It sends the forms of the page; a pair is shown only after the last answer was saved.
"use strict";

const form = document.getElementById("vote");
const said = document.getElementById("said");
const tally = document.getElementById("votes");
const sides = ["left", "right"].map((side) => document.getElementById(side));
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
    throw new Error("the server cannot be reached");
  }
  if (answer.ok) return answer.json();
  const { detail } = await answer.json().catch(() => ({ detail: "something went wrong" }));
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
      complain(`${trouble}: ${error.message}. Trying again…`);
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
    const answer = await insist(form.action, fields, "Not saved yet");
    await show(answer.next);
    report(answer);
  } catch (error) {
    complain(`Not counted: ${error.message}. Here is another pair.`);
    const { next } = await insist(location.pathname, null, "No other pair yet");
    await show(next);
  }
  setBusy(false);
}

async function undo(duel, address) {
  if (busy) return;
  setBusy(true);
  try {
    report(await insist(address, { duel }, "Not taken back yet"));
  } catch (error) {
    complain(`Not taken back: ${error.message}.`);
  }
  setBusy(false);
  document.getElementById("main").focus({ preventScroll: true });
}

/** Show a pair when its images are there; without one the page says why. */
async function show(next) {
  if (!next) return location.reload();
  const cards = ["left", "right"].map((side) => {
    const card = document.createElement("template");
    card.innerHTML = next[side]; // escaped by the server
    return card.content;
  });
  const images = cards.flatMap((card) => [...card.querySelectorAll("img")]);
  const loaded = images.map((image) => Object.assign(new Image(), { src: image.src }).decode());
  await Promise.race([Promise.allSettled(loaded), pause(3_000)]);
  cards.forEach((card, side) => sides[side].replaceChildren(card));
  context.textContent = next.context ?? "";
  context.hidden = !next.context;
  form.elements.duel.value = next.duel;
  scrollTo(0, 0);
  shownAt = performance.now();
}

function report({ notice, votes }) {
  said.classList.remove("bad");
  said.innerHTML = notice; // escaped by the server
  tally.querySelector("b").textContent = votes;
  tally.querySelector("span").textContent = votes === 1 ? "vote so far" : "votes so far";
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
