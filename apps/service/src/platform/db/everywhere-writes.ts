import { AliasNode, SchemableIdentifierNode, TableNode } from "kysely";
import type { KyselyPlugin, OperationNode, RootOperationNode } from "kysely";
import { PLACEMENT } from "../citus/citus.ts";

/**
 * Names the schema of a table that is on every machine in the builder's writes. On a shard, the plain name is the local
 * copy, which is for reads (docs/scaling.md).
 */
export const everywhereWrites: KyselyPlugin = {
  transformQuery: ({ node }) => transformed(node),
  transformResult: async ({ result }) => await Promise.resolve(result),
};

function transformed(node: RootOperationNode): RootOperationNode {
  switch (node.kind) {
    case "InsertQueryNode":
      return node.into === undefined ? node : { ...node, into: qualified(node.into) };
    case "UpdateQueryNode":
      return node.table === undefined ? node : { ...node, table: qualified(node.table) };
    case "DeleteQueryNode":
      return { ...node, from: { ...node.from, froms: node.from.froms.map(qualified) } };
    default:
      return node;
  }
}

function qualified<Node extends OperationNode>(node: Node): Node {
  if (AliasNode.is(node)) return { ...node, node: qualified(node.node) };
  if (!TableNode.is(node) || node.table.schema !== undefined) return node;
  const { name } = node.table.identifier;
  if (PLACEMENT[name] !== "everywhere") return node;
  return { ...node, table: SchemableIdentifierNode.createWithSchema("public", name) };
}
