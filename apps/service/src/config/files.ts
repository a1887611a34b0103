/** Reads secrets from files: `<NAME>_FILE` is the path of the file that contains the value of a setting. */
import { readFileSync } from "node:fs";
import { SETTINGS } from "./settings.ts";
import type { Setting } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const SECRETS = Object.entries<Setting>(SETTINGS).flatMap(([name, { isSecret }]) => (isSecret === true ? [name] : []));

/** Returns the environment with the secrets from files. Adds a line to `faults` for each file that cannot be used. */
export function withSecretFiles(environment: Environment, faults: string[]): Environment {
  const read: Record<string, string> = {};
  for (const name of SECRETS) {
    const path = environment[`${name}_FILE`]?.trim() ?? "";
    if (path === "") continue;
    const { secret, fault } = secretIn(path);
    if (secret !== undefined) read[name] = secret;
    if ((environment[name] ?? "").trim() !== "")
      faults.push(`\`${name}\` and \`${name}_FILE\` must not both be set. Set one of them.`);
    else if (fault !== undefined)
      faults.push(`\`${name}_FILE\` must be the path of a file that holds the value; ${fault}.`);
  }
  return { ...environment, ...read };
}

/** An empty or unreadable file is a fault: it must not count as a setting that is not set. */
function secretIn(path: string): { readonly secret?: string; readonly fault?: string } {
  try {
    const secret = readFileSync(path, "utf8").trim();
    return secret === "" ? { fault: `${path} is empty` } : { secret };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const user = process.getuid === undefined ? "" : ` (user id ${process.getuid()})`;
    const reasons: Readonly<Record<string, string>> = {
      EACCES: `the user that runs the service${user} cannot read ${path}`,
      ENOENT: `${path} does not exist`,
      // Docker creates a folder if the file to mount is missing.
      EISDIR: `${path} is a folder`,
    };
    return { fault: reasons[code] ?? `${path} cannot be read (${code})` };
  }
}
