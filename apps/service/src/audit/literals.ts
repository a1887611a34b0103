import { REDACTED } from "../lib/lib.ts";

/** Finds given texts, in time linear in the searched text unless the given texts share their beginnings. */
export type Literals = ReturnType<typeof createLiterals>;

/** Shorter texts would match parts of most texts. A whole value that equals one is still redacted. */
const SHORTEST = 4;

/** Finds the texts in their common forms: as they are, in base64, in a URL and in JSON. */
export function createLiterals(texts: Iterable<string>) {
  const whole = new Set<string>();
  const byStart = new Map<string, string[]>();
  const firsts = new Set<number>();
  let longest = 0;
  for (const form of new Set([...texts].flatMap(formsOf))) {
    whole.add(form);
    if (form.length < SHORTEST) continue;
    longest = Math.max(longest, form.length);
    firsts.add(form.charCodeAt(0));
    const start = form.slice(0, SHORTEST);
    byStart.set(start, [...(byStart.get(start) ?? []), form]);
  }
  for (const alike of byStart.values()) alike.sort((a, b) => b.length - a.length);
  return {
    /** The length of the longest text. */
    longest,
    redact(text: string): string {
      if (whole.has(text)) return REDACTED;
      return byStart.size === 0 ? text : redact({ firsts, byStart }, text);
    },
  };
}

interface LiteralIndex {
  /** The first code units of the texts, which rule out most positions of the searched text. */
  readonly firsts: ReadonlySet<number>;
  readonly byStart: ReadonlyMap<string, readonly string[]>;
}

function redact({ firsts, byStart }: LiteralIndex, text: string): string {
  let out = "";
  let from = 0;
  for (let at = 0; at <= text.length - SHORTEST; at += 1) {
    if (!firsts.has(text.charCodeAt(at))) continue;
    const found = byStart.get(text.slice(at, at + SHORTEST))?.find((literal) => text.startsWith(literal, at));
    if (found === undefined) continue;
    out += text.slice(from, at) + REDACTED;
    from = at + found.length;
    at = from - 1;
  }
  return from === 0 ? text : out + text.slice(from);
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
