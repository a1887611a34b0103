import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonEnvironment } from "../../tools/python.ts";
import type { PythonEnvironment } from "../../tools/python.ts";
import { must, run } from "../../tools/run.ts";

export interface Python {
  /** The version, such as `3.11`. */
  readonly version: string;
  readonly program: string;
}

/** A clean virtual environment with the wheel. The wheel's requirements and the tests' packages are linked into it. */
export interface Installed {
  readonly python: string;
  readonly tools: PythonEnvironment;
  remove(): Promise<void>;
}

export interface PythonTest {
  /** The id, such as `tests/test_client.py::test_a_client[sync]`. */
  readonly id: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly detail: string;
}

export const home = fileURLToPath(new URL(".", import.meta.url));
export const requirements = join(home, "requirements.txt");

/** The oldest minor version that the SDK supports. */
const OLDEST_MINOR = 10;
const MINUTES_10 = 600_000;

/** Returns each minor version of Python on this machine that the SDK supports, oldest first. CI has at least one. */
export async function findPythons(): Promise<Python[]> {
  const minors = Array.from({ length: 10 }, (_, index) => `python3.${OLDEST_MINOR + index}`);
  const kept = join(process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"), "versions");
  const versions = await readdir(kept).catch(() => []);
  const candidates = ["python3", ...minors, ...versions.map((version) => join(kept, version, "bin", "python3"))];
  const tried = await Promise.all(candidates.map(tryPython));
  const byVersion = new Map(tried.filter((one) => one !== undefined).map((one) => [one.version, one]));
  const found = [...byVersion.values()].toSorted((a, b) => minorOf(a) - minorOf(b));
  if (found.length === 0 && process.env["CI"] !== undefined) throw new Error("There is no Python from 3.10 on.");
  return found;
}

/** Builds the project with Python's build tool, in a new folder. */
export async function buildWheel(tools: PythonEnvironment): Promise<{ wheel: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "junction-wheel-"));
  // The wheel gets a copy of the sources' metadata, so that nothing is written to the sources.
  await must(tools.program("python"), ["-m", "flit_core.wheel", "--outdir", folder, home]);
  const [wheel = ""] = await readdir(folder);
  return { wheel: join(folder, wheel), folder };
}

/** Installs the wheel. With `oldest`, it gets the oldest packages that it supports. */
export async function install(python: Python, { oldest = false } = {}): Promise<Installed> {
  const tools = await pythonEnvironment({ name: "sdk-python", requirements, python: python.program });
  const { wheel, folder } = await buildWheel(tools);
  const place = await mkdtemp(join(tmpdir(), `junction-python-${python.version}-`));
  const own = join(place, "bin", "python");
  await must(python.program, ["-m", "venv", "--without-pip", place]);
  const pip = ["-m", "pip", "--python", own, "install", "--quiet", "--disable-pip-version-check"];
  await must(tools.program("python"), [...pip, "--no-index", "--no-deps", wheel]);
  const sitePackages = join(place, "lib", `python${python.version}`, "site-packages");
  const before = oldest ? await oldestPackages(python) : [];
  await writeFile(join(sitePackages, "tools.pth"), [...before, tools.file("")].join("\n"));
  await rm(folder, { recursive: true });
  return { python: own, tools, remove: async () => await rm(place, { recursive: true, force: true }) };
}

/** Runs tests of this folder. Returns each test that ran, and those that could not be collected. */
export async function runPytest(
  { python }: Pick<Installed, "python">,
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<PythonTest[]> {
  const folder = await mkdtemp(join(tmpdir(), "junction-pytest-"));
  const results = join(folder, "results.jsonl");
  const ran = await run(python, ["-m", "pytest", "-q", "-p", "no:cacheprovider", ...files], {
    cwd: home,
    timeout: MINUTES_10,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env, JUNCTION_PYTEST_RESULTS: results },
  });
  const lines = (await readFile(results, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  await rm(folder, { recursive: true });
  const tests = lines.map((line) => JSON.parse(line) as PythonTest);
  const hasFailed = tests.some(({ outcome }) => outcome === "failed");
  if (ran.status === 0 || hasFailed) return tests;
  return [...tests, { id: "pytest itself", outcome: "failed", detail: ran.output }];
}

async function oldestPackages({ program }: Python): Promise<string[]> {
  const old = join(home, "requirements-oldest.txt");
  const packages = await pythonEnvironment({ name: "sdk-python-oldest", requirements: old, python: program });
  return [packages.file("")];
}

async function tryPython(program: string): Promise<Python | undefined> {
  const code =
    "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 10))";
  const { status, output } = await run(program, ["-c", code]);
  return status === 0 ? { version: output.trim(), program } : undefined;
}

function minorOf({ version }: Python): number {
  return Number(version.split(".")[1]);
}
