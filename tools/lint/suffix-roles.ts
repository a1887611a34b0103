import type { Context, Import, Node, Rule } from "./api.ts";
import { onImports } from "./imports.ts";
import { isNamed, memberName } from "./named.ts";
import { placeOf } from "./place.ts";

interface Restriction {
  /** The paths, relative to apps/service/src, that may use it. */
  readonly allowed: RegExp;
  readonly where: string;
}

interface PackageRestriction extends Restriction {
  readonly packages: RegExp;
}

const packages: readonly PackageRestriction[] = [
  {
    packages: /^(?:fastify(?:-plugin)?$|@fastify\/)/,
    allowed: /(?:\.routes\.ts$|^server\/|^access\/)/,
    where: "*.routes.ts, server/ and access/",
  },
  {
    packages: /^(?:pg|kysely)(?:$|[-/])/,
    allowed: /(?:\.store\.ts$|^platform\/(?:db|embedded-postgres)\/)/,
    where: "*.store.ts, platform/db/ and platform/embedded-postgres/",
  },
  { packages: /^undici(?:$|\/)/, allowed: /^platform\/outbound-http\//, where: "platform/outbound-http/" },
  { packages: /^(?:node:)?perf_hooks$/, allowed: /^lib\/clock\.ts$/, where: "lib/clock.ts" },
];

const clock: Restriction = { allowed: /^lib\/clock\.ts$/, where: "lib/clock.ts" };
const environment: Restriction = { allowed: /^config\/config\.ts$/, where: "config/config.ts" };
const globals = new Map<string, Restriction>([
  ["Date", clock],
  ["performance", clock],
  ["fetch", { allowed: /^platform\/outbound-http\//, where: "platform/outbound-http/" }],
]);
const processModule = /^(?:node:)?process$/;

/** Restricts the web framework, the database driver, outbound HTTP, time and the environment to one role each. */
export const suffixRolesRule: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === undefined || place.isTest) return {};
    const refuse = (node: Node, name: string, { allowed, where }: Restriction): void => {
      if (!allowed.test(place.path)) context.report({ node, message: `${name} belongs in ${where} only.` });
    };
    return {
      ...onImports((found) => {
        for (const restriction of packages) {
          if (restriction.packages.test(found.specifier)) refuse(found.node, `"${found.specifier}"`, restriction);
        }
        if (takesEnvironment(found)) refuse(found.node, "process.env", environment);
      }),
      MemberExpression(node) {
        const name = memberName(node.property);
        if (name === "env" && isNamed(node.object, "process")) refuse(node, "process.env", environment);
        const restriction = globals.get(name ?? "");
        if (restriction && name !== undefined && isNamed(node.object, "globalThis")) refuse(node, name, restriction);
      },
      VariableDeclarator(node) {
        if (node.id.type !== "ObjectPattern" || !isNamed(node.init, "process")) return;
        const takesEnv = node.id.properties.some(
          (property) => property.type === "RestElement" || memberName(property.key) === "env",
        );
        if (takesEnv) refuse(node, "process.env", environment);
      },
      "Program:exit": () => {
        for (const { name, identifier } of globalValues(context)) {
          const restriction = globals.get(name);
          if (restriction) refuse(identifier, name, restriction);
        }
      },
    };
  },
};

function takesEnvironment({ specifier, names }: Import): boolean {
  return processModule.test(specifier) && names.some((name) => name === "env" || name === "*");
}

/** Returns the uses of globals that exist when the program runs. `Date` as a type reads no clock. */
function globalValues(context: Context): { readonly name: string; readonly identifier: Node }[] {
  const { globalScope } = context.sourceCode.scopeManager;
  if (globalScope === null) return [];
  const declared = globalScope.variables
    .filter(({ defs }) => defs.length === 0)
    .flatMap(({ references }) => references);
  return [...globalScope.through, ...declared]
    .filter(({ identifier }) => !identifier.parent.type.startsWith("TS"))
    .map(({ identifier }) => ({ name: identifier.name, identifier }));
}
