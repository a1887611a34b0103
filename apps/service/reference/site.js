// The documentation's pages: search, copy buttons, and a navigation that is folded where there is little room.

const MOST_RESULTS = 12;
const SNIPPET = 90;

document.addEventListener("securitypolicyviolation", (event) => {
  document.documentElement.dataset.violation = `${event.violatedDirective} ${event.blockedURI}`;
});
// Addresses of single operations, from when the reference was all there was here.
if (location.pathname === "/docs" && location.hash.startsWith("#/")) location.replace(`/docs/api${location.hash}`);

const wide = matchMedia("(min-width: 60rem)");
const pages = document.querySelector("#pages");
const fold = () => {
  pages.open = wide.matches;
};
wide.addEventListener("change", fold);
fold();

for (const block of document.querySelectorAll(".code")) addCopy(block);
startSearch();
document.documentElement.dataset.ready = "true";

function addCopy(block) {
  if (!navigator.clipboard) return;
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "copy",
    textContent: "Copy",
  });
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  block.append(button);
}

function startSearch() {
  const search = document.querySelector("#search");
  const query = document.querySelector("#query");
  const results = document.querySelector("#results");
  const found = document.querySelector("#found");
  let index;
  search.hidden = false;
  query.addEventListener("focus", () => {
    index ??= load();
  });
  query.addEventListener("input", async () => {
    index ??= load();
    const entries = await index;
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const best = words.length === 0 ? [] : ranked(entries, words).slice(0, MOST_RESULTS);
    results.replaceChildren(...best.map((entry) => item(entry, words)));
    if (words.length === 0) found.textContent = "";
    else if (best.length === 0) {
      found.textContent = "Nothing found.";
      const none = document.createElement("li");
      none.append(Object.assign(document.createElement("p"), { textContent: "Nothing found." }));
      results.replaceChildren(none);
    } else found.textContent = `${best.length} found.`;
  });
  search.addEventListener("keydown", (event) => onKey(event, query, results));
  document.addEventListener("click", (event) => {
    if (!search.contains(event.target)) results.replaceChildren();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    query.focus();
  });
}

async function load() {
  const answer = await fetch(document.documentElement.dataset.search);
  const entries = await answer.json();
  return entries.map((entry) => ({
    ...entry,
    title: entry.page.toLowerCase(),
    head: entry.heading.toLowerCase(),
    body: entry.text.toLowerCase(),
  }));
}

/** Those that have every word, those that have it in a heading first. */
function ranked(entries, words) {
  const scored = entries.flatMap((entry) => {
    let score = 0;
    for (const word of words) {
      const one =
        (entry.head.includes(word) ? 10 : 0) +
        (entry.title.includes(word) ? 6 : 0) +
        (entry.body.includes(word) ? 1 : 0);
      if (one === 0) return [];
      score += one;
    }
    // A page about it comes before the sections of that page, and of others.
    const isAbout = entry.heading === "" && words.every((word) => entry.title.includes(word));
    return [{ entry, score: isAbout ? score + 6 : score }];
  });
  return scored.toSorted((a, b) => b.score - a.score).map(({ entry }) => entry);
}

function item({ page, heading, path, text, body }, words) {
  const link = Object.assign(document.createElement("a"), { href: path });
  const at = Math.max(0, body.indexOf(words[0]) - 20);
  const snippet = Object.assign(document.createElement("small"), { textContent: text.slice(at, at + SNIPPET) });
  link.append(heading === "" ? page : `${page}: ${heading}`, snippet);
  const entry = document.createElement("li");
  entry.append(link);
  return entry;
}

/** Down and up walk through the results, Escape leaves them. */
function onKey(event, query, results) {
  const links = [...results.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "Escape") {
    results.replaceChildren();
    query.focus();
  } else if (event.key === "ArrowDown" && at + 1 < links.length) {
    event.preventDefault();
    links[at + 1].focus();
  } else if (event.key === "ArrowUp" && at >= 0) {
    event.preventDefault();
    (links[at - 1] ?? query).focus();
  }
}
