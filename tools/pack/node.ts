import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { npm } from "../npm.ts";
import { CLI } from "../package-names.ts";
import { must } from "../run.ts";
import { inStaging, ROOT } from "./staging.ts";

/** The oldest Node that the packed command line runs on. */
export const CLI_NODE = { major: 20, minor: 3 };

/** Packs the Node SDK, built apart from the sources. Returns the path of the tarball. */
export async function packNodeSdk(target: string): Promise<string> {
  return await inStaging(async (folder) => {
    await must(process.execPath, [join(ROOT, "sdks/node/build.ts"), join(folder, "dist")]);
    for (const file of ["package.json", "README.md"]) await cp(join(ROOT, "sdks/node", file), join(folder, file));
    return await pack(folder, target);
  });
}

/** Packs the command line as JavaScript that needs nothing but Node. Returns the path of the tarball. */
export async function packCli(target: string): Promise<string> {
  return await inStaging(async (folder) => {
    const cli = join(ROOT, "apps/cli");
    const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
    const project = join(cli, "tsconfig.build.json");
    await must(process.execPath, [compiler, "-p", project, "--outDir", join(folder, "dist")]);
    await cp(join(cli, "README.md"), join(folder, "README.md"));
    await mkdir(join(folder, "bin"));
    await writeFile(join(folder, "bin/junction.js"), BIN, { mode: 0o755 });
    const { version, description, license } = JSON.parse(await readFile(join(cli, "package.json"), "utf8")) as Manifest;
    const manifest = {
      name: CLI.name,
      version,
      description,
      license,
      bin: { junction: "bin/junction.js" },
      files: ["dist"],
      type: "module",
      engines: { node: `>=${CLI_NODE.major}.${CLI_NODE.minor}` },
    };
    await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    return await pack(folder, target);
  });
}

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

const BIN = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > ${CLI_NODE.major} || (major === ${CLI_NODE.major} && minor >= ${CLI_NODE.minor})) {
  await import("../dist/apps/cli/src/main.js");
} else {
  process.stderr.write(\`junction needs Node >= ${CLI_NODE.major}.${CLI_NODE.minor}; this is \${process.version}.\\n\`);
  process.exitCode = 78;
}
`;

async function pack(folder: string, target: string): Promise<string> {
  // npm packs the modes of the files, which depend on the user's umask.
  await must("chmod", ["-R", "u=rwX,go=rX", folder]);
  const { stdout } = await npm(["pack", "--ignore-scripts", "--silent", "--pack-destination", target], folder);
  return join(target, stdout.trim().split("\n").at(-1) ?? "");
}
