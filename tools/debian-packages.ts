import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, must, run } from "./run.ts";
import type { RunOptions } from "./run.ts";

/** Debian's next release has what the oldest one we run on lacks; the packages of either bring every library they need. */
type Release = "bookworm" | "trixie";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const MINUTES_15 = 900_000;

/** Why this machine cannot unpack Debian's packages, for a person; undefined if it can. */
export async function whyNoTrixie(): Promise<string | undefined> {
  for (const program of ["apt-get", "dpkg-deb", "flock"]) {
    if ((await run(program, ["--version"])).status !== 0) return `${program} is not on this machine`;
  }
  if (!existsSync(KEYRING)) return `Debian's keys are not on this machine (package debian-archive-keyring)`;
  if ((await archive()) === undefined) return `apt has no Debian archive among its sources`;
  return undefined;
}

/**
 * Runs a program that makes this folder of the cache, one at a time of all on this machine: whoever comes second waits, then finds
 * the work done. The kernel drops the lock of a process that dies.
 */
export async function alone(home: string, file: string): Promise<void> {
  await mkdir(cacheFolder(), { recursive: true });
  await must("flock", [`${home}.lock`, process.execPath, file, "install"], { timeout: MINUTES_15 });
}

/** As {@link unpackTrixie}, with packages of Debian 12. */
export async function unpackBookworm(home: string, packages: readonly string[]): Promise<string> {
  return await unpack("bookworm", home, packages, true);
}

/**
 * Unpacks packages, with whatever they depend on or by themselves, into `<home>/root`: nothing of the system is changed. The home is
 * made anew.
 */
export async function unpackTrixie(
  home: string,
  packages: readonly string[],
  { dependencies = true }: { readonly dependencies?: boolean } = {},
): Promise<string> {
  return await unpack("trixie", home, packages, dependencies);
}

async function unpack(
  release: Release,
  home: string,
  packages: readonly string[],
  dependencies: boolean,
): Promise<string> {
  await rm(home, { recursive: true, force: true });
  const root = join(home, "root");
  await mkdir(root, { recursive: true });
  const apt = await prepareApt(home, release);
  const archives = join(home, "apt/cache/archives");
  await must("apt-get", ["-qq", "update"], apt);
  const get = dependencies ? ["install", "--yes", "--download-only"] : ["download"];
  await must("apt-get", ["-qq", ...get, ...packages], { ...apt, cwd: archives });
  for (const file of await readdir(archives)) {
    if (file.endsWith(".deb")) await must("dpkg-deb", ["--extract", join(archives, file), root]);
  }
  await rm(join(home, "apt"), { recursive: true });
  return root;
}

/** An apt that knows no installed package and no other archive: it fetches all of them, and leaves the system's state alone. */
async function prepareApt(home: string, release: Release): Promise<RunOptions> {
  const folder = join(home, "apt");
  await mkdir(join(folder, "state/lists/partial"), { recursive: true });
  await mkdir(join(folder, "cache/archives/partial"), { recursive: true });
  await writeFile(join(folder, "status"), "");
  await writeFile(
    join(folder, "sources.list"),
    `deb [signed-by=${KEYRING}] ${(await archive()) ?? ""} ${release} main\n`,
  );
  const config = join(folder, "apt.conf");
  await writeFile(
    config,
    [
      `Dir::State "${folder}/state";`,
      `Dir::State::status "${folder}/status";`,
      `Dir::Cache "${folder}/cache";`,
      `Dir::Etc::sourcelist "${folder}/sources.list";`,
      `Dir::Etc::sourceparts "-";`,
      `Dir::Etc::preferences "-";`,
      `Dir::Etc::preferencesparts "-";`,
      `Acquire::Retries "3";`,
      `Acquire::Languages "none";`,
      `APT::Install-Recommends "false";`,
      `APT::Sandbox::User "";`,
      "",
    ].join("\n"),
  );
  return {
    env: { ...process.env, APT_CONFIG: config, DEBIAN_FRONTEND: "noninteractive" },
    timeout: MINUTES_15,
  };
}

/** Where this machine gets Debian's packages from: its own mirror, if it has one. */
async function archive(): Promise<string | undefined> {
  const format = "$(CREATED_BY) $(RELEASE) $(COMPONENT) $(REPO_URI)";
  const { stdout } = await run("apt-get", ["indextargets", "--format", format]);
  const { stdout: release } = await run("sh", ["-c", '. /etc/os-release && echo "$ID $VERSION_CODENAME"']);
  const [system, codename = ""] = release.trim().split(" ");
  if (system !== "debian") return undefined;
  const target = stdout.split("\n").find((line) => line.startsWith(`Packages ${codename} main `));
  return target?.split(" ")[3];
}
