import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../apps/service/src/testing/process.ts";
import { newFolder, startCounterpart } from "../counterparts/counterpart.ts";
import type { Counterpart } from "../counterparts/counterpart.ts";
import { php84 } from "../php/php84.ts";
import { answers } from "../program.ts";
import { pythonEnvironment } from "../python.ts";
import { blocksOf } from "./page.ts";

interface Language {
  readonly file: string;
  /** Files that stand for the installed SDK. */
  readonly installed: Readonly<Record<string, string>>;
  command(port: number): Promise<{ readonly program: string; readonly args: readonly string[] }>;
  readonly env?: Readonly<Record<string, string>>;
}

const SDKS = new URL("../../sdks/", import.meta.url);

/** The languages by the first word of the fence. Each program gets the SDK from its sources. */
export const hostLanguages: Readonly<Record<string, Language>> = {
  js: {
    file: "host.mjs",
    installed: {
      "node_modules/@junction-platform/sdk/package.json": '{"type":"module","exports":"./index.js"}',
      "node_modules/@junction-platform/sdk/index.js": `export * from "${new URL("node/src/index.ts", SDKS).href}";`,
    },
    command: async () => await Promise.resolve({ program: process.execPath, args: ["host.mjs"] }),
  },
  php: {
    file: "host.php",
    installed: {
      "vendor/autoload.php": `<?php require '${fileURLToPath(new URL("php/tests/bootstrap.php", SDKS))}';`,
    },
    command: async (port) => ({ program: (await php84()).program, args: ["-S", `127.0.0.1:${port}`, "host.php"] }),
  },
  python: {
    file: "host.py",
    installed: {},
    command: async () => {
      const requirements = fileURLToPath(new URL("python/requirements.txt", SDKS));
      const { program } = await pythonEnvironment({ name: "sdk-python", requirements });
      return { program: program("python"), args: ["host.py"] };
    },
    env: { PYTHONPATH: fileURLToPath(new URL("python/src", SDKS)) },
  },
};

/** Starts the host application of a language in docs/guide/portal.md, run as it is printed, and waits until it answers. `env` has the key and the address of the service. */
export async function startHost(language: string, env: Readonly<Record<string, string>>): Promise<Counterpart> {
  const kind = hostLanguages[language];
  const block = (await blocksOf("guide/portal.md")).find((one) => one.language === language);
  if (kind === undefined || block === undefined) throw new Error(`docs/guide/portal.md has no host in ${language}`);
  const folder = await newFolder("portal-host");
  for (const [file, text] of Object.entries({ ...kind.installed, [kind.file]: block.code })) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const port = await freePort();
  const { program, args } = await kind.command(port);
  return await startCounterpart({
    program,
    args,
    folder,
    env: { ...kind.env, ...env, PORT: String(port) },
    // The service is at 127.0.0.1, so this is another site.
    ready: async () => ((await answers(`http://127.0.0.1:${port}`)) ? `http://localhost:${port}` : undefined),
  });
}
