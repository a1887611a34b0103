import { dirname, join, resolve } from "node:path";
import type { Rule } from "./api.ts";
import { onImports } from "./imports.ts";

/** Each module imports only earlier ones, by `<module>/<module>.ts`. */
const ORDER = ["api", "session", "ui", "shared", "shell", "features", "portal"];
const SOURCE = "/apps/console/src/";
/** Files outside of the modules: they put the modules together, and say where things are. */
const ROOT_FILES = [
  "app.tsx",
  "console-navigation.tsx",
  "first-paint.tsx",
  "main.tsx",
  "paths.ts",
  "portal-main.tsx",
  "portal-router.tsx",
  "router.tsx",
  "routes.ts",
  "styles.css",
];

interface ConsolePlace {
  readonly path: string;
  /** Undefined for a file directly in src. */
  readonly module: string | undefined;
  /** The folder of a feature. */
  readonly feature: string | undefined;
  readonly isTest: boolean;
}

/** Checks the modules of apps/console/src: their order, their front doors, and that features do not import each other. */
export const consoleModulesRule: Rule = {
  create(context) {
    const filename = context.filename.replaceAll("\\", "/");
    const from = placeIn(filename);
    if (from === undefined) return {};
    return {
      Program(node) {
        if (from.module === undefined && !from.isTest && !ROOT_FILES.includes(from.path))
          context.report({ node, message: "A file of the console belongs to a module." });
      },
      ...onImports(({ specifier, node, isTypeOnly }) => {
        if (!specifier.startsWith(".") || from.isTest) return;
        const message = judge(from, resolve(dirname(join("/", filename)), specifier), isTypeOnly);
        if (message !== undefined) context.report({ node, message });
      }),
    };
  },
};

function judge(from: ConsolePlace, file: string, isTypeOnly: boolean): string | undefined {
  const target = placeIn(file);
  if (target === undefined) return judgeOutside(from, isTypeOnly);
  if (target.isTest) return "Only tests import testing/ and other tests.";
  if (target.path === "paths.ts" || from.module === undefined) return undefined;
  if (target.module === undefined) return `A module never imports ${target.path}: it stands above the modules.`;
  return judgeModules(from, target);
}

function judgeModules(from: ConsolePlace, target: ConsolePlace): string | undefined {
  if (from.feature !== target.feature && target.feature !== undefined) {
    return `"${from.feature ?? from.module}" may not import the feature "${target.feature}".`;
  }
  if (from.module === target.module) return undefined;
  const [wanted, own] = [target.module ?? "", from.module ?? ""];
  if (ORDER.indexOf(wanted) > ORDER.indexOf(own)) return `"${own}" may not import "${wanted}", which comes after it.`;
  const door = `${wanted}/${wanted}.ts`;
  return target.path === door ? undefined : `Import ${door} instead of ${target.path}.`;
}

/** Returns the fault of an import from outside, because the console uses the service only through its API. */
function judgeOutside(from: ConsolePlace, isTypeOnly: boolean): string | undefined {
  return from.module === "api" && isTypeOnly
    ? undefined
    : "Only api/ takes something from outside the console, and types alone.";
}

function placeIn(file: string): ConsolePlace | undefined {
  const start = file.lastIndexOf(SOURCE);
  if (start === -1) return undefined;
  const path = file.slice(start + SOURCE.length);
  const [first, second] = path.split("/");
  const module = path.includes("/") ? first : undefined;
  return {
    path,
    module,
    feature: module === "features" ? second : undefined,
    isTest: module === "testing" || path.endsWith(".test.ts"),
  };
}
