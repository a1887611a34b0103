import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { connectionLimit } from "./connection-limit.ts";

const script = new URL("connection-limit.ts", import.meta.url).href;
const ask = `import(${JSON.stringify(script)}).then((module) => console.log(module.connectionLimit()))`;

test.each([
  [300, 150],
  [4096, 1000],
])("with %d files, %d connections to receivers may be open", async (files, connections) => {
  const command = `ulimit -n ${files} && exec "$0" -e '${ask}'`;
  const { stdout } = await promisify(execFile)("bash", ["-c", command, process.execPath]);
  expect(Number(stdout)).toBe(connections);
});

test.each([
  [256, 204],
  [512, 409],
])("with %d MiB of memory, %d connections to receivers may be open", (mib, connections) => {
  expect(connectionLimit(mib * 2 ** 20)).toBe(connections);
});
