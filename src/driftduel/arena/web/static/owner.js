// The owner's page keeps up by itself: what changed on the server is taken over part by part, but
// never a part in which somebody types or has the focus.
"use strict";

const EVERY = 3000;
const SLOWEST = 60000;

const box = document.getElementById("now");
const freshness = document.getElementById("freshness");
const news = document.getElementById("news");
const sent = new Map(); // what the server sent of each part, as text: what is shown has local times
const waiting = new Map();
let tag = `"${box.dataset.tag}"`;
let pause = EVERY;

function partsOf(text) {
  const template = document.createElement("template");
  template.innerHTML = text;
  return [...template.content.querySelectorAll("[data-part]")];
}

function isBusy(part) {
  if (part.contains(document.activeElement)) return true;
  const chosen = document.getSelection();
  if (chosen && !chosen.isCollapsed && chosen.containsNode(part, true)) return true;
  return [...part.querySelectorAll("input:not([type=hidden]), textarea")].some((one) => one.value !== one.defaultValue);
}

function claimIn(part) {
  return part.querySelector("[data-claim]")?.dataset.claim;
}

function takeOver() {
  for (const [id, fresh] of waiting) {
    const part = document.getElementById(id);
    if (!part || isBusy(part)) continue;
    const before = claimIn(part);
    const opened = [...part.querySelectorAll("details[id][open]")].map((one) => one.id);
    part.innerHTML = fresh.innerHTML;
    part.hidden = fresh.hidden;
    for (const one of opened) document.getElementById(one)?.setAttribute("open", "");
    waiting.delete(id);
    window.localTimes(part);
    // Who cannot see the page hears when somebody else leads or it is decided, not every vote.
    if (claimIn(part) !== before) news.textContent = part.innerText;
  }
}

async function look() {
  const answer = await fetch(box.dataset.address, { headers: { "If-None-Match": tag }, cache: "no-store" });
  if (answer.status === 401 || answer.status === 403) {
    say("You are logged out: reload the page to log in.", true);
    return false;
  }
  if (answer.status === 200) {
    for (const part of partsOf(await answer.text())) {
      if (sent.get(part.id) === part.outerHTML) continue;
      sent.set(part.id, part.outerHTML);
      waiting.set(part.id, part);
    }
    tag = answer.headers.get("ETag");
  } else if (answer.status !== 304) {
    throw new Error(answer.statusText);
  }
  takeOver();
  return true;
}

function say(words, bad) {
  if (freshness.textContent !== words) freshness.textContent = words;
  freshness.classList.toggle("stale", bad);
}

async function keepUp() {
  if (!document.hidden) {
    try {
      if (!(await look())) return;
      pause = EVERY;
      say("This page keeps up by itself.", false);
    } catch {
      pause = Math.min(2 * pause, SLOWEST);
      say("The server cannot be reached, so this may be old. Trying again.", true);
    }
  }
  setTimeout(keepUp, pause);
}

// A place on the page that is folded away is unfolded by whoever goes there.
function unfold() {
  const place = location.hash && document.getElementById(location.hash.slice(1));
  const fold = place && place.closest("details:not([open])");
  if (!fold) return;
  fold.open = true;
  place.scrollIntoView();
}

unfold();
window.addEventListener("hashchange", unfold);

for (const part of document.querySelectorAll("[data-part]")) sent.set(part.id, "");
setTimeout(keepUp, EVERY);
document.addEventListener("visibilitychange", () => { if (!document.hidden) look().catch(() => {}); });
