import { resolve } from "node:path";
import { UsageError } from "../../../../packages/command-line/src/command-line.ts";
import type { Command, Context, ExitOrNothing } from "../command.ts";
import { becomeService, operate } from "../operator.ts";
import { agree } from "../resources.ts";

const start: Command = {
  name: "start",
  usage: "",
  summary: "Run the service on this machine",
  description:
    "Runs in the foreground with the environment's settings, like `npm start`. Ctrl-C and SIGTERM shut it down cleanly.",
  words: { least: 0, most: 0 },
  run: async (context) => await becomeService(context),
};

const migrate: Command = {
  name: "migrate",
  usage: "",
  summary: "Upgrade the database's schema to this version",
  description: "Starting the service does this too. The command waits for a running backup to end.",
  words: { least: 0, most: 0 },
  async run(context) {
    const { answer } = await operate(context, ["migrate"]);
    const applied = answer["applied"] as readonly string[];
    const text = applied.length === 0 ? "The schema is up to date." : `Applied ${applied.join(", ")}.`;
    context.print.line(answer, text);
  },
};

const backup: Command = {
  name: "backup",
  usage: "",
  summary: "Back up the installation to one file",
  description:
    "The backup contains a consistent snapshot of every table, and connectors' files. The service can keep running. The file gets its final name when it is complete.",
  options: {
    out: { type: "string", value: "<file>", about: "Default: junction-<time>.tar in this folder." },
    "include-master-key": {
      type: "boolean",
      about:
        "Include the key that decrypts all secrets. By default, the key is not included and you must keep it separately.",
    },
  },
  words: { least: 0, most: 0 },
  async run(context) {
    const out = resolve(context.text("out") ?? `junction-${new Date().toISOString().replaceAll(/[:.]/g, "-")}.tar`);
    const more = context.has("include-master-key") ? ["--include-master-key"] : [];
    const { answer } = await operate(context, ["backup", "--out", out, ...more]);
    show(context, answer);
    context.io.err(context.has("include-master-key") ? WITH_KEY : WITHOUT_KEY);
  },
};

const WITH_KEY =
  "The file contains the master key. Anyone who has the file can decrypt every secret, so store it as securely as the most sensitive of them.\n";
const WITHOUT_KEY =
  "The file does not contain the master key. Keep the key too, separate from the file: JUNCTION_MASTER_KEY, or master.key in the data folder. Without it, no secret can be decrypted after a restore.\n";

const restore: Command = {
  name: "restore",
  usage: "<file>",
  summary: "Restore a backup into an empty database",
  description:
    "The file is checked before the restore, and the audit chains after it. No service may be running on the database. Until the restore is complete, the database is marked as incomplete, and no service starts on it.",
  options: {
    force: { type: "boolean", about: "Delete the existing data in the database." },
    yes: { type: "boolean", short: "y", about: "Do not ask for confirmation." },
  },
  words: { least: 1, most: 1 },
  async run(context): Promise<ExitOrNothing> {
    const force = context.has("force");
    if (force && !context.has("yes")) await agree(context.io, "All data in the database will be deleted. Continue?");
    const file = resolve(context.words[0] ?? "");
    const { answer, exit } = await operate(context, ["restore", file, ...(force ? ["--force"] : [])]);
    show(context, answer);
    if (exit !== 0) context.io.err("An audit chain is broken. It was already broken when the backup was created.\n");
    return exit;
  },
};

const rotate: Command = {
  name: "master-key rotate",
  usage: "",
  summary: "Re-encrypt all secrets with the new master key",
  description:
    "The second-to-last step of a master key rotation. Set JUNCTION_MASTER_KEY (the new key) and JUNCTION_MASTER_KEY_PREVIOUS (the old key) as for every process of the service. For all steps, see docs/guide/master-key.md. The service keeps running. If the command is interrupted, the next run continues where it stopped.",
  words: { least: 0, most: 0 },
  async run(context): Promise<ExitOrNothing> {
    const { answer, exit } = await operate(context, ["master-key", "rotate"]);
    show(context, answer);
    return exit;
  },
};

/** The service refuses other numbers too, with its own usage. */
const SHARDS: readonly string[] = ["1", "2", "4", "8", "16", "32", "64"];

const distribute: Command = {
  name: "distribute",
  usage: "",
  summary: "Distribute the database over the machines of Citus",
  description:
    "Places each table with its rows on the machines of a Citus database. Create a backup and stop every node of the service first. If the command is interrupted, the next run continues where it stopped. With --dry-run, the service can keep running. See docs/scaling.md.",
  options: {
    "dry-run": { type: "boolean", about: "Check the machines and print the plan. Nothing is changed." },
    shards: {
      type: "string",
      value: "<n>",
      about: "The number of shards: 1, 2, 4, 8, 16, 32 or 64. Default: 4 for each worker, and at least 8.",
    },
  },
  words: { least: 0, most: 0 },
  async run(context): Promise<ExitOrNothing> {
    const shards = context.text("shards");
    if (shards !== undefined && !SHARDS.includes(shards))
      throw new UsageError(`--shards must be 1, 2, 4, 8, 16, 32 or 64; got ${JSON.stringify(shards)}.`);
    const more = [
      ...(context.has("dry-run") ? ["--dry-run"] : []),
      ...(shards === undefined ? [] : ["--shards", shards]),
    ];
    const { answer, exit } = await operate(context, ["distribute", ...more]);
    show(context, answer);
    return exit;
  },
};

export const installationCommands: readonly Command[] = [start, migrate, backup, restore, rotate, distribute];

function show({ print }: Context, answer: object): void {
  print.one(answer);
}
