import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { startLoopbackNames } from "../apps/service/src/testing/loopback-names.ts";
import { MASTER_KEY, startService } from "../apps/service/src/testing/service.ts";
import type { TestService } from "../apps/service/src/testing/test-service.ts";
import { UNLIMITED } from "../apps/service/src/testing/subscription.ts";
import { covers } from "../requirements/covers.ts";
import { blocksOf, isShown } from "../tools/php/guide.ts";
import type { Block } from "../tools/php/guide.ts";
import { run } from "../tools/run.ts";
import type { Ran } from "../tools/run.ts";

/** Follows the tutorials literally: writes their files, runs their commands, and compares the output with the page. */

const MINUTES_10 = 600_000;
const CLI = fileURLToPath(new URL("../apps/cli/bin/junction.mjs", import.meta.url));
const FILE = /^.*`(connectors\/loyalty\/[^`]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm;
const DEV = "junction connector dev connectors/loyalty\n";

interface Reader {
  readonly folder: string;
  readonly service: TestService;
  readonly env: Record<string, string>;
  stop(): Promise<void>;
}

let reader: Reader | undefined;
afterEach(async () => {
  await reader?.stop();
  reader = undefined;
});

describe.each(["typescript", "php"])("docs/guide/connectors-%s.md", (language) => {
  covers(
    [
      "connector.folder.discovered",
      "connector.folder.enabled",
      "connector.folder.wired",
      "connector.file.actions-json",
    ],
    "a folder written from the page passes the kit, is enabled and receives events",
    async () => {
      const page = await readFile(new URL(`../docs/guide/connectors-${language}.md`, import.meta.url), "utf8");
      reader = await newReader();
      const files = [...page.matchAll(FILE)];
      for (const [, path = "", text = ""] of files) await put(join(reader.folder, path), text);
      const commands = blocksOf(page).filter((block) => block.language === "sh");
      // Each block is a file, a command, or the output of a command.
      expect(blocksOf(page)).toHaveLength(files.length + commands.length);
      for (const block of commands) if (block.code !== DEV) await obey(reader, block);
      expect(commands.at(-1)?.code).toBe(DEV);
      await watched(reader, language === "php" ? "connector.php" : "connector.ts");
    },
    MINUTES_10,
  );
});

test("both pages differ only in the language", async () => {
  const pages = await Promise.all(
    ["typescript", "php"].map(
      async (language) => await readFile(new URL(`../docs/guide/connectors-${language}.md`, import.meta.url), "utf8"),
    ),
  );
  const headings = pages.map((page) => page.match(/^## .*$/gm));
  expect(headings[0]).toEqual(headings[1]);
});

async function obey(of: Reader, { code, prints, line }: Block): Promise<void> {
  const ran = await follow(of, code);
  if (ran.status !== 0) throw new Error(`line ${line}: ${ran.output}`);
  if (prints !== undefined && !isShown(prints, ran.stdout)) expect(ran.stdout).toBe(prints);
}

/** Runs the command again if the machine is too busy to start a process in time, as a person would. */
async function follow({ folder, env }: Reader, code: string): Promise<Ran> {
  for (let left = 5; ; left -= 1) {
    const ran = await run("sh", ["-ec", code], { cwd: folder, env, timeout: MINUTES_10 });
    if (!ran.output.includes("could not be started here") || left === 1) return ran;
  }
}

/** Returns a person's environment: Junction on this machine, and an own folder. */
async function newReader(): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), "junction-tutorial-"));
  const names = await startLoopbackNames();
  const dataDir = join(folder, "data");
  const service = await startService({
    env: {
      ...UNLIMITED,
      JUNCTION_DATA_DIR: dataDir,
      JUNCTION_CONNECTORS_DIR: join(folder, "connectors"),
      JUNCTION_DNS_SERVERS: names.address,
    },
  });
  await put(join(folder, "bin", "junction"), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  await chmod(join(folder, "bin", "junction"), 0o755);
  return {
    folder,
    service,
    env: {
      PATH: [join(folder, "bin"), dirname(process.execPath), process.env["PATH"]].join(":"),
      HOME: folder,
      JUNCTION_BASE_URL: service.baseUrl,
      JUNCTION_API_KEY: service.sandboxKey,
      DATABASE_URL: service.database.url,
      JUNCTION_MASTER_KEY: MASTER_KEY,
      JUNCTION_DATA_DIR: dataDir,
    },
    async stop() {
      await service.close();
      await names.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Runs `connector dev` as on the page, until a change of a file was published and a run was shown. */
async function watched({ folder, env, service }: Reader, file: string): Promise<void> {
  const child = spawn("sh", ["-ec", `exec ${DEV}`], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk));
  const shows = async (wanted: RegExp, times: number): Promise<void> => {
    await expect
      .poll(() => (printed.match(wanted)?.length ?? 0) >= times || printed, { timeout: MINUTES_10 / 2 })
      .toBe(true);
  };
  try {
    await shows(/enabled loyalty in the sandbox/g, 1);
    const path = join(folder, "connectors/loyalty", file);
    await writeFile(path, (await readFile(path, "utf8")).replace("points`", "pts`").replace('points");', 'pts");'));
    await utimes(path, new Date(), new Date());
    await shows(/enabled loyalty in the sandbox/g, 2);
    const data = { order: { external_id: "10482", total_minor: 5880 } };
    await service.api("POST", "/v1/events/fire", { event: "order.paid", data }, { key: service.sandboxKey });
    await shows(/subscriber givePoints: ok\n {2}info: order 10482: 58 pts/g, 1);
  } finally {
    child.kill("SIGTERM");
  }
}
