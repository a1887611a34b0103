import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pythonEnvironment } from "../python.ts";
import { must, run } from "../run.ts";
import { commitSeconds, inStaging, ROOT } from "./staging.ts";

const SDK = join(ROOT, "sdks/python");
const OLDEST = "3.10";
const BUILD = "import sys; from flit_core import buildapi as b; b.build_wheel(sys.argv[1]); b.build_sdist(sys.argv[1])";

/** Returns why this machine cannot build the Python SDK; undefined if it can. */
export async function pythonFault(): Promise<string | undefined> {
  const code = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
  const { status } = await run("python3", ["-c", code]);
  return status === 0 ? undefined : `it needs Python ${OLDEST} or later as python3, with venv (Debian: python3-venv)`;
}

/** Builds the Python SDK's wheel and source archive into a folder. */
export async function packPythonSdk(target: string): Promise<void> {
  const requirements = join(SDK, "requirements-build.txt");
  const tools = await pythonEnvironment({ name: "sdk-python-build", requirements });
  await inStaging(async (folder) => {
    for (const path of ["pyproject.toml", "README.md"]) await cp(join(SDK, path), join(folder, path));
    await cp(join(SDK, "src"), join(folder, "src"), {
      recursive: true,
      filter: (path) => !path.includes("__pycache__"),
    });
    await mkdir(target, { recursive: true });
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(await commitSeconds()) };
    await must(tools.program("python"), ["-c", BUILD, target], { cwd: folder, env });
  });
}
