import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePort } from "./process.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;
const run = promisify(execFile);

/** The first fenced block under "Quickstart", as it is written. */
async function quickstart(): Promise<string> {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const block = /## Quickstart[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme)?.[1];
  if (block === undefined) throw new Error("the README has no quickstart");
  return block;
}

test("the README's quickstart, as written, delivers a signed event", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "junction-quickstart-"));
  const port = await freePort();
  const child = spawn("sh", ["-c", `exec ${await quickstart()}`], {
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
    await expect.poll(inbox, { timeout: 10_000, interval: 50 }).toMatchObject({
      messages: [{ event: "order.created", signature: "valid", delivery_id: fired.deliveries[0].id }],
    });
  } finally {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    // npm's own process group: SIGTERM to `npm start` ends the service.
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    await rm(dataDir, { recursive: true, force: true });
  }
}, 120_000);
