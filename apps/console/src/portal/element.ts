/**
 * Defines `<junction-portal session-url="…">` for pages of other sites: `<script src="{base_url}/portal/junction-portal.js">`. The element
 * asks the host's own server for a session, shows the portal in a frame, and asks again when the session ends. It imports nothing,
 * because it is one file at a fixed address.
 */

/** The origin of this script, which is that of the portal. Null in a script that was bundled into another one. */
const OWN_ORIGIN =
  document.currentScript instanceof HTMLScriptElement && document.currentScript.src !== ""
    ? new URL(document.currentScript.src).origin
    : null;
/** The wait before the next session, in milliseconds: longer after each one that ended early. */
const WAITS_MS = [0, 2000, 10_000, 30_000, 60_000];
/** A session that lasts at least so long was not refused. */
const EARLY_MS = 20_000;
/** Dialogs need some height, and the frame cannot grow beyond itself. */
const LEAST_HEIGHT = 640;
const STYLES = `
  :host { display: block; }
  iframe { display: block; width: 100%; border: 0; color-scheme: normal; }
  [role="alert"] { font: 14px/1.4 system-ui, sans-serif; padding: 16px; }
  button { font: inherit; margin-left: 8px; }
  [hidden] { display: none; }
`;

class JunctionPortal extends HTMLElement {
  static readonly observedAttributes = ["session-url"];

  readonly #frame = document.createElement("iframe");
  readonly #failure = document.createElement("div");
  #origin = "";
  #early = 0;
  #openedAt = 0;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const styles = new CSSStyleSheet();
    styles.replaceSync(STYLES);
    root.adoptedStyleSheets = [styles];
    this.#frame.title = "Webhooks";
    this.#frame.height = String(LEAST_HEIGHT);
    // Copying an id or a secret is the only ability that the page needs beyond its own frame.
    this.#frame.allow = "clipboard-write";
    this.#frame.referrerPolicy = "no-referrer";
    this.#failure.setAttribute("role", "alert");
    this.#failure.hidden = true;
    const retry = document.createElement("button");
    retry.type = "button";
    retry.textContent = "Try again";
    retry.addEventListener("click", () => this.refresh());
    this.#failure.append("Webhooks could not be loaded.", retry);
    root.append(this.#frame, this.#failure);
  }

  connectedCallback(): void {
    window.addEventListener("message", this.#onMessage);
    this.refresh();
  }

  disconnectedCallback(): void {
    window.removeEventListener("message", this.#onMessage);
    clearTimeout(this.#waiting);
    this.#asking?.abort();
    // A removed frame loses its session. It gets a new one when the element is inserted again.
    this.#frame.removeAttribute("src");
  }

  attributeChangedCallback(_name: string, before: string | null): void {
    if (before !== null && this.isConnected) this.refresh();
  }

  /** Asks for a new session now. */
  refresh(): void {
    this.#early = 0;
    this.#askAfter(0);
  }

  #askAfter(waitMs: number): void {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => void this.#ask(), waitMs);
  }

  async #ask(): Promise<void> {
    const address = this.getAttribute("session-url");
    if (address === null || address === "") return;
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    try {
      assertOwn(address);
      // POST, because each answer is a new session, and with the host's own cookies alone.
      const response = await fetch(address, {
        method: "POST",
        credentials: "same-origin",
        cache: "no-store",
        headers: { Accept: "application/json" },
        signal: asking.signal,
      });
      if (!response.ok) throw new Error(`${address} answered ${response.status}.`);
      const { url } = (await response.json()) as { readonly url?: unknown };
      this.#show(portalUrl(url));
    } catch (error) {
      if (!asking.signal.aborted) this.#fail(error);
    }
  }

  #show(url: URL): void {
    this.#failure.hidden = true;
    this.#frame.hidden = false;
    this.#origin = url.origin;
    this.#openedAt = performance.now();
    // If the path and the query are the same, only the fragment changes, so that the open page continues with the new session. Replacing the
    // address adds nothing to the history of the host page.
    if (this.#frame.hasAttribute("src")) this.#frame.contentWindow?.location.replace(url.href);
    else this.#frame.src = url.href;
    this.dispatchEvent(new CustomEvent("junction-portal-session"));
  }

  #fail(error: unknown): void {
    this.#frame.hidden = true;
    this.#failure.hidden = false;
    this.dispatchEvent(new CustomEvent("junction-portal-error", { detail: error }));
  }

  readonly #onMessage = (event: MessageEvent<unknown>): void => {
    if (event.source !== this.#frame.contentWindow || event.origin !== this.#origin) return;
    const message = event.data as { source?: unknown; type?: unknown; height?: unknown } | null;
    if (message?.source !== "junction-portal") return;
    if (message.type === "height" && typeof message.height === "number") {
      this.#frame.height = String(Math.max(LEAST_HEIGHT, Math.min(message.height, 20_000)));
    }
    if (message.type === "ended") this.#renew();
  };

  #renew(): void {
    // A host whose sessions are refused at once must not be asked in a loop.
    this.#early = performance.now() - this.#openedAt < EARLY_MS ? this.#early + 1 : 0;
    const waitMs = WAITS_MS[this.#early];
    if (waitMs === undefined) this.#fail(new Error("The sessions of session-url end at once."));
    else this.#askAfter(waitMs);
  }
}

/** Throws unless the address is of the host page's own server, which alone knows who is signed in. */
function assertOwn(address: string): void {
  if (URL.parse(address, document.baseURI)?.origin !== window.location.origin)
    throw new Error("session-url must be an address of this page's own origin.");
}

/** Returns the URL of a session. Throws for an invalid answer, so that the frame never shows another site. */
function portalUrl(text: unknown): URL {
  if (typeof text !== "string" || !URL.canParse(text)) throw new Error('session-url must answer {"url": "…"}.');
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || !url.pathname.endsWith("/portal/"))
    throw new Error("session-url must answer the url of a portal session.");
  if (OWN_ORIGIN !== null && url.origin !== OWN_ORIGIN)
    throw new Error(`session-url must answer a url of ${OWN_ORIGIN}.`);
  return url;
}

if (customElements.get("junction-portal") === undefined) customElements.define("junction-portal", JunctionPortal);
