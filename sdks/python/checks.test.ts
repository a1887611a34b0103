import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../requirements/covers.ts";
import { pythonEnvironment } from "../../tools/python.ts";
import type { PythonEnvironment } from "../../tools/python.ts";
import { run } from "../../tools/run.ts";
import type { Ran } from "../../tools/run.ts";
import { buildWheel, findPythons, home, install, requirements } from "./pythons.ts";
import type { Installed } from "./pythons.ts";

/** These tests run type checkers and a linter on the SDK, and on programs that use the installed wheel. */

const MINUTES_5 = 300_000;
const pyright = fileURLToPath(import.meta.resolve("pyright/index.js"));
const pythons = await findPythons();
const newest = pythons.at(-1);

// A developer's machine without Python skips these tests; findPythons throws on CI.
describe.skipIf(newest === undefined)("with Python", () => {
  let installed: Installed;
  let tools: PythonEnvironment;
  let folder: string;

  beforeAll(async () => {
    if (newest === undefined) return;
    tools = await pythonEnvironment({ name: "sdk-python", requirements, python: newest.program });
    installed = await install(newest);
    folder = await mkdtemp(join(tmpdir(), "junction-typed-"));
    for (const name of ["tests", "mistakes"]) await cp(join(home, name), join(folder, name), { recursive: true });
    const config = { typeCheckingMode: "strict", pythonVersion: newest.version, extraPaths: ["tests"] };
    await writeFile(join(folder, "pyrightconfig.json"), JSON.stringify(config));
  }, MINUTES_5);
  afterAll(async () => {
    await installed.remove();
    await rm(folder, { recursive: true });
  });

  test(
    "mypy reports nothing about the SDK",
    async () => {
      expect(failureOf(await mypy(["--python-version", "3.10", "src"], home))).toBe("");
    },
    MINUTES_5,
  );

  test(
    "neither has pyright",
    async () => {
      expect(
        failureOf(
          await run(process.execPath, [pyright, "--pythonpath", tools.program("python"), "src"], { cwd: home }),
        ),
      ).toBe("");
    },
    MINUTES_5,
  );

  covers(
    "sdk.handles.typed",
    "programs with the installed wheel have the types that mypy and pyright infer",
    async () => {
      const options = ["--python-executable", installed.python];
      expect(failureOf(await mypy([...options, "tests"], folder))).toBe("");
      expect(
        failureOf(await run(process.execPath, [pyright, "--pythonpath", installed.python, "tests"], { cwd: folder })),
      ).toBe("");
    },
    MINUTES_5,
  );

  covers(
    "sdk.handles.typed",
    "mypy and pyright find each mistake in the use of the wheel",
    async () => {
      const lines = (await readFile(join(folder, "mistakes", "mistakes.py"), "utf8")).split("\n");
      const expected = lines.flatMap((line, index) => (line.includes("# mistake:") ? [index + 1] : []));
      const byMypy = await mypy(["--python-executable", installed.python, "mistakes"], folder);
      const byPyright = await run(process.execPath, [pyright, "--pythonpath", installed.python, "mistakes"], {
        cwd: folder,
      });
      expect(linesOf(byMypy)).toEqual(expected);
      expect(linesOf(byPyright)).toEqual(expected);
    },
    MINUTES_5,
  );

  test("the SDK and its tests are formatted, and the linter reports nothing", async () => {
    expect(failureOf(await run(tools.program("ruff"), ["check", "--no-cache", home]))).toBe("");
    expect(failureOf(await run(tools.program("ruff"), ["format", "--no-cache", "--check", home]))).toBe("");
  });

  test("the wheel contains only the package with its types", async () => {
    const { wheel, folder: place } = await buildWheel(tools);
    const { output } = await run(tools.program("python"), ["-m", "zipfile", "--list", wheel]);
    await rm(place, { recursive: true });
    const files = output.split("\n").flatMap((line) => /^(\S+\/\S+)/.exec(line)?.[1] ?? []);
    expect(files).toContain("junction_sdk/py.typed");
    expect(files).toContain("junction_sdk/generated/resources/events.py");
    expect(files.filter((file) => !/^(?:junction_sdk|junction_platform_sdk-[\d.]+\.dist-info)\//.test(file))).toEqual(
      [],
    );
    expect(files.filter((file) => file.includes("test_") || file.endsWith(".pyc"))).toEqual([]);
  });

  test("the oldest tested packages are the minimum versions of the wheel", async () => {
    const project = await readFile(join(home, "pyproject.toml"), "utf8");
    const [, declared = ""] = /^dependencies = \[(.+)\]$/m.exec(project) ?? [];
    const oldest = (await readFile(join(home, "requirements-oldest.in"), "utf8")).split("\n");
    const asked = [...declared.matchAll(/"([^"]+)"/g)].map(([, text = ""]) => text.replaceAll(" ", ""));
    expect(oldest.filter((line) => /^\w/.test(line))).toEqual(asked);
  });

  test("the SDK's version is the same everywhere", async () => {
    const project = await readFile(join(home, "pyproject.toml"), "utf8");
    const code =
      "import junction_sdk, importlib.metadata as m; print(junction_sdk.__version__, m.version('junction-platform-sdk'))";
    const { output } = await run(installed.python, ["-c", code]);
    const [, version] = /^version = "(.+)"$/m.exec(project) ?? [];
    expect(output.trim()).toBe(`${version} ${version}`);
  });

  test("the wheel's requirements are installed, and httpx alone is enough", async () => {
    expect(failureOf(await run(tools.program("python"), ["-m", "pip", "--python", installed.python, "check"]))).toBe(
      "",
    );
    const code = [
      "import sys; sys.modules['httpx2'] = None",
      "import junction_sdk, junction_sdk.testing as t",
      "try: junction_sdk.Junction(t.API_KEY, base_url='http://127.0.0.1:9', max_retries=0).me.get()",
      "except junction_sdk.ServiceConnectionError as e: print(type(e.__cause__).__module__, e.code)",
    ].join("\n");
    const { output } = await run(installed.python, ["-c", code]);
    expect(output.trim()).toBe("httpx connection_failed");
  });

  async function mypy(args: readonly string[], cwd: string): Promise<Ran> {
    const cache = join(folder, "mypy-cache");
    return await run(tools.program("mypy"), ["--strict", "--cache-dir", cache, ...args], {
      cwd,
    });
  }
});

/** Returns the output of a failed program, so that the test shows it. */
function failureOf({ status, output }: Ran): string {
  return status === 0 ? "" : `ended with ${status}: ${output}`;
}

/** Returns the lines of mistakes.py with an error, in order. */
function linesOf({ output }: Ran): number[] {
  const found = [...output.matchAll(/mistakes\.py:(\d+)(?::\d+)?(?: -|:) error/g)].map(([, line]) => Number(line));
  return [...new Set(found)].toSorted((a, b) => a - b);
}
