import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { answers } from "../program.ts";
import { must } from "../run.ts";
import { freePort } from "../../apps/service/src/testing/process.ts";
import { newFolder, startCounterpart } from "./counterpart.ts";
import type { Counterpart } from "./counterpart.ts";
import { pythonPrograms } from "./python-programs.ts";

export interface Tryton extends Counterpart {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** A call of its JSON-RPC as the connector makes it; answers the result, throws its error. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
}

const PROGRAM = fileURLToPath(new URL("tryton_program.py", import.meta.url));
const ACCOUNT = { user: "admin", password: "correct horse battery", database: "junction" };

/** Starts Tryton with its module of parties on a database of its own. It is ready in about ten seconds. */
export async function startTryton(): Promise<Tryton> {
  const programs = await pythonPrograms();
  const folder = await newFolder("tryton");
  const port = await freePort();
  const config = join(folder, "trytond.conf");
  await writeFile(
    config,
    `[database]\nuri = sqlite://\npath = ${folder}\n[web]\nlisten = 127.0.0.1:${port}\n[session]\nauthentications = password\n`,
  );
  await writeFile(join(folder, `${ACCOUNT.database}.sqlite`), "");
  await writeFile(join(folder, "password"), ACCOUNT.password);
  const env = { TRYTONPASSFILE: join(folder, "password") };
  const of = ["-c", config, "-d", ACCOUNT.database];
  const admin = [PROGRAM, "trytond-admin", ...of];
  const options = { env: { ...process.env, ...env }, cwd: folder };
  const python = programs.program("python");
  await must(python, [...admin, "--all", "--email", "admin@example.com"], options);
  await must(python, [...admin, "-u", "party", "--activate-dependencies"], options);
  const url = `http://127.0.0.1:${port}`;
  const started = await startCounterpart({
    program: python,
    args: [PROGRAM, "trytond", ...of],
    env,
    folder,
    ready: async () => ((await answers(`${url}/`)) ? url : undefined),
  });
  return { ...started, ...ACCOUNT, call: async (method, ...params) => await call(url, method, params) };
}

async function call(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const { user, password, database } = ACCOUNT;
  const response = await fetch(`${url}/${database}/rpc/`, {
    method: "POST",
    headers: {
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ id: 1, method, params: [...params, {}] }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: unknown };
  if (answer.error !== undefined) throw new Error(`Tryton refused ${method}: ${JSON.stringify(answer.error)}`);
  return answer.result;
}
