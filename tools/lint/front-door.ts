import type { Rule } from "./api.ts";
import { onImports } from "./imports.ts";
import { frontDoorOf, placeOf, placeOfImport } from "./place.ts";
import type { Place } from "./place.ts";

/**
 * From another module, only its front door may be imported; a test is held to it like everything else. Manifests are imported by other
 * manifests, and by what puts the service together. config/ imports a module's settings.ts, which loads less than its front door.
 */
export const frontDoorRule: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === undefined) return {};
    return onImports(({ specifier, node }) => {
      const target = placeOfImport(place, specifier);
      if (target?.module === undefined || target.module === "testing") return;
      if (target.isManifest) {
        if (!composes(place)) context.report({ node, message: `Only manifests and service.ts import ${target.path}.` });
        return;
      }
      if (target.module === place.module) return;
      if (place.path.startsWith("config/") && target.path === `${target.module}/settings.ts`) return;
      const door = frontDoorOf(target);
      if (target.path !== door) context.report({ node, message: `Import ${door} instead of ${target.path}.` });
    });
  },
};

function composes({ module, isManifest }: Place): boolean {
  return module === undefined || isManifest;
}
