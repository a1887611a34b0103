import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { tarOf } from "./tar.ts";

test("a packed file keeps a path of 200 characters, the longest allowed", () => {
  const path = `lib/${"n".repeat(193)}.ts`;
  const archive = tarOf("acme", new Map([[path, Buffer.from("export {};\n")]]));
  expect(execFileSync("tar", ["-xO", `acme/${path}`], { input: archive, encoding: "utf8" })).toBe("export {};\n");
});
