import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { connectorFiles } from "../../testing/connectors.ts";
import type { Files } from "../../testing/connectors.ts";
import { createConnector, KitUnavailableError, reportText, testConnector } from "./kit.ts";
import type { KitReport } from "./report.ts";

vi.setConfig({ testTimeout: 300_000 });
let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-kit-test-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

interface Tried {
  /** The class's members in addition to `key()`. */
  readonly members: string;
  readonly description?: Record<string, unknown>;
  readonly actions?: unknown[];
  readonly fixtures?: unknown[];
  readonly kit?: object;
  readonly files?: Files;
}

const FORM = {
  type: "object",
  properties: { base_url: { type: "string", format: "uri" }, api_key: { type: "string", writeOnly: true } },
  required: ["base_url", "api_key"],
};
const POST = { request: { method: "POST", url: "{settings.base_url}/*" }, response: { status: 200, json: {} } };

/** Returns the kit's report on a connector with this code. */
async function tried({
  members,
  description = {},
  actions = [],
  fixtures = [POST],
  kit,
  files,
}: Tried): Promise<KitReport> {
  count += 1;
  const key = `tried-${count}`;
  const none = { egress: ["settings.base_url"], events: [], fires: [], reads: [] };
  const all: Files = {
    ...connectorFiles(key, { ...none, ...description }, actions),
    "connector.ts": `import { AbstractConnector } from "@junction/connector";
export class Tried extends AbstractConnector {
  key() { return "${key}"; }
${members}
}
`,
    "settings.json": JSON.stringify(FORM),
    "fixtures/http.json": JSON.stringify(fixtures),
    ...(kit === undefined ? {} : { "fixtures/kit.json": JSON.stringify(kit) }),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) await put(join(folder, key, path), text);
  return await testConnector(join(folder, key), { php: null });
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Returns the faults of one check. */
function faultsOf(report: KitReport, name: string): string {
  const check = report.checks.find((one) => one.name === name);
  return check?.outcome === "failed" ? check.details.join("\n") : (check?.outcome ?? "not there");
}

const HEARS = { events: ["order.created"] };
const subscriber = (body: string): string => `subscribers() { return { "order.created": ["hear"] }; }
  async hear(event) { ${body} }`;

describe("a faulty connector", () => {
  test("an invalid file ends the test with the file's name", async () => {
    const report = await tried({ members: "", files: { "settings.json": "[]" } });
    expect(report.ok).toBe(false);
    expect(reportText(report)).toMatch(/FAILED {2}files {7}settings\.json/);
  });

  covers("connector.hook.subscribers", "a class with other events than declared is reported", async () => {
    const report = await tried({ members: subscriber("") });
    expect(faultsOf(report, "class")).toContain("subscribers() has order.created, which is not declared");
  });

  test("a handler that throws is reported with its place", async () => {
    const report = await tried({ members: subscriber(`throw new Error("no such order");`), description: HEARS });
    expect(faultsOf(report, "events")).toMatch(/^order\.created, hear\(\): no such order \(connector\.ts:\d+:\d+\)$/);
  });

  test("a handler that does not end is stopped and reported", async () => {
    const report = await tried({ members: subscriber("for (;;);"), description: HEARS });
    expect(faultsOf(report, "events")).toContain("order.created, hear(): deadline");
    expect(faultsOf(report, "limits")).toBe("passed");
  });

  covers("dispatch.subscriber.mirrors", "a second effect of a repeated call is reported", async () => {
    const post = `await this.http({ method: "POST", url: this.settings("base_url") + "/orders", json: event.data`;
    const careless = await tried({ members: subscriber(`${post} });`), description: HEARS });
    expect(faultsOf(careless, "duplicates")).toContain(
      "the second call repeated an effect: POST https://base-url.example.com/orders",
    );
    const careful = await tried({
      members: subscriber(`${post}, headers: { "Idempotency-Key": event.id } });`),
      description: HEARS,
    });
    expect(reportText(careful)).toContain("0 failed");
    const once = await tried({
      members: subscriber(`if (await this.kv.cas(event.id, null, true)) ${post} });`),
      description: HEARS,
    });
    expect(reportText(once)).toContain("0 failed");
  });

  test("undeclared hosts, events and data are refused and reported, even if caught", async () => {
    const quietly = (call: string): string => `try { await ${call}; } catch {}`;
    const report = await tried({
      members: subscriber(
        [
          quietly(`this.http({ method: "GET", url: "https://evil.example.com/" })`),
          quietly(`this.fire("order.paid", {})`),
          quietly(`this.contacts.find({ email: "ada@example.com" })`),
          quietly(`this.mail({ to: "a@example.com", subject: "a", text: "a" })`),
        ].join(" "),
      ),
      description: HEARS,
    });
    const faults = faultsOf(report, "declared");
    for (const part of ["evil.example.com", "order.paid", "contacts", "mail"]) expect(faults).toContain(part);
  });

  test("a missing webhook sample, or a failure on unknown content, is reported", async () => {
    const description = { webhook: { verify: "hex", header: "X-Signature", secret: "settings.api_key" } };
    const members = `async handleWebhook(body) { this.log("info", body.order.id); }`;
    expect(faultsOf(await tried({ members, description }), "webhook")).toContain("there is no sample");
    const report = await tried({ members, description, kit: { webhooks: [{ body: { order: { id: "1" } } }] } });
    expect(faultsOf(report, "webhook")).toMatch(/^a body of another sender \(\{\}\):/);
  });

  test("a provider with an invalid result is reported", async () => {
    const report = await tried({
      members: `identityProviders() { return { acme: "who" }; }
  contextProviders() { return { tickets: "open" }; }
  who() { return { id: 7 }; }
  open() { return [{ subject: "without an id" }]; }`,
      description: { identity_providers: ["acme"], context_providers: ["tickets"] },
    });
    expect(faultsOf(report, "identity")).toContain("id must be a string and one of external_id");
    expect(faultsOf(report, "context")).toContain("a ticket has no external_id");
  });

  test("a custom event without a sample is reported", async () => {
    const members = `subscribers() { return { "acme.launched": ["hear"] }; } hear() {}`;
    const description = { events: ["acme.launched"] };
    expect(faultsOf(await tried({ members, description }), "events")).toContain("add a sample to fixtures/kit.json");
    const kit = { events: { "acme.launched": { rocket: "R-7" } } };
    expect((await tried({ members, description, kit })).ok).toBe(true);
  });

  test("invalid samples and fixtures are reported", async () => {
    const wrong = await tried({ members: "", kit: { webhook: [] } });
    expect(faultsOf(wrong, "fixtures")).toContain("fixtures/kit.json is not valid: must");
    const other = await tried({ members: "", fixtures: [{ request: {} }] });
    expect(faultsOf(other, "fixtures")).toContain("fixtures/http.json is not valid");
  });
});

covers("connector.file.class", "secrets are neither in the code's input nor in its output", async () => {
  const report = await tried({
    members: subscriber(
      `this.log("info", String(this.settings("api_key")));
    await this.http({ method: "POST", url: this.settings("base_url") + "/orders", headers: { "Idempotency-Key": event.id }, auth: "settings.api_key", json: { key: this.settings("api_key") } });`,
    ),
    description: HEARS,
  });
  expect(reportText(report)).toContain("ok      secrets     api_key");
  expect(report.ok).toBe(true);
});

describe("create", () => {
  test.each(["ts", "php"] as const)("a new connector in %s passes the kit unchanged", async (runtime) => {
    const made = await createConnector(folder, `new-${runtime}`, runtime);
    const report = await testConnector(made.folder, { php: null });
    if (!report.ok) expect(reportText(report)).toBe("without a fault");
  });

  test("an invalid name, and a folder that is not empty, are refused", async () => {
    await expect(createConnector(folder, "Acme Ltd", "ts")).rejects.toThrow("a key must be lower-case words");
    await put(join(folder, "there", "notes.txt"), "mine");
    await expect(createConnector(folder, "there", "ts")).rejects.toThrow("is not empty");
  });
});

test("the kit gives no result for a connector without PHP", async () => {
  const made = await createConnector(folder, "without-php", "php");
  await expect(testConnector(made.folder, { php: "/no/such/php" })).rejects.toThrow(KitUnavailableError);
});
