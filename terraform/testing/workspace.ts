import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { go } from "../../tools/go.ts";
import { must, run } from "../../tools/run.ts";
import type { Ran } from "../../tools/run.ts";
import { tofu } from "../../tools/tofu.ts";

/** The values of any JSON. */
type Any = ReturnType<typeof JSON.parse>;
/** The resources of a configuration by type and name, as `main.tf.json` has them. */
export type Resources = Readonly<Record<string, Readonly<Record<string, object>>>>;

export const MODULE = fileURLToPath(new URL("../", import.meta.url));
const SOURCE = "junction-platform/junction";
const MINUTES_20 = 1_200_000;
/** The status of a plan with changes. */
const CHANGES = 2;

/** Runs the `go` command in the provider's module. */
export async function goRun(args: readonly string[]): Promise<Ran> {
  const { program, env } = await go();
  const options = {
    cwd: MODULE,
    timeout: MINUTES_20,
    env: { ...process.env, GOTOOLCHAIN: "auto", GOWORK: "off", ...env },
  };
  return await must(program, args, options);
}

/** Builds the provider, and returns its folder, which `end` removes. */
export async function builtProvider(): Promise<{ readonly folder: string; end(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "junction-provider-"));
  await goRun(["build", "-o", join(folder, "terraform-provider-junction"), "."]);
  return { folder, end: async () => await rm(folder, { recursive: true, force: true }) };
}

/** What a plan does to an object: `create`, `update`, `delete`, or `delete,create`. */
export type Planned = Readonly<Record<string, string>>;

export interface Workspace {
  readonly folder: string;
  /** Replaces the configuration. */
  write(resources: Resources, more?: object): Promise<void>;
  /** Runs a command. Never throws for its status. */
  run(...args: readonly string[]): Promise<Ran>;
  /** Returns the changes of a plan by address; empty if nothing is to do. */
  plan(...args: readonly string[]): Promise<Planned>;
  apply(...args: readonly string[]): Promise<string>;
  /** Applies, and returns the output of what must fail. */
  refused(): Promise<string>;
  /** Returns the members of each object in the state, by address. */
  state(): Promise<Readonly<Record<string, Any>>>;
  /** Returns the state as it is stored. */
  stored(): Promise<string>;
  end(): Promise<void>;
}

export interface WorkspaceOptions {
  readonly provider: string;
  readonly baseUrl: string;
  readonly key: string;
}

/** Creates a folder with an empty configuration, for the real OpenTofu. Nothing is installed: the provider is an override. */
export async function workspace({ provider, baseUrl, key }: WorkspaceOptions): Promise<Workspace> {
  const program = await tofu();
  const folder = await mkdtemp(join(tmpdir(), "junction-tofu-"));
  const settings = `provider_installation {\n  dev_overrides {\n    "${SOURCE}" = "${provider}"\n  }\n  direct {}\n}\n`;
  await writeFile(join(folder, "tofu.tfrc"), settings);
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    TF_CLI_CONFIG_FILE: join(folder, "tofu.tfrc"),
    TF_IN_AUTOMATION: "1",
    CHECKPOINT_DISABLE: "1",
    JUNCTION_BASE_URL: baseUrl,
    JUNCTION_API_KEY: key,
  };
  const command = async (...args: readonly string[]): Promise<Ran> =>
    await run(program, args, { cwd: folder, timeout: MINUTES_20, env });
  const done = async (...args: readonly string[]): Promise<string> => {
    const { status, output, stdout } = await command(...args);
    if (status !== 0) throw new Error(`tofu ${args.join(" ")}: ${output}`);
    return stdout;
  };
  return {
    folder,
    async write(resources, more = {}) {
      const some = Object.keys(resources).length === 0 ? {} : { resource: resources };
      const required = { required_providers: { junction: { source: SOURCE } } };
      await writeFile(join(folder, "main.tf.json"), JSON.stringify({ terraform: required, ...some, ...more }, null, 2));
    },
    run: command,
    async plan(...args) {
      const { status, output } = await command(
        "plan",
        "-no-color",
        "-input=false",
        "-detailed-exitcode",
        "-out=plan",
        ...args,
      );
      if (status !== 0 && status !== CHANGES) throw new Error(output);
      const { resource_changes: changes = [] }: Any = JSON.parse(await done("show", "-json", "plan"));
      return Object.fromEntries(
        changes
          .filter(({ change }: Any) => change.actions[0] !== "no-op")
          .map(({ address, change }: Any) => [address, change.actions.join()]),
      );
    },
    apply: async (...args) => await done("apply", "-no-color", "-input=false", "-auto-approve", ...args),
    async refused() {
      const { status, output } = await command("apply", "-no-color", "-input=false", "-auto-approve");
      if (status === 0) throw new Error(`nothing was refused: ${output}`);
      // Long lines are wrapped at the margin.
      return output.replaceAll(/\s*\n[│╵╷]?\s*/g, " ");
    },
    async state() {
      const { values }: Any = JSON.parse(await done("show", "-json"));
      const all: Any[] = values?.root_module?.resources ?? [];
      return Object.fromEntries(all.map(({ address, values: members }: Any) => [address, members]));
    },
    stored: async () => await readFile(join(folder, "terraform.tfstate"), "utf8"),
    end: async () => await rm(folder, { recursive: true, force: true }),
  };
}
