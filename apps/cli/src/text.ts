import { stripVTControlCharacters } from "node:util";
import { closest, editDistance } from "../../../packages/command-line/src/command-line.ts";

/** Removes all text in the form of an API key or a signing secret. */
export function redacted(text: string): string {
  return text.replaceAll(/\b(jn_(?:live|test)_|whsec_)[0-9A-Za-z+/=]+/g, "$1[redacted]");
}

/** Returns one line that moves no cursor and changes no color, for any input. */
export function visible(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}

/** Returns the members of a list that is written with commas. */
export function commaList(text: string): string[] {
  return text.split(",").map((one) => one.trim());
}

const TYPO_LETTERS = 2;

/** Returns names that a mistyped one may have meant or started, the nearest first. */
export function nearest(wanted: string, names: Iterable<string>): string[] {
  const text = wanted.toLowerCase();
  return closest(
    names,
    (name) => (name.startsWith(text) && text !== "" ? 1 : editDistance(text, name)),
    (name) => Math.max(1, Math.floor(name.length / 3)),
  );
}

/**
 * Returns names that differ from this one by at most two letters, such as two swapped ones. Only those with the
 * smallest difference are returned.
 */
export function typosOf(wanted: string, names: Iterable<string>): string[] {
  const near = [...names].map((name) => ({ name, distance: editDistance(wanted, name) }));
  const least = Math.min(...near.map(({ distance }) => distance));
  return near.filter(({ distance }) => distance === least && distance <= TYPO_LETTERS).map(({ name }) => name);
}
