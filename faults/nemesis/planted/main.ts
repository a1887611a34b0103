import { registerHooks } from "node:module";
import { readFileSync } from "node:fs";
import { FAILPOINTS } from "./failpoints.ts";
import { PLANTED } from "./list.ts";
import { edited } from "./edits.ts";
import { startFailpoints } from "./run-failpoints.ts";

/**
 * The program of the service with failpoints, and with the planted faults that NEMESIS_PLANTED names. Both are edits of source text while
 * it is loaded, so the service itself has no line for them.
 */
const names = process.env["NEMESIS_PLANTED"]?.split(",") ?? [];
const edits = [
  ...FAILPOINTS,
  ...PLANTED.filter(({ name }) => names.includes(name)).flatMap((planted) => planted.edits),
];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const own = edits.filter(({ file }) => url.endsWith(`/apps/service/src/${file}`));
    if (own.length === 0) return loaded;
    return { ...loaded, source: edited(readFileSync(new URL(url), "utf8"), own) };
  },
});

startFailpoints(process.env["NEMESIS_FAILPOINTS"]);
await import("../../../apps/service/src/main.ts");
