import { fileURLToPath } from "node:url";
import { pythonEnvironment } from "../python.ts";
import type { PythonEnvironment } from "../python.ts";

/** Tryton, Roundup and the library of Slack from PyPI, pinned with their hashes in requirements.txt. */
export async function pythonPrograms(): Promise<PythonEnvironment> {
  const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
  return await pythonEnvironment({ name: "counterparts", requirements });
}
