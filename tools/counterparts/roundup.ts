import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { answers } from "../program.ts";
import { must } from "../run.ts";
import { freePort } from "../../apps/service/src/testing/process.ts";
import { newFolder, startCounterpart } from "./counterpart.ts";
import type { Counterpart } from "./counterpart.ts";
import { pythonPrograms } from "./python-programs.ts";

export interface Roundup extends Counterpart {
  readonly user: string;
  readonly password: string;
  /** A GET of its REST API below /rest/data, or a POST where there is a body; answers `data`. */
  call(path: string, body?: object): Promise<unknown>;
}

const ACCOUNT = { user: "admin", password: "correct horse battery" };
const SERVER = fileURLToPath(new URL("roundup_server.py", import.meta.url));

/** Starts Roundup with its classic tracker. It is ready in about three seconds. */
export async function startRoundup(): Promise<Roundup> {
  const programs = await pythonPrograms();
  const folder = await newFolder("roundup");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const tracker = join(folder, "tracker");
  const admin = [programs.program("roundup-admin"), "-i", tracker];
  const python = programs.program("python");
  await must(python, [...admin, "install", "classic", "sqlite"]);
  await configure(join(tracker, "config.ini"), url, join(folder, "mail.log"));
  await must(python, [...admin, "initialise", ACCOUNT.password]);
  const started = await startCounterpart({
    program: python,
    args: [SERVER, tracker, String(port)],
    folder,
    ready: async () => ((await answers(`${url}/rest`)) ? url : undefined),
  });
  return { ...started, ...ACCOUNT, call: async (path, body) => await call(url, path, body) };
}

/** Sets the options that have no default, and the file that gets the mails instead of people. */
async function configure(file: string, url: string, mails: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text
      .replace(/^#web = NO DEFAULT$/m, `web = ${url}/`)
      .replace(/^#domain = NO DEFAULT$/m, "domain = example.com")
      .replace(/^#host = NO DEFAULT$/m, "host = localhost")
      // The default stretches the password in each call for as long as a whole test takes.
      .replace(/^#?password_pbkdf2_default_rounds = .*$/m, "password_pbkdf2_default_rounds = 1000")
      .replace(/^#?debug = *$/m, `debug = ${mails}`),
  );
}

async function call(url: string, path: string, body: object | undefined): Promise<unknown> {
  const { user, password } = ACCOUNT;
  const response = await fetch(`${url}/rest/data${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      "Content-Type": "application/json",
      "X-Requested-With": "rest",
      Origin: url,
      Referer: `${url}/`,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`Roundup answered ${response.status}: ${await response.text()}`);
  const { data } = (await response.json()) as { data: unknown };
  return data;
}
