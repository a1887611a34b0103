import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { completed } from "./complete-lockfile.ts";

test("package-lock.json has an entry for every platform, so npm ci accepts it everywhere", () => {
  const text = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8");
  const lockfile = JSON.parse(text) as Parameters<typeof completed>[0];
  expect(completed(lockfile)).toEqual(lockfile);
});

test("a platform package that the registry omitted is added as its parent pins it", () => {
  const parent = {
    version: "2.0.0",
    dev: true,
    optionalDependencies: {
      "@x/binding-linux-x64-musl": "2.0.0",
      "@x/darwin-arm64": "2.0.0",
      "not-a-platform": "^1.0.0",
    },
  };
  const here = { version: "2.0.0", dev: true, optional: true };
  const { packages } = completed({
    packages: { "node_modules/x": parent, "node_modules/@x/darwin-arm64": here },
  });
  expect(packages).toEqual({
    "node_modules/@x/binding-linux-x64-musl": {
      version: "2.0.0",
      cpu: ["x64"],
      dev: true,
      libc: ["musl"],
      optional: true,
      os: ["linux"],
    },
    "node_modules/@x/darwin-arm64": here,
    "node_modules/x": parent,
  });
});
