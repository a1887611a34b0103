import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedAlone } from "../cached.ts";
import { goProgram } from "../go-program.ts";
import { pythonEnvironment } from "../python.ts";
import type { PythonEnvironment } from "../python.ts";
import { must } from "../run.ts";

/** moto, which implements many services of AWS, and boto3 from PyPI, pinned with their hashes in requirements.txt. */
export async function awsPrograms(): Promise<PythonEnvironment> {
  const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
  return await pythonEnvironment({ name: "aws", requirements });
}

/** Returns the path of a gateway that implements S3 on a folder, with signatures. */
export async function versityGateway(): Promise<string> {
  return await goProgram("github.com/versity/versitygw/cmd/versitygw", "v1.8.0");
}

const CRATE = "https://static.crates.io/crates/aws-sigv4/aws-sigv4-1.6.4.crate";
const CRATE_SHA256 = "f385da9b7757ed4c8214797ad663ff534fb622006143530aa80e21f8e06ff85c";

/** A case of AWS's test suite of signatures. */
export interface SigningCase {
  readonly name: string;
  /** The text of a file of the case. */
  file(name: "context.json" | "request.txt" | "header-signature.txt"): Promise<string>;
}

/** Returns AWS's published test suite of Signature Version 4, which a crate of theirs has. */
export async function signingSuite(): Promise<readonly SigningCase[]> {
  const home = await cachedAlone(`aws-signing-suite-${CRATE_SHA256.slice(0, 16)}`, async (draft) => {
    const response = await fetch(CRATE);
    const bytes = Buffer.from(await response.arrayBuffer());
    const found = createHash("sha256").update(bytes).digest("hex");
    if (found !== CRATE_SHA256) throw new Error(`the crate has another checksum: ${found} (HTTP ${response.status})`);
    const archive = join(draft, "crate.tar.gz");
    await writeFile(archive, bytes);
    await must("tar", ["--extract", "--gzip", "--file", archive, "--directory", draft, "--strip-components", "1"]);
  });
  const folder = join(home, "aws-signing-test-suite", "v4");
  const names = await readdir(folder);
  return names.map((name) => ({ name, file: async (file) => await readFile(join(folder, name, file), "utf8") }));
}
