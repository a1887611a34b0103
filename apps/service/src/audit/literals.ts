import { REDACTED } from "../lib/lib.ts";

/** Finds given texts, in time linear in the searched text unless the given texts share their beginnings. */
export type Literals = ReturnType<typeof createLiterals>;

/** Shorter texts would match parts of most texts. A whole value that equals one is still redacted. */
const SHORTEST = 4;

/** Finds the texts in their common forms: as they are, in base64, in a URL and in JSON. */
export function createLiterals(texts: Iterable<string>) {
  const whole = new Set<string>();
  const byStart = new Map<string, Set<string>>();
  const firsts = new Set<number>();
  let longest = 0;

  function add(form: string): void {
    whole.add(form);
    if (form.length < SHORTEST) return;
    longest = Math.max(longest, form.length);
    firsts.add(form.charCodeAt(0));
    const start = form.slice(0, SHORTEST);
    const alike = byStart.get(start);
    if (alike === undefined) byStart.set(start, new Set([form]));
    else alike.add(form);
  }

  function learn(more: Iterable<string>): void {
    for (const text of more) for (const form of formsOf(text)) add(form);
  }

  learn(texts);
  return {
    /** Finds these texts too from now on. */
    learn,
    /** The length of the longest text. */
    get longest(): number {
      return longest;
    },
    redact(text: string): string {
      if (whole.has(text)) return REDACTED;
      return byStart.size === 0 ? text : redact({ firsts, byStart }, text);
    },
  };
}

interface LiteralIndex {
  /** The first code units of the texts, which rule out most positions of the searched text. */
  readonly firsts: ReadonlySet<number>;
  readonly byStart: ReadonlyMap<string, ReadonlySet<string>>;
}

function redact({ firsts, byStart }: LiteralIndex, text: string): string {
  let out = "";
  let from = 0;
  for (let at = 0; at <= text.length - SHORTEST; at += 1) {
    if (!firsts.has(text.charCodeAt(at))) continue;
    const length = longestAt(byStart.get(text.slice(at, at + SHORTEST)) ?? [], text, at);
    if (length === 0) continue;
    out += text.slice(from, at) + REDACTED;
    from = at + length;
    at = from - 1;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** Returns the length of the longest of the texts that is at this position; 0 if none is. */
function longestAt(alike: Iterable<string>, text: string, at: number): number {
  let longest = 0;
  for (const one of alike) if (one.length > longest && text.startsWith(one, at)) longest = one.length;
  return longest;
}

function formsOf(secret: string): string[] {
  if (secret === "") return [];
  const bare = secret.replace(/^whsec_/, "");
  const bytes = Buffer.from(secret);
  const forms = [secret, bare, ...withoutPadding(bytes.toString("base64")), bytes.toString("base64url")];
  return secret.isWellFormed() ? [...forms, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)] : forms;
}

function withoutPadding(base64: string): string[] {
  return [base64, base64.replace(/(?<!=)=+$/, "")];
}
