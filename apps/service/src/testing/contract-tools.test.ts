import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { canCheck, pythonTools } from "../../../../tools/contract/python.ts";
import type { PythonEnvironment } from "../../../../tools/python.ts";
import { run } from "../../../../tools/run.ts";
import type { Ran } from "../../../../tools/run.ts";
import { startLoopbackNames } from "./loopback-names.ts";
import { startService } from "./service.ts";

/** Checks the published contract with tools of other projects: a validator, a linter, a client generator and a request generator. */

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const contract = join(root, "openapi/openapi.json");
const able = await canCheck();
const MINUTES_30 = 1_800_000;

let tools: PythonEnvironment;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-contract-"));
  if (able) tools = await pythonTools();
}, MINUTES_30);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

covers("openapi.document.complete", "a linter reports no problem in the contract", async () => {
  const config = join(root, "tools/contract/redocly.yaml");
  const redocly = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
  const linted = await run(
    process.execPath,
    [redocly, "lint", contract, "--config", config, "--format", "stylish", "--max-problems", "20"],
    { env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
  );
  expect(failureOf(linted)).toBe("");
});

// Without Python or Java these tests are skipped on a developer's machine. CI always runs them.
describe.skipIf(!able)("with tools from PyPI", () => {
  covers("openapi.document.version", "an independent second validator accepts the contract", async () => {
    const judged = await run(tools.program("openapi-spec-validator"), ["--schema", "3.0", contract]);
    expect(failureOf(judged)).toBe("");
  });

  covers(
    "openapi.document.generates",
    "a client generated from the contract compiles and fires an event",
    async () => {
      const service = await startService();
      const source = join(folder, "client");
      const jar = tools.file("openapi_generator_cli/openapi-generator.jar");
      const generate = ["generate", "-i", contract, "-g", "typescript-fetch", "-o", source];
      const generated = await run("java", [
        "-jar",
        jar,
        ...generate,
        "--global-property",
        "apis,models,supportingFiles",
      ]);
      expect(failureOf(generated)).toBe("");
      await writeFile(join(source, "program.ts"), PROGRAM);
      await writeFile(join(source, "package.json"), "{}");
      const flags = "--strict --skipLibCheck --target es2022 --module nodenext --lib es2022,dom --types --outDir out";
      const compiled = await run(join(root, "node_modules/.bin/tsc"), [...flags.split(" "), "program.ts"], {
        cwd: source,
      });
      expect(failureOf(compiled)).toBe("");
      const ran = await run(process.execPath, ["out/program.js", service.baseUrl, service.key], { cwd: source });
      await service.close();
      expect(ran.output.trim()).toBe("accepted order.created; 1 event; refused with validation_failed");
    },
    MINUTES_30,
  );

  covers(
    "openapi.document.complete",
    "random requests generated from the contract get only responses that it declares",
    async () => {
      const names = await startLoopbackNames();
      const service = await startService({
        // The service accepts events and does not deliver them, so nothing leaves this machine.
        env: { JUNCTION_ROLES: "api", JUNCTION_RATE_LIMITS: UNLIMITED, JUNCTION_DNS_SERVERS: names.address },
      });
      await service.endpoint("https://hooks.example.com/junction");
      const { deliveries } = await service.fire();
      const config = join(root, "tools/contract/schemathesis.toml");
      const tried = await run(
        tools.program("schemathesis"),
        ["--config-file", config, "run", `${service.baseUrl}/openapi.json`, "--no-color"],
        {
          cwd: folder,
          timeout: MINUTES_30,
          env: { ...process.env, JUNCTION_KEY: service.key, JUNCTION_DELIVERY: deliveries[0].id },
        },
      );
      await service.close();
      await names.close();
      expect(failureOf(tried)).toBe("");
    },
    MINUTES_30,
  );
});

/** Returns the output of a failed program, so that the test shows it. */
function failureOf({ status, output }: Ran): string {
  return status === 0 ? "" : output.slice(0, 10_000);
}

const UNLIMITED = JSON.stringify(
  Object.fromEntries(
    ["events.fire", "webhooks.test", "management.read", "management.write"].map((name) => [name, 1_000_000]),
  ),
);

const PROGRAM = `
import { Configuration, EventsApi, ResponseError } from "./index";
async function main(): Promise<void> {
  const [basePath = "", accessToken = ""] = process.argv.slice(2);
  const events = new EventsApi(new Configuration({ basePath, accessToken }));
  const fired = await events.fireEvent({ newEvent: { event: "order.created", data: { order: { external_id: "1" } } } });
  const listed = await events.listEvents({ limit: 5, event: "order.created" });
  const refused = await events.fireEvent({ newEvent: { event: "a..b", data: {} } }).catch((error) => error);
  const problem = refused instanceof ResponseError ? (await refused.response.json()).code : "nothing";
  console.log(\`\${fired.status} \${fired.event}; \${listed.data.length} event; refused with \${problem}\`);
}
declare const process: { argv: string[]; exitCode: number };
main().catch((error) => { console.error(error); process.exitCode = 1; });
`;
