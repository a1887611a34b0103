import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MOCK_KEY, startMock } from "../../../conformance/mock.ts";
import type { MockServer } from "../../../conformance/mock.ts";
import { covers } from "../../../requirements/covers.ts";
import { kitModules, nodeProgram, nodeVersions, packedSdk, project, removeMade } from "./kit.ts";
import { run } from "../../../tools/run.ts";

const MINUTES_10 = 600_000;

/** The program that each project runs with the SDK. It prints `ok`, or throws. */
const WORK = `
async function main() {
  const junction = new Junction({ apiKey: process.env.KEY, baseUrl: process.env.BASE_URL, timing: { sleep: async () => {} } });
  const fired = await junction.events.fire("order.created", { order: { external_id: "10482" } });
  if (fired.id !== "evt_1" || fired.$response.attempts !== 2) throw new Error("not fired: " + JSON.stringify(fired));
  const ids = [];
  for await (const ticket of junction.tickets.list({ limit: 1 })) ids.push(ticket.id);
  if (ids.join() !== "tkt_1,tkt_2") throw new Error("not listed: " + ids);
  const error = await junction.me.get().catch((thrown) => thrown);
  if (!(error instanceof AuthenticationError) || error.code !== "key_revoked") throw error;
  const timeout = await junction.me.get({ timeoutMs: 200, maxRetries: 0 }).catch((thrown) => thrown);
  if (timeout.code !== "timeout") throw timeout;
  const sample = fixtures.delivery("invoice.paid");
  const delivery = webhooks.verify(sample.body, sample.headers, fixtures.secret);
  if (!webhooks.isEvent(delivery, "invoice.paid")) throw new Error("not verified");
  const mock = mockTransport();
  await new Junction(mock.options).webhookEndpoints.create({ url: "https://example.com", events: ["*"] });
  if (mock.calls[0].operation !== "webhook_endpoints.create") throw new Error("not mocked");
  console.log("ok");
}
main();
`;

const NAMES = "AuthenticationError, Junction, webhooks";
const FILES = {
  "main.cjs": `const { ${NAMES} } = require("@junction-platform/sdk");\nconst { fixtures, mockTransport } = require("@junction-platform/sdk/testing");\n${WORK}`,
  "main.mjs": `import { ${NAMES} } from "@junction-platform/sdk";\nimport { fixtures, mockTransport } from "@junction-platform/sdk/testing";\n${WORK}`,
};

const ANSWERS = [
  { status: 503, json: { code: "service_unavailable", retryable: true } },
  { status: 202, json: { id: "evt_1", object: "event" } },
  { json: { object: "list", data: [{ id: "tkt_1" }], has_more: true, next_cursor: "c" } },
  { json: { object: "list", data: [{ id: "tkt_2" }], has_more: false, next_cursor: null } },
  { status: 401, json: { code: "key_revoked", retryable: false } },
  { hang: true },
];

let mock: MockServer;
let tarball: string;
let installed: string;

beforeAll(async () => {
  mock = await startMock();
  tarball = await packedSdk();
  installed = await project(tarball, FILES);
}, MINUTES_10);

afterAll(async () => {
  await mock.close();
  await removeMade();
});

for (const version of nodeVersions) {
  covers(
    "sdk.node.runtime",
    `the packed SDK works on Node ${version}, required and imported`,
    async () => {
      const node = await nodeProgram(version);
      const { stdout } = await run(node, ["--version"]);
      expect(stdout.trim()).toBe(`v${version}`);
      for (const file of Object.keys(FILES)) {
        const made = await fetch(`${mock.url}/_runs`, { method: "POST", body: JSON.stringify({ answers: ANSWERS }) });
        const { id, base_url: baseUrl } = (await made.json()) as { id: string; base_url: string };
        const env = { PATH: "", KEY: MOCK_KEY, BASE_URL: baseUrl, JUNCTION_API_KEY: "", NODE_NO_WARNINGS: "1" };
        expect(await run(node, [join(installed, file)], { env })).toEqual({
          status: 0,
          stdout: "ok\n",
          output: "ok\n",
        });
        const seen = await fetch(`${mock.url}/_runs/${id}`);
        const { requests } = (await seen.json()) as { requests: readonly { signature: string }[] };
        expect(requests.map(({ signature }) => signature)).toEqual(ANSWERS.map(() => "valid"));
      }
    },
    MINUTES_10,
  );
}

test("the package contains only its own files and has no dependencies", async () => {
  const { stdout } = await run("tar", ["-tzf", tarball]);
  const names = stdout
    .trim()
    .split("\n")
    .map((path) => path.replace("package/", ""));
  expect(names.filter((name) => !name.startsWith("dist/"))).toEqual(["package.json", "README.md"]);
  expect(names.filter((name) => /test\b|\.ts$/.test(name) && !name.endsWith(".d.ts"))).toEqual([]);
  const manifest = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as Record<
    string,
    unknown
  >;
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  const version = await readFile(new URL("../src/version.ts", import.meta.url), "utf8");
  expect(version).toContain(`"${String(manifest["version"])}"`);
});

test("publint reports nothing", { timeout: MINUTES_10 }, async () => {
  const modules = await kitModules();
  const { status, output } = await run(process.execPath, [
    join(modules, "publint", "src", "cli.js"),
    "run",
    tarball,
    "--strict",
  ]);
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining("All good") as string });
});

test("the types are correct for each way to import the package", { timeout: MINUTES_10 }, async () => {
  const modules = await kitModules();
  const program = join(modules, "@arethetypeswrong", "cli", "dist", "index.js");
  // Node 10 does not support `exports`; the SDK needs 18.
  const args = [program, tarball, "--profile", "node16", "--format", "ascii", "--no-emoji"];
  const { status, output } = await run(process.execPath, args);
  expect({ status, output }).toEqual({
    status: 0,
    output: expect.stringContaining("node16 (from CJS): OK (CJS)") as string,
  });
});
