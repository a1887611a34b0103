import { expect, test } from "vitest";
import { findings } from "./fixture.ts";

const src = "apps/console/src";

function found(files: Readonly<Record<string, string>>): string[] {
  const placed = Object.fromEntries(Object.entries(files).map(([path, text]) => [`${src}/${path}`, text]));
  return findings(placed, "junction(console-modules)").map((line) =>
    line.slice(src.length + 1).replace(" junction(console-modules):", ""),
  );
}

test("a console module imports itself and the front doors of earlier modules", () => {
  const files = {
    "ui/button.tsx":
      'export { call } from "../api/api.ts";\nexport { cx } from "./names.ts";\nexport { paths } from "../paths.ts";',
    "features/keys/keys.tsx": 'export { Button } from "../../ui/ui.ts";\nexport { Form } from "./form.tsx";',
    "api/api.ts": 'export type { Event } from "../../../../sdks/node/src/generated/types.ts";',
    "routes.ts": 'export const load = async () => await import("./features/keys/keys.tsx");',
    "features/keys/keys.test.ts": 'import { startConsole } from "../../testing/testing.ts";\nstartConsole();',
    "testing/testing.ts": 'export { startService } from "../../../service/src/testing/service.ts";',
  };
  expect(found(files)).toEqual([]);
});

test("no later module, no back door, no other feature, nothing of the service", () => {
  const files = {
    "ui/button.tsx": 'export { Shell } from "../shell/shell.ts";',
    "ui/field.tsx": 'export { call } from "../api/client.ts";',
    "ui/router.tsx": 'export { router } from "../router.tsx";',
    "features/keys/keys.tsx": 'export { Form } from "../members/form.tsx";',
    "features/keys/types.ts": 'export type { Event } from "../../../../../sdks/node/src/generated/types.ts";',
    "api/api.ts": 'export { ids } from "../../../service/src/lib/lib.ts";',
    "shell/shell.ts": 'export { startConsole } from "../testing/testing.ts";',
    "stray.ts": "export const a = 1;",
  };
  expect(found(files)).toEqual([
    "api/api.ts: Only api/ takes something from outside the console, and types alone.",
    'features/keys/keys.tsx: "keys" may not import the feature "members".',
    "features/keys/types.ts: Only api/ takes something from outside the console, and types alone.",
    "shell/shell.ts: Only tests import testing/ and other tests.",
    "stray.ts: A file of the console belongs to a module.",
    'ui/button.tsx: "ui" may not import "shell", which comes after it.',
    "ui/field.tsx: Import api/api.ts instead of api/client.ts.",
    "ui/router.tsx: A module never imports router.tsx: it stands above the modules.",
  ]);
});
