import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { freePort } from "./process.ts";
import { startReceiver } from "./receiver.ts";
import { startService } from "./service.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;
const run = promisify(execFile);

/** Returns the first fenced block under a heading, as it is written. */
async function blockUnder(heading: string): Promise<string> {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const section = readme.slice(readme.indexOf(`\n## ${heading}\n`));
  const block = /```sh\n([\s\S]*?)```/.exec(section)?.[1];
  if (!section.startsWith("\n") || block === undefined) throw new Error(`the README has no block under ${heading}`);
  return block;
}

test("the README's quickstart delivers a signed event as written", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "junction-quickstart-"));
  const port = await freePort();
  const child = spawn("sh", ["-c", `exec ${await blockUnder("Quickstart")}`], {
    cwd: ROOT,
    env: { ...process.env, JUNCTION_PORT: String(port), JUNCTION_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  try {
    await expect.poll(() => text, { timeout: 60_000, interval: 50 }).toMatch(/curl http\S+\/inbox\/\w+\n/);
    const [fire, look] = [...text.matchAll(/^ +(curl .*)$/gm)].map((match) => match[1] ?? "");
    const fired = JSON.parse((await run("sh", ["-c", `${fire} -s`])).stdout);
    expect(fired).toMatchObject({ object: "event", event: "order.created", deliveries: [{ state: "pending" }] });
    const inbox = async (): Promise<unknown> => JSON.parse((await run("sh", ["-c", `${look} -s`])).stdout);
    await expect.poll(inbox, { interval: 50 }).toMatchObject({
      messages: [{ event: "order.created", signature: "valid", delivery_id: fired.deliveries[0].id }],
    });
  } finally {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    // npm runs in its own process group, and SIGTERM to `npm start` ends the service.
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    await rm(dataDir, { recursive: true, force: true });
  }
}, 120_000);

test("the README's inbound block is accepted as written, and a repetition is a duplicate", async () => {
  const service = await startService();
  try {
    const block = (await blockUnder("Receive events from other systems")).replaceAll(
      "http://127.0.0.1:4000",
      service.baseUrl,
    );
    const [again = ""] = /curl -s -X POST "\$url".*/.exec(block) ?? [];
    const { stdout } = await run("sh", ["-ec", `${block}\necho\n${again}`], {
      env: { PATH: process.env["PATH"], JUNCTION_KEY: service.sandboxKey },
    });
    const [first, second] = stdout.split("\n").map((line): unknown => JSON.parse(line));
    expect(first).toMatchObject({ status: "ok", activity_id: expect.any(String), contact_id: expect.any(String) });
    expect(second).toMatchObject({ status: "duplicate" });
  } finally {
    await service.close();
  }
});

covers(
  "action.run.lifecycle",
  "the README's action lifecycle runs as written, from the request to a signed webhook",
  async () => {
    const service = await startService();
    const [backend, hook] = [await startReceiver(), await startReceiver()];
    backend.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"ended":true}'));
    try {
      const block = await blockUnder("Let AI clients request actions");
      const { stdout } = await run("sh", ["-ec", block.replaceAll("http://127.0.0.1:4000", service.baseUrl)], {
        env: {
          PATH: process.env["PATH"],
          JUNCTION_KEY: service.key,
          BACKEND: backend.url,
          HOOK: hook.url,
        },
      });
      const [call] = await backend.count(1);
      expect(JSON.parse(call?.body ?? "")).toMatchObject({
        action: "subscription.cancel",
        parameters: { subscription: "sub_42", reason: "Moves abroad" },
      });
      const [told] = await hook.count(1);
      expect(told?.headers).toMatchObject({
        "x-service-event": "action.executed",
        "x-service-signature": expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(stdout).toContain('"status":"executed"');
      expect(stdout).toMatch(/"ok":true,"checked":\d+,"first_bad_seq":null/);
      expect(backend.received).toHaveLength(1);
    } finally {
      await service.close();
      await backend.close();
      await hook.close();
    }
  },
);
