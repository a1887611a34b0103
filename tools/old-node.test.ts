import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nodeProgram } from "../sdks/node/test/kit.ts";
import { run } from "./run.ts";

test.each(["12.22.12", "16.20.2"])("the bootstrap names Node %s as too old", async (version) => {
  const bootstrap = fileURLToPath(new URL("bootstrap.mjs", import.meta.url));
  expect(await run(await nodeProgram(version), [bootstrap])).toEqual({
    status: 78,
    stdout: "",
    output: `junction: Node ${version} is too old. Install Node 18 or later, and run the command again.\n`,
  });
});
