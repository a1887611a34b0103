import { stripVTControlCharacters } from "node:util";
import { closest, editDistance } from "../../../packages/command-line/src/command-line.ts";

/** Without whatever has the form of an API key or a signing secret. */
export function redacted(text: string): string {
  return text.replaceAll(/\b(jn_(?:live|test)_|whsec_)[0-9A-Za-z+/=]+/g, "$1[redacted]");
}

/** One line that moves no cursor and changes no color, whoever wrote it. */
export function visible(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}

const TYPO_LETTERS = 2;

/** Names that a mistyped one may have meant, or begun to be, the nearest first. */
export function nearest(wanted: string, names: Iterable<string>): string[] {
  const text = wanted.toLowerCase();
  return closest(
    names,
    (name) => (name.startsWith(text) && text !== "" ? 1 : editDistance(text, name)),
    (name) => Math.max(1, Math.floor(name.length / 3)),
  );
}

/** Names that differ from this one by two letters at most, such as two that are swapped; those that differ least. */
export function typosOf(wanted: string, names: Iterable<string>): string[] {
  const near = [...names].map((name) => ({ name, distance: editDistance(wanted, name) }));
  const least = Math.min(...near.map(({ distance }) => distance));
  return near.filter(({ distance }) => distance === least && distance <= TYPO_LETTERS).map(({ name }) => name);
}
