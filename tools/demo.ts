/** Runs next to a service that is starting: fills the first workspace's sandbox with demo data, unless it exists (decision 0128). */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hasDemo, seedDemo } from "../apps/cli/src/demo/demo.ts";
import { readConfig } from "../apps/service/src/config/config.ts";
import { Junction } from "../sdks/node/src/index.ts";
import { must } from "./run.ts";

const MAIN = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url));
const READY_MS = 120_000;
const LOOK_MS = 250;
/** Hosts for a URL, by the address to listen on, where the two differ. */
const ANY_HOST: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]" };

// The service has ended.
process.once("disconnect", () => process.exit());
try {
  await fill();
} catch (error) {
  say(`the demo data could not be made: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
process.disconnect?.();

async function fill(): Promise<void> {
  const { host, port } = readConfig();
  const baseUrl = `http://${ANY_HOST[host] ?? host}:${port}`;
  await untilReady(baseUrl);
  const made = await must(process.execPath, [MAIN, "workspace", "sandbox-key", "--name", "Demo data"]);
  const { sandbox_key: apiKey } = JSON.parse(made.stdout) as { sandbox_key: string };
  const junction = new Junction({ apiKey, baseUrl });
  try {
    if (await hasDemo(junction)) return say("the sandbox has its demo data");
    say("filling the sandbox with demo data");
    let told = "";
    const { endpoints, events, receipts, proposals } = await seedDemo(junction, (label, done, total) => {
      if (label !== told) say(`demo data ${done}/${total}: ${label}`);
      told = label;
    });
    say(
      `the sandbox has demo data: ${endpoints} endpoints, ${events} events, ${receipts} inbound receipts, ${proposals} proposals`,
    );
    say("claim the installation with the link above: the console then opens in the sandbox");
  } finally {
    const { key } = await junction.me.get();
    if (key !== null) await junction.keys.revoke(key.id);
  }
}

async function untilReady(baseUrl: string): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    if (answer?.ok === true) return;
    if (performance.now() > deadline) throw new Error(`${baseUrl} was not ready within ${READY_MS / 1000} s`);
    await sleep(LOOK_MS);
  }
}

function say(message: string): void {
  process.stderr.write(`junction: ${message}\n`);
}
