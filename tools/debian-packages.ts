import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must, run } from "./run.ts";
import type { RunOptions } from "./run.ts";

/** Debian 13 has what Debian 12, the oldest release that we run on, lacks. */
const CODENAMES = { 12: "bookworm", 13: "trixie" } as const;

export interface DebianPackages {
  readonly release: keyof typeof CODENAMES;
  readonly names: readonly string[];
  /** True to unpack the packages that they depend on too. Default: true. */
  readonly dependencies?: boolean;
}

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const MINUTES_15 = 900_000;

/** Returns why this machine cannot unpack Debian's packages, as text for a person; undefined if it can. */
export async function whyNoDebianPackages(): Promise<string | undefined> {
  for (const program of ["apt-get", "dpkg-deb", "flock"]) {
    if ((await run(program, ["--version"])).status !== 0) return `${program} is not on this machine`;
  }
  if (!existsSync(KEYRING)) return `Debian's keys are not on this machine (package debian-archive-keyring)`;
  if ((await archive()) === undefined) return `apt has no Debian archive among its sources`;
  return undefined;
}

/** Unpacks packages into `<home>/root`, which it returns. Nothing of the system is changed. */
export async function unpackDebianPackages(
  home: string,
  { release, names, dependencies = true }: DebianPackages,
): Promise<string> {
  const root = join(home, "root");
  await mkdir(root, { recursive: true });
  const apt = await prepareApt(home, CODENAMES[release]);
  const archives = join(home, "apt/cache/archives");
  await must("apt-get", ["-qq", "update"], apt);
  const get = dependencies ? ["install", "--yes", "--download-only"] : ["download"];
  await must("apt-get", ["-qq", ...get, ...names], { ...apt, cwd: archives });
  for (const file of await readdir(archives)) {
    if (file.endsWith(".deb")) await must("dpkg-deb", ["--extract", join(archives, file), root]);
  }
  await rm(join(home, "apt"), { recursive: true });
  return root;
}

/** Returns options for an apt that knows no installed package and no other archive: it fetches everything, and leaves the system's state alone. */
async function prepareApt(home: string, codename: string): Promise<RunOptions> {
  const folder = join(home, "apt");
  await mkdir(join(folder, "state/lists/partial"), { recursive: true });
  await mkdir(join(folder, "cache/archives/partial"), { recursive: true });
  await writeFile(join(folder, "status"), "");
  await writeFile(
    join(folder, "sources.list"),
    `deb [signed-by=${KEYRING}] ${(await archive()) ?? ""} ${codename} main\n`,
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

/** Returns the archive from which this machine gets Debian's packages: its own mirror, if it has one. */
async function archive(): Promise<string | undefined> {
  const format = "$(CREATED_BY) $(RELEASE) $(COMPONENT) $(REPO_URI)";
  const { stdout } = await run("apt-get", ["indextargets", "--format", format]);
  const { stdout: release } = await run("sh", ["-c", '. /etc/os-release && echo "$ID $VERSION_CODENAME"']);
  const [system, codename = ""] = release.trim().split(" ");
  if (system !== "debian") return undefined;
  const target = stdout.split("\n").find((line) => line.startsWith(`Packages ${codename} main `));
  return target?.split(" ")[3];
}
