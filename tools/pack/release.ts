/**
 * `npm run pack:release [-- part…]`: writes the packages of the SDKs and the command line, as people install them, into `release/`.
 * Parts: node, cli, python, php; all of them by default. The same commit gives the same bytes.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { packCli, packNodeSdk } from "./node.ts";
import { packPhpSdk } from "./php.ts";
import { packPythonSdk, pythonFault } from "./python.ts";
import { packingFault, ROOT, writeChecksums } from "./staging.ts";

const PARTS: Readonly<Record<string, (target: string) => Promise<unknown>>> = {
  node: packNodeSdk,
  cli: packCli,
  python: packPythonSdk,
  // The archive has a folder of its own, because Composer reads all archives of an artifact repository.
  php: async (target) => await packPhpSdk(join(target, "composer")),
};

const args = process.argv.slice(2);
const [folder = join(ROOT, "release")] = args.filter((argument) => argument.includes("/"));
const named = args.filter((argument) => !argument.includes("/"));
process.exitCode = await release(named.length > 0 ? named : Object.keys(PARTS));

async function release(parts: readonly string[]): Promise<number> {
  const unknown = parts.find((part) => !(part in PARTS));
  if (unknown !== undefined) return refuse(`"${unknown}" is not a part. Parts: ${Object.keys(PARTS).join(", ")}.`);
  const fault = await packingFault();
  if (fault !== undefined) return refuse(fault);
  const withoutPython = parts.includes("python") ? await pythonFault() : undefined;
  if (withoutPython !== undefined)
    return refuse(
      `the Python SDK cannot be built: ${withoutPython}. Without it: \`npm run pack:release -- node cli php\`.`,
    );
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const part of parts) await PARTS[part]?.(folder);
  await writeChecksums(folder);
  process.stdout.write(`${folder}\n`);
  return 0;
}

function refuse(message: string): number {
  process.stderr.write(`junction: ${message}\n`);
  return 2;
}
