/**
 * The parts of a message that vary between failures of one cause, and that could name a person. Each pattern is linear: no part can match in
 * two ways.
 */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[\p{Cc}\s]+/gu, " "],
  [/\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"'<>]+/giu, "<url>"],
  [/[^\s"'<>@,;:()]{1,64}@[^\s"'<>@,;:()]{1,255}/gu, "<email>"],
  [/"[^"]*"|'[^']*'|`[^`]*`|“[^“”]*”/gu, "<text>"],
  [/\[[0-9a-f:.]{2,45}\](?::\d+)?|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/giu, "<address>"],
  [/\b[a-z]{2,4}_[0-9a-z]{34}\b/gu, "<id>"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/giu, "<id>"],
  [/\b(?=[a-z]*\d)[0-9a-z]{12,}\b/giu, "<id>"],
  [/\d+(?:[.,:]\d+)*/gu, "<number>"],
];

const MOST_READ = 500;
const MOST_CHARS = 200;

/** Returns a message without its varying parts, at most 200 characters long; null if nothing is left. */
export function withoutVaryingParts(message: string | null): string | null {
  if (message === null) return null;
  let text = message.slice(0, MOST_READ).toWellFormed();
  for (const [pattern, name] of VARYING) text = text.replace(pattern, name);
  text = text.trim().slice(0, MOST_CHARS).toWellFormed();
  return text === "" ? null : text;
}
