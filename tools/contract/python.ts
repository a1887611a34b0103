import { fileURLToPath } from "node:url";
import { pythonEnvironment } from "../python.ts";
import type { PythonEnvironment } from "../python.ts";
import { run } from "../run.ts";

const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));

/** Returns true if this machine can make the environment. In CI it always is, so that a missing tool is a failure and not a skip. */
export async function canCheck(): Promise<boolean> {
  if (process.env["CI"] !== undefined) return true;
  const [python, java] = await Promise.all([
    run("python3", ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"]),
    run("java", ["-version"]),
  ]);
  return python.status === 0 && java.status === 0;
}

/** Programs of the contract's checks that come from PyPI, pinned with their hashes in requirements.txt. */
export async function pythonTools(): Promise<PythonEnvironment> {
  return await pythonEnvironment({ name: "contract", requirements });
}
