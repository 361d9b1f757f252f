// Buttons that copy the field they name, also those that come later; without scripts there are none.
"use strict";

document.documentElement.classList.add("scripted");
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  const words = button.firstChild; // what follows is for screen readers
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    words.textContent = "Copied";
  } catch { // only where the address is safe
    words.textContent = "Press Ctrl+C";
  }
  setTimeout(() => { words.textContent = "Copy"; }, 2_000);
});
