import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, must, run } from "./run.ts";

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
  const home = join(cacheFolder(), "debian", name);
  if (!existsSync(home)) await unpack(name, home);
  const file = join(home, path);
  if (!existsSync(file)) throw new Error(`Debian's package ${name} holds no ${path}.`);
  return file;
}

async function unpack(name: string, home: string): Promise<void> {
  await mkdir(join(home, ".."), { recursive: true });
  const draft = await mkdtemp(`${home}.`);
  try {
    const download = async (): Promise<number> =>
      (await run("apt-get", ["-qq", "download", name], { cwd: draft })).status;
    if ((await download()) !== 0) {
      await must("apt-get", ["-qq", "update"]);
      await must("apt-get", ["-qq", "download", name], { cwd: draft });
    }
    const archive = (await readdir(draft)).find((file) => file.endsWith(".deb"));
    if (archive === undefined) throw new Error(`apt-get fetched no package ${name}.`);
    await must("dpkg-deb", ["--extract", join(draft, archive), join(draft, "root")]);
    // Another process may have been faster; either's is as good.
    await rename(join(draft, "root"), home).catch((error: unknown) => {
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
