import { cp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached, digestOf } from "../cached.ts";
import { php84 } from "../php/php84.ts";
import { must, run } from "../run.ts";

/** One call of a page's `verify`. */
export interface VerifyCall {
  readonly secret: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  readonly now: number;
  /** A file with the body's bytes. */
  readonly bodyFile: string;
}

/** A program that ends with 0 where the page's `verify` says yes, and with 9 where it says no. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

export interface Language {
  /** A command that succeeds where the language can be used: a toolchain that is installed may still not run. PHP brings itself. */
  readonly needs: readonly [program: string, ...args: string[]];
  /** Writes the page's code and what calls it into a folder; answers how it is run. */
  build(code: string, folder: string): Promise<Command>;
}

export const NO = 9;

const HERE = fileURLToPath(new URL("verify/", import.meta.url));

/** Languages by the first word of the fence. */
export const languages: Readonly<Record<string, Language>> = {
  js: script(
    "node",
    "verify.mjs",
    (code) => `${code}
    import { readFileSync } from "node:fs";
    const [secret, id, timestamp, signatures, now] = process.argv.slice(2);
    process.exit(verify(secret, id, timestamp, signatures, readFileSync(0), Number(now)) ? 0 : ${NO});`,
  ),
  python: script(
    "python3",
    "verify_driver.py",
    (code) => `${code}
import sys
sys.exit(0 if verify(*sys.argv[1:5], sys.stdin.buffer.read(), int(sys.argv[5])) else ${NO})`,
  ),
  php: {
    needs: ["sh", "-c", "true"],
    build: async (code, folder) => {
      const file = join(folder, "verify.php");
      await writeFile(
        file,
        `<?php\n${code}
        [, $secret, $id, $timestamp, $signatures, $now] = $argv;
        exit(verify($secret, $id, $timestamp, $signatures, stream_get_contents(STDIN), (int) $now) ? 0 : ${NO});`,
      );
      return { program: (await php84()).program, args: [file] };
    },
  },
  ruby: script(
    "ruby",
    "verify.rb",
    (code) => `${code}
exit(verify(*ARGV[0, 4], $stdin.binmode.read, ARGV[4].to_i) ? 0 : ${NO})`,
  ),
  perl: script(
    "perl",
    "verify.pl",
    (code) => `${code}
binmode STDIN;
exit(verify(@ARGV[0 .. 3], do { local $/; scalar <STDIN> } // '', $ARGV[4]) ? 0 : ${NO});`,
  ),
  bash: script(
    "bash",
    "verify.sh",
    (code) => `${code}
cat >"$0.body"
verify "$1" "$2" "$3" "$4" "$0.body" "$5" || exit ${NO}`,
  ),
  go: {
    needs: ["go", "version"],
    build: async (code, folder) => {
      await writeFile(join(folder, "verify.go"), code);
      await cp(join(HERE, "driver.go"), join(folder, "driver.go"));
      await must("go", ["build", "-o", "verify", "verify.go", "driver.go"], { cwd: folder });
      return { program: join(folder, "verify"), args: [] };
    },
  },
  java: {
    needs: ["javac", "-version"],
    build: async (code, folder) => {
      await writeFile(join(folder, "Webhooks.java"), code);
      await must("javac", ["-d", folder, join(folder, "Webhooks.java"), join(HERE, "Driver.java")]);
      return { program: "java", args: ["-XX:TieredStopAtLevel=1", "-cp", folder, "Driver"] };
    },
  },
  rust: { needs: ["cargo", "--version"], build: rust },
};

/** Runs the page's `verify` once. Throws where its exit code means neither yes nor no. */
export async function verdictOf({ program, args }: Command, call: VerifyCall): Promise<boolean> {
  const { secret, id, timestamp, signatures, now, bodyFile } = call;
  const given = [secret, id, timestamp, signatures, String(now)];
  const ran = await run("sh", ["-c", 'body=$1; shift; exec "$@" <"$body"', "sh", bodyFile, program, ...args, ...given]);
  if (ran.status !== 0 && ran.status !== NO) throw new Error(`${program} ended with ${ran.status}: ${ran.output}`);
  return ran.status === 0;
}

function script(program: string, name: string, whole: (code: string) => string): Language {
  return {
    needs: [program, "--version"],
    build: async (code, folder) => {
      const file = join(folder, name);
      await writeFile(file, whole(code));
      return { program: program === "node" ? process.execPath : program, args: [file] };
    },
  };
}

/** Debian's cargo can read the registry without git, but only with these settings. Later versions do so by default. */
const SPARSE = { CARGO_UNSTABLE_SPARSE_REGISTRY: "true", RUSTC_BOOTSTRAP: "1" };

/** Builds the program once for each text of the code. Only the first build fetches its dependencies from crates.io. */
async function rust(code: string): Promise<Command> {
  const parts = await Promise.all(
    ["Cargo.toml", "Cargo.lock", "driver.rs"].map(async (name) => await readFile(join(HERE, name))),
  );
  const home = await cached(`rust/verify-${digestOf(code, ...parts)}`, async (draft) => {
    await cp(HERE, draft, { recursive: true });
    await writeFile(join(draft, "verify.rs"), code);
    await must("cargo", ["build", "--quiet", "--locked"], { cwd: draft, env: { ...process.env, ...SPARSE } });
    await rename(join(draft, "target/debug/verify"), join(draft, "verify"));
    await rm(join(draft, "target"), { recursive: true });
  });
  return { program: join(home, "verify"), args: [] };
}
