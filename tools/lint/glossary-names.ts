import { basename } from "node:path";
import type { Node, Rule, Visitor } from "./api.ts";
import { placeOf } from "./place.ts";

type Program = Parameters<NonNullable<Visitor["Program"]>>[0];
type Statement = Program["body"][number];
type Named = Node & { readonly name: string };

/** Words that docs/glossary.md replaces, which were names in the code. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ["gate", "access check"],
  ["ladder", "retry schedule"],
  ["posting", "delivery"],
]);

/** Names that say nothing of their thing, so that a search for one finds many. */
const VAGUE: ReadonlySet<string> = new Set(
  (
    "textOf viewOf requestOf refusalOf faultOf told asked made found wanted known shown " +
    "Told Asked Made Found Wanted Known Shown Make Making Args Outcome Place"
  ).split(" "),
);

/** Returns the names that a statement of a module declares. */
function declared(statement: Statement): Named[] {
  const node = "declaration" in statement && statement.declaration !== null ? statement.declaration : statement;
  if (node.type === "VariableDeclaration") return node.declarations.map(({ id }) => id as Named);
  return "id" in node ? [node.id as Named] : [];
}

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
      Program(node) {
        judge(node, basename(place.path), basename(place.path).split(/[.-]/));
        for (const id of node.body.flatMap(declared))
          if (VAGUE.has(id.name))
            context.report({ node: id, message: `Name "${id.name}" after its thing, such as "endpointView".` });
      },
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
