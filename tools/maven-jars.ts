import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cachedAlone, digestOf } from "./cached.ts";

export interface Jar {
  /** Group, artifact and version, such as `org.slf4j:slf4j-api:1.7.36`. */
  readonly name: string;
  readonly sha256: string;
}

const CENTRAL = "https://repo1.maven.org/maven2";
const TRIES = 3;
const AT_ONCE = 8;
const TIMEOUT_MS = 120_000;

/** Returns a folder of the user's cache with jars of Maven Central, which the first call fetches. */
export async function mavenJars(name: string, jars: readonly Jar[]): Promise<string> {
  const digest = digestOf(...jars.map(({ sha256 }) => sha256));
  return await cachedAlone(`maven/${name}-${digest}`, async (draft) => {
    const left = [...jars];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let jar = left.pop(); jar !== undefined; jar = left.pop()) await download(jar, draft);
      }),
    );
  });
}

async function download({ name, sha256 }: Jar, folder: string): Promise<void> {
  const [group = "", artifact = "", version = ""] = name.split(":");
  const file = `${artifact}-${version}.jar`;
  const bytes = await bytesOf(`${CENTRAL}/${group.replaceAll(".", "/")}/${artifact}/${version}/${file}`);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== sha256) throw new Error(`Maven Central has another ${file} than the pinned one: ${found}.`);
  await writeFile(join(folder, file), bytes);
}

async function bytesOf(url: string): Promise<Buffer> {
  for (let tried = 1; ; tried += 1) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      return Buffer.from(await response.arrayBuffer());
    } catch (error) {
      if (tried === TRIES) throw new Error(`${url} cannot be fetched`, { cause: error });
    }
  }
}
