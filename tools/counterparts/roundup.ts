import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { must } from "../run.ts";
import { answers, newFolder, newPort, startCounterpart } from "./counterpart.ts";
import type { Counterpart } from "./counterpart.ts";
import { pythonPrograms } from "./python-programs.ts";

export interface Roundup extends Counterpart {
  readonly user: string;
  readonly password: string;
  /** A GET of its REST API below /rest/data; answers `data`. */
  get(path: string): Promise<unknown>;
}

const ACCOUNT = { user: "admin", password: "correct horse battery" };
const SERVER = fileURLToPath(new URL("roundup_server.py", import.meta.url));

/** Roundup with its classic tracker. Ready in about three seconds. */
export async function startRoundup(): Promise<Roundup> {
  const programs = await pythonPrograms();
  const folder = await newFolder("roundup");
  const port = await newPort();
  const url = `http://127.0.0.1:${port}`;
  const tracker = join(folder, "tracker");
  const admin = [programs.program("roundup-admin"), "-i", tracker];
  const python = programs.program("python");
  await must(python, [...admin, "install", "classic", "sqlite"]);
  await configure(join(tracker, "config.ini"), url, join(folder, "mail.log"));
  await must(python, [...admin, "initialise", ACCOUNT.password]);
  const started = await startCounterpart({
    name: "Roundup",
    program: python,
    args: [SERVER, tracker, String(port)],
    folder,
    ready: async () => ((await answers(`${url}/rest`)) ? url : undefined),
  });
  return { ...started, ...ACCOUNT, get: async (path) => await get(url, path) };
}

/** What has no default, and where its mails go instead of to people. */
async function configure(file: string, url: string, mails: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text
      .replace(/^#web = NO DEFAULT$/m, `web = ${url}/`)
      .replace(/^#domain = NO DEFAULT$/m, "domain = example.com")
      .replace(/^#host = NO DEFAULT$/m, "host = localhost")
      .replace(/^#?debug = *$/m, `debug = ${mails}`),
  );
}

async function get(url: string, path: string): Promise<unknown> {
  const { user, password } = ACCOUNT;
  const response = await fetch(`${url}/rest/data${path}`, {
    headers: { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` },
  });
  if (!response.ok) throw new Error(`Roundup answered ${response.status}: ${await response.text()}`);
  const { data } = (await response.json()) as { data: unknown };
  return data;
}
