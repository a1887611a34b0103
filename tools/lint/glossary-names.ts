import { basename } from "node:path";
import type { Node, Rule } from "./api.ts";
import { placeOf } from "./place.ts";

/** Words that docs/glossary.md replaces, which were names in the code. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ["gate", "access check"],
  ["ladder", "retry schedule"],
  ["posting", "delivery"],
]);

/** Names of code and files use the words of the glossary, as texts do. Names with `_` are columns and members of the wire, which stay. */
export const glossaryNamesRule: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === undefined || place.isTest) return {};
    const judge = (node: Node, name: string, words: readonly string[]): void => {
      const word = words.find((one) => REPLACED.has(one));
      if (word === undefined) return;
      context.report({
        node,
        message: `Write "${REPLACED.get(word)}" instead of "${word}" in "${name}" (docs/glossary.md).`,
      });
    };
    return {
      Program: (node) => judge(node, basename(place.path), basename(place.path).split(/[.-]/)),
      Identifier(node) {
        const { name } = node;
        if (!name.includes("_"))
          judge(
            node,
            name,
            name.split(/(?=[A-Z])/).map((word) => word.toLowerCase()),
          );
      },
    };
  },
};
