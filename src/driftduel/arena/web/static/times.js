// Times in the zone of who reads them; without this script pages tell UTC.
"use strict";

const forms = {
  near: new Intl.DateTimeFormat("en-GB", { weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
  far: new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }),
  fine: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }),
  day: new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" }),
  minute: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
};
const DAY = 86400e3;

window.localTimes = (root) => {
  for (const one of root.querySelectorAll("time")) {
    const at = new Date(one.dateTime);
    const age = Date.now() - at;
    one.title = forms.far.format(at);
    const grain = one.dataset.grain;
    if (grain === "day") one.textContent = forms.day.format(at);
    else if (grain === "second" && age < DAY / 2) one.textContent = forms.fine.format(at);
    else one.textContent = (age >= 0 && age < 6 * DAY ? forms.near : forms.far).format(at);
  }
  for (const one of root.querySelectorAll("text[data-at]")) {
    const form = { second: forms.fine, minute: forms.minute }[one.dataset.form];
    if (form) one.textContent = form.format(new Date(one.dataset.at));
  }
  for (const one of root.querySelectorAll("[data-zone]")) {
    one.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll("_", " ");
  }
};
window.localTimes(document);
