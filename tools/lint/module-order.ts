import type { Import, Rule } from "./api.ts";
import { onImports } from "./imports.ts";
import { moduleOrder, placeOf, placeOfImport } from "./place.ts";
import type { Place } from "./place.ts";

const aboveModules = /^(?:(?:main|service)(?:\.test)?\.ts$|(?:composition|config|process)\/)/;
const composition = /^composition\//;
const config = /^config\//;

/**
 * A module imports only modules before it in modules.json, and so does its manifest. service.ts, main.ts, composition/, config/ and process/
 * stand above them all. Manifests import composition/, and types of config/.
 */
export const moduleOrderRule: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === undefined) return {};
    const order = moduleOrder(place.sourceRoot);
    return {
      Program(node) {
        const message = misplaced(place, order);
        if (message !== undefined) context.report({ node, message });
      },
      ...onImports((found) => {
        const message = judge(place, order, found);
        if (message !== undefined) context.report({ node: found.node, message });
      }),
    };
  },
};

function misplaced({ module, path }: Place, order: readonly string[]): string | undefined {
  if (module === undefined) {
    return aboveModules.test(path)
      ? undefined
      : "Only service.ts, main.ts, composition/, config/ and process/ stand outside a module.";
  }
  if (module === "testing" || order.includes(module)) return undefined;
  return `The folder "${module}" is not in modules.json.`;
}

function judge(from: Place, order: readonly string[], { specifier, isTypeOnly }: Import): string | undefined {
  const target = placeOfImport(from, specifier);
  if (target === undefined) return undefined;
  if (target.isTest && !from.isTest) return "Only tests import testing/ and other tests.";
  if (from.module === "testing") return undefined;
  if (from.module === undefined) return judgeAbove(from, target, isTypeOnly);
  if (target.module === undefined) return judgeUpward(from, target, isTypeOnly);
  if (target.module === "testing" || order.indexOf(target.module) <= order.indexOf(from.module)) return undefined;
  return `"${from.module}" may not import "${target.module}", which comes after it in modules.json.`;
}

function judgeUpward({ isManifest }: Place, { path }: Place, isTypeOnly: boolean): string | undefined {
  if (isManifest && (composition.test(path) || (isTypeOnly && config.test(path)))) return undefined;
  return `A module never imports ${path}: it stands above the modules.`;
}

function judgeAbove(from: Place, target: Place, isTypeOnly: boolean): string | undefined {
  if (!config.test(target.path) || isTypeOnly || from.isTest || config.test(from.path) || from.path === "main.ts") {
    return undefined;
  }
  return "Only main.ts imports values of config/.";
}
