import { resolve } from "node:path";
import type { Command, Context, ExitOrNothing } from "../command.ts";
import { becomeService, operate } from "../operator.ts";
import { agree } from "../resources.ts";

const start: Command = {
  name: "start",
  usage: "",
  summary: "Run the service on this machine",
  description:
    "As `npm start` does, in the foreground, with the environment's settings. Ctrl-C and SIGTERM end it in order.",
  words: { least: 0, most: 0 },
  run: async (context) => await becomeService(context),
};

const migrate: Command = {
  name: "migrate",
  usage: "",
  summary: "Bring the database's schema up to this version",
  description: "A start does it too. A backup that is being made is waited for.",
  words: { least: 0, most: 0 },
  async run(context) {
    const { answer } = await operate(context, ["migrate"]);
    const applied = answer["applied"] as readonly string[];
    const text = applied.length === 0 ? "There was nothing to do." : `Applied ${applied.join(", ")}.`;
    context.print.line(answer, text);
  },
};

const backup: Command = {
  name: "backup",
  usage: "",
  summary: "Write all of the installation into one file",
  description:
    "Every table as it is at one moment, and connectors' files; the service may go on beside it. The file gets its name when it is whole.",
  options: {
    out: { type: "string", value: "<file>", about: "By default junction-<time>.tar in this folder." },
    "include-master-key": {
      type: "boolean",
      about: "Put the key that opens all secrets into the file. By default it is to be kept elsewhere.",
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
  "The master key is in the file: whoever has it can open every secret. Keep it as you keep the most secret of them.\n";
const WITHOUT_KEY =
  "The master key is not in the file. Keep it too, and apart from it: JUNCTION_MASTER_KEY, or master.key in the data folder. Without it no secret can be opened after a restore.\n";

const restore: Command = {
  name: "restore",
  usage: "<file>",
  summary: "Put a backup into an empty database",
  description:
    "The file is checked first, and the audit's chains afterwards. No service may run on the database. Until all is done the database says that it is incomplete, and no service starts on it.",
  options: {
    force: { type: "boolean", about: "Lose what is in the database." },
    yes: { type: "boolean", short: "y", about: "Do not ask." },
  },
  words: { least: 1, most: 1 },
  async run(context): Promise<ExitOrNothing> {
    const force = context.has("force");
    if (force && !context.has("yes")) await agree(context.io, "All that is in the database is lost. Go on?");
    const file = resolve(context.words[0] ?? "");
    const { answer, exit } = await operate(context, ["restore", file, ...(force ? ["--force"] : [])]);
    show(context, answer);
    if (exit !== 0) context.io.err("A chain of the audit does not hold: it was so when the backup was made.\n");
    return exit;
  },
};

const rotate: Command = {
  name: "master-key rotate",
  usage: "",
  summary: "Seal everything with the new master key that an earlier one sealed",
  description:
    "The last step but one of a change of the master key, with JUNCTION_MASTER_KEY (the new one) and JUNCTION_MASTER_KEY_PREVIOUS (the old one) as every process has them; docs/guide/master-key.md has all steps. The service goes on beside it, and what was interrupted goes on with the next run.",
  words: { least: 0, most: 0 },
  async run(context): Promise<ExitOrNothing> {
    const { answer, exit } = await operate(context, ["master-key", "rotate"]);
    show(context, answer);
    return exit;
  },
};

export const installationCommands: readonly Command[] = [start, migrate, backup, restore, rotate];

function show({ print }: Context, answer: object): void {
  print.one(answer);
}
