import type { Import, Visitor } from "./api.ts";

interface Named {
  readonly type: string;
  readonly imported?: { readonly name?: string; readonly value?: unknown };
  readonly local?: { readonly name?: string; readonly value?: unknown };
  readonly importKind?: string | null;
}

/** A visitor that calls `see` for every import of a file: statements, re-exports, `import()` and types. */
export function onImports(see: (found: Import) => void): Visitor {
  return {
    ImportDeclaration(node) {
      const specifiers: readonly Named[] = node.specifiers;
      const isTypeOnly =
        node.importKind === "type" ||
        (specifiers.length > 0 && specifiers.every(({ importKind }) => importKind === "type"));
      see({
        specifier: node.source.value,
        node: node.source,
        isTypeOnly,
        names: specifiers.map(nameOf),
      });
    },
    ExportNamedDeclaration(node) {
      if (!node.source) return;
      const names = (node.specifiers as readonly Named[]).map(({ local }) => local?.name ?? String(local?.value));
      see({
        specifier: node.source.value,
        node: node.source,
        isTypeOnly: node.exportKind === "type",
        names,
      });
    },
    ExportAllDeclaration(node) {
      see({
        specifier: node.source.value,
        node: node.source,
        isTypeOnly: node.exportKind === "type",
        names: ["*"],
      });
    },
    ImportExpression(node) {
      const { source } = node;
      if (source.type !== "Literal" || typeof source.value !== "string") return;
      see({ specifier: source.value, node: source, isTypeOnly: false, names: ["*"] });
    },
    TSImportType(node) {
      see({ specifier: node.source.value, node: node.source, isTypeOnly: true, names: [] });
    },
  };
}

function nameOf({ type, imported }: Named): string {
  if (type === "ImportNamespaceSpecifier") return "*";
  if (type === "ImportDefaultSpecifier") return "default";
  return imported?.name ?? String(imported?.value);
}
