import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "./api.ts";
import { onImports } from "./imports.ts";
import { placeOf, placeOfImport } from "./place.ts";
import type { Place } from "./place.ts";

/**
 * A folder of a module imports only folders before it in rooms.json, also for types. Manifests, and files in no folder, such as the front door,
 * stand above all of them. Tests import what they test.
 */
export const roomOrderRule: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place?.module === undefined || place.isTest) return {};
    const rooms = roomOrder(place.sourceRoot)[place.module];
    if (rooms === undefined) return {};
    const room = roomOf(place);
    return {
      Program(node) {
        if (room !== undefined && !rooms.includes(room))
          context.report({ node, message: `The folder "${place.module}/${room}" is not in rooms.json.` });
      },
      ...onImports(({ specifier, node }) => {
        const target = placeOfImport(place, specifier);
        if (room === undefined || target === undefined || target.module !== place.module) return;
        const message = judge(room, target, rooms);
        if (message !== undefined) context.report({ node, message });
      }),
    };
  },
};

function judge(from: string, target: Place, rooms: readonly string[]): string | undefined {
  const to = roomOf(target);
  if (to === undefined) return `"${from}" may not import ${target.path}, which stands above the folders.`;
  if (rooms.indexOf(to) <= rooms.indexOf(from)) return undefined;
  return `"${from}" may not import "${to}", which comes after it in rooms.json.`;
}

/** Returns the folder of a file in its module; undefined for a file that stands above the folders. */
function roomOf({ path, isManifest }: Place): string | undefined {
  const [, room, file] = path.split("/");
  return file === undefined || isManifest ? undefined : room;
}

/** Returns the folders of each module in the order in which they may import each other: each only earlier ones. */
function roomOrder(sourceRoot: string): Readonly<Record<string, readonly string[]>> {
  return JSON.parse(readFileSync(join(sourceRoot, "rooms.json"), "utf8")) as Record<string, readonly string[]>;
}
