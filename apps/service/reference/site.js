// Adds search and copy buttons to the documentation's pages, and a navigation that is folded on narrow screens.

const MOST_RESULTS = 20;
const SNIPPET = 100;
const KINDS = { page: "Guide", operation: "API", error: "Error" };

document.addEventListener("securitypolicyviolation", (event) => {
  document.documentElement.dataset.violation = `${event.violatedDirective} ${event.blockedURI}`;
});
// These are old addresses of operations, from before the guides were here.
if (location.pathname === "/docs" && location.hash.startsWith("#/")) location.replace(`/docs/api${location.hash}`);

const pages = document.querySelector("#pages");
if (pages !== null) foldOnNarrowScreens(pages);
for (const block of document.querySelectorAll(".code")) addCopy(block);
startSearch();
document.documentElement.dataset.ready = "true";

function foldOnNarrowScreens(details) {
  const wide = matchMedia("(min-width: 60rem)");
  const fold = () => {
    details.open = wide.matches;
  };
  wide.addEventListener("change", fold);
  fold();
  details.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
}

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
  const button = document.querySelector("#search-button");
  const dialog = document.querySelector("#search");
  const query = document.querySelector("#query");
  const list = document.querySelector("#results");
  let index;
  const open = () => {
    index ??= load();
    if (!dialog.open) dialog.showModal();
    query.select();
  };
  if (!/Mac|iPhone|iPad/.test(navigator.platform)) button.querySelector("kbd").textContent = "Ctrl K";
  button.hidden = false;
  button.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
    const isShortcut = event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey);
    const isSlash = event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isShortcut && !isSlash) return;
    event.preventDefault();
    open();
  });
  query.addEventListener("input", async () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const entries = await index;
    show(words.length === 0 ? [] : ranked(entries, words).slice(0, MOST_RESULTS), words);
  });
  query.addEventListener("keydown", (event) => {
    const options = [...list.children];
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") select(options, Math.min(at + 1, options.length - 1));
    else if (event.key === "ArrowUp") select(options, Math.max(at - 1, 0));
    else if (event.key === "Enter") follow(options[at]);
    else return;
    event.preventDefault();
  });
  // A click on the dialog itself is outside of its content.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

  function show(best, words) {
    list.replaceChildren(...best.map((entry, at) => resultOf(entry, words, at)));
    query.setAttribute("aria-expanded", String(best.length > 0));
    select([...list.children], 0);
    const isEmpty = words.length > 0 && best.length === 0;
    document.querySelector("#found").textContent = isEmpty ? "No results. Try fewer words." : countOf(best.length);
  }

  function select(options, at) {
    for (const [position, one] of options.entries()) one.setAttribute("aria-selected", String(position === at));
    options[at]?.scrollIntoView({ block: "nearest" });
    if (options[at] === undefined) query.removeAttribute("aria-activedescendant");
    else query.setAttribute("aria-activedescendant", options[at].id);
  }

  function resultOf({ kind, page, heading, path, text, body }, words, at) {
    const element = Object.assign(document.createElement("li"), { id: `result-${at}` });
    element.setAttribute("role", "option");
    element.dataset.path = path;
    const start = Math.max(0, body.indexOf(words[0]) - 20);
    element.append(
      part("small", "kind", KINDS[kind]),
      part("span", "title", heading === "" ? page : `${page} › ${heading}`),
      part("small", "snippet", text.slice(start, start + SNIPPET)),
    );
    element.addEventListener("click", () => follow(element));
    return element;
  }

  function follow(element) {
    if (element === undefined) return;
    dialog.close();
    location.assign(element.dataset.path);
  }
}

function part(name, className, textContent) {
  return Object.assign(document.createElement(name), { className, textContent });
}

function countOf(count) {
  if (count === 0) return "";
  return count === 1 ? "1 result" : `${count} results`;
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

/** Returns the entries that contain every word. Those with the words in a heading come first. */
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
    // A page about the words comes before the sections of that page and of other pages.
    const isAbout = entry.heading === "" && words.every((word) => entry.title.includes(word));
    return [{ entry, score: isAbout ? score + 6 : score }];
  });
  return scored.toSorted((a, b) => b.score - a.score).map(({ entry }) => entry);
}
