import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { cached } from "./cached.ts";
import { must, run } from "./run.ts";

/** Returns why Debian's packages are not available here, as text for a person; undefined if they are. CI must have them. */
export async function whyNoDebianPrograms(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined) return undefined;
  for (const program of ["apt-get", "dpkg-deb"]) {
    if ((await run(program, ["--version"])).status !== 0) return `${program} is not on this machine`;
  }
  return undefined;
}

/**
 * Returns the path of a file of a package of this machine's Debian, such as `usr/bin/promtool` of `prometheus`. The package is unpacked
 * into the user's cache folder on the first call; the system is not changed. The package's dependencies are not fetched.
 */
export async function debianProgram(name: string, path: string): Promise<string> {
  const home = await cached(`debian/${name}`, async (draft) => await unpack(name, draft));
  const file = join(home, path);
  if (!existsSync(file)) throw new Error(`Debian's package ${name} holds no ${path}.`);
  return file;
}

async function unpack(name: string, folder: string): Promise<void> {
  const download = ["-qq", "download", name];
  if ((await run("apt-get", download, { cwd: folder })).status !== 0) {
    await must("apt-get", ["-qq", "update"]);
    await must("apt-get", download, { cwd: folder });
  }
  const archive = (await readdir(folder)).find((file) => file.endsWith(".deb"));
  if (archive === undefined) throw new Error(`apt-get fetched no package ${name}.`);
  await must("dpkg-deb", ["--extract", join(folder, archive), folder]);
}
