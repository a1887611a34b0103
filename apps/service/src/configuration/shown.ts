import { isSame, pick, without } from "./kinds/documents.ts";
import type { Document } from "./kinds/documents.ts";
import type { Kind } from "./kinds/kind.ts";

/** Returns the document as a file shows it: without the members that have their defaults. */
export function shownDocument(kind: Kind, document: Document): Document {
  const base = pick(document, [kind.identity, ...kind.base]);
  const usual = kind.resolve(base);
  const isShown = (name: string): boolean => {
    if (kind.required.includes(name)) return true;
    const other = kind.base.includes(name) ? kind.resolve(without(base, [name])) : usual;
    return !isSame(document[name], other[name]);
  };
  const shown = pick(document, Object.keys(document).filter(isShown));
  return kind.trim?.(shown) ?? shown;
}
