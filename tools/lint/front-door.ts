import type { Rule } from "./api.ts";
import { onImports } from "./imports.ts";
import { frontDoorOf, placeOf, placeOfImport } from "./place.ts";

/** From another module, only `<module>/<module>.ts` may be imported; a test is held to it like everything else. */
export const frontDoorRule: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === undefined) return {};
    return onImports(({ specifier, node }) => {
      const target = placeOfImport(place, specifier);
      if (target?.module === undefined || target.module === place.module || target.module === "testing") return;
      const door = frontDoorOf(target.module);
      if (target.path !== door) context.report({ node, message: `Import ${door} instead of ${target.path}.` });
    });
  },
};
