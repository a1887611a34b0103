import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import type { Proposal } from "../../../../sdks/node/src/index.ts";
import type { Command, Context, Options } from "../command.ts";
import { objectIn, textOf } from "../data.ts";
import { EXIT } from "../exit.ts";
import { largeCall } from "../large-call.ts";
import { agree } from "../resources.ts";
import { repeat } from "../wait.ts";

interface Named {
  readonly kind: string;
  readonly name: string;
}

interface Difference {
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** The changes of a plan, and of its application. */
interface Changes {
  readonly create: readonly Named[];
  readonly update: readonly (Named & { readonly renamed_from?: string; readonly changes: readonly Difference[] })[];
  readonly delete: readonly (Named & { readonly pending_deliveries?: number })[];
  readonly unchanged: number;
  readonly warnings: readonly { readonly message: string }[];
}

type Plan = Changes & { readonly id: string };

/** The answer to an application: the changes that were made, or the proposal that waits for a person. */
type Applied = (Changes & { readonly object: "configuration_application" }) | Proposal;

const ONE_FILE = { least: 1, most: 1 };
const PRUNE: Options = {
  prune: { type: "boolean", about: "Delete the objects of a section that the file does not contain." },
};
const FAILED = "Nothing was changed.";
const POLL_MS = 2000;
/** The states of a proposal that has not ended. */
const OPEN: ReadonlySet<string> = new Set(["proposed", "approved", "executing"]);

const exporting: Command = {
  name: "export",
  usage: "",
  summary: "Print the configuration of the workspace",
  description:
    "Event types, inboxes, action contracts, workflows, rules, sources, endpoints, channels and settings, as one JSON file without ids and secrets. The same configuration has the same bytes.",
  words: { least: 0, most: 0 },
  async run(context) {
    const call = { method: "GET", path: "/v1/configuration", failed: "Nothing was exported." } as const;
    context.io.out(`${await largeCall(context, { ...call, invalid: EXIT.refused })}\n`);
  },
};

const planning: Command = {
  name: "plan",
  usage: "<file>",
  summary: "Show what a configuration would change",
  description:
    "Reads a file of `junction export`, or - for standard input. Ends with 0 if nothing would change, with 2 if something would, and with 65 if the file is wrong.",
  options: PRUNE,
  words: ONE_FILE,
  async run(context) {
    const plan = await planOf(context);
    show(context, plan);
    return isEmpty(plan) ? EXIT.done : EXIT.changes;
  },
};

const drifting: Command = {
  name: "drift",
  usage: "<file>",
  summary: "Show what differs from a configuration",
  description:
    "Compares the workspace with a file of `junction export`, such as the one that was applied last, and tries nothing out: a key that only reads is sufficient. With --prune, objects that the file does not contain are differences too. Ends with 0 if nothing differs, with 2 if something does, and with 65 if the file is wrong.",
  options: { prune: { type: "boolean", about: "Also show the objects of a section that the file does not contain." } },
  words: ONE_FILE,
  async run(context) {
    const found = await comparisonOf(context, "/v1/configuration/drift");
    if (!isComparison(found)) throw new CommandError("The service sent no comparison.", EXIT.unavailable);
    show(context, found);
    return isEmpty(found) ? EXIT.done : EXIT.changes;
  },
};

const applying: Command = {
  name: "apply",
  usage: "<file>",
  summary: "Change the workspace to a configuration",
  description:
    "Shows the changes, asks for confirmation, and makes all of them in one transaction, or none. Ends with 0 if everything is as in the file, with 1 if the workspace was changed since the plan, with 3 if another person must approve the changes first, and with 65 if the file is wrong.",
  options: {
    ...PRUNE,
    yes: { type: "boolean", short: "y", about: "Do not ask for confirmation." },
    wait: { type: "boolean", about: "If another person must approve the changes, wait for the decision." },
  },
  words: ONE_FILE,
  async run(context) {
    const plan = await planOf(context);
    if (isEmpty(plan)) {
      show(context, plan);
      return EXIT.done;
    }
    if (!context.has("yes")) {
      show(context, plan);
      await agree(context.io, "Make these changes?");
    }
    const path = `/v1/configuration/plans/${plan.id}/apply`;
    const call = { method: "POST", path, body: "{}", failed: FAILED, invalid: EXIT.refused } as const;
    const made = JSON.parse(await largeCall(context, call)) as Applied;
    if (made.object === "proposal") return await proposed(context, made);
    if (context.has("yes")) show(context, made);
    else context.print.say("Done.");
    return EXIT.done;
  },
};

/** Says where people decide, and with `--wait` what they decided. Throws if the plan will not be applied. */
async function proposed(context: Context, proposal: Proposal): Promise<number> {
  const { io, print } = context;
  const { id, approve_url: url } = proposal;
  io.err(`Another person must approve these changes: ${url}\n`);
  const last = context.has("wait") ? await decided(context, proposal) : proposal;
  print.line(last, `${id} is ${last.state}.`);
  if (last.state === "executed") return EXIT.done;
  if (OPEN.has(last.state)) return EXIT.approval;
  throw new CommandError(`${FAILED} ${await reasonOf(context, last)}`, EXIT.refused);
}

/** Returns the proposal after its end, or when the command is interrupted. */
async function decided(context: Context, proposal: Proposal): Promise<Proposal> {
  const { proposals } = await context.junction();
  let last = proposal;
  await repeat(context.io, async () => {
    last = await proposals.get(proposal.id);
    return OPEN.has(last.state) ? POLL_MS : undefined;
  });
  return last;
}

async function reasonOf(context: Context, { state, decision, run_id: runId }: Proposal): Promise<string> {
  if (runId === null) return `The proposal was ${state}${decision?.reason == null ? "." : `: ${decision.reason}`}`;
  const { error } = await (await context.junction()).runs.get(runId);
  return error?.detail ?? `The run ${runId} failed.`;
}

/** Commands of configuration as code. */
export const configurationCommands: readonly Command[] = [exporting, planning, drifting, applying];

async function planOf(context: Context): Promise<Plan> {
  const plan = await comparisonOf(context, "/v1/configuration/plans");
  if (isComparison(plan) && "id" in plan) return plan as Plan;
  throw new CommandError("The service sent no plan.", EXIT.unavailable);
}

/** Sends the file, and returns the service's answer. */
async function comparisonOf(context: Context, path: string): Promise<unknown> {
  const [file = ""] = context.words;
  const text = await textOf(context, file);
  objectIn(text, file);
  const body = `{"configuration":${text},"prune":${String(context.has("prune"))}}`;
  const call = { method: "POST", path, failed: FAILED, invalid: EXIT.data } as const;
  return JSON.parse(await largeCall(context, { ...call, body }));
}

function isComparison(value: unknown): value is Changes {
  return typeof value === "object" && value !== null && "create" in value;
}

function isEmpty(changes: Changes): boolean {
  return changes.create.length + changes.update.length + changes.delete.length === 0;
}

function show({ print }: Context, changes: Changes): void {
  if (print.isJson) {
    print.one(changes);
    return;
  }
  for (const { kind, name } of changes.create) print.say(print.tint("green", `+ ${kind} ${name}`));
  for (const { kind, name, renamed_from: before, changes: differences } of changes.update) {
    print.say(print.tint("amber", `~ ${kind} ${name}${before === undefined ? "" : ` (was ${before})`}`));
    for (const { path, from, to } of differences) print.say(`    ${path}: ${valueOf(from)} -> ${valueOf(to)}`);
  }
  for (const { kind, name, pending_deliveries: pending = 0 } of changes.delete)
    print.say(print.tint("red", `- ${kind} ${name}${pending === 0 ? "" : ` (cancels ${pending} pending deliveries)`}`));
  for (const { message } of changes.warnings) print.say(`warning: ${message}`);
  print.say(
    `${changes.create.length} to create, ${changes.update.length} to change, ${changes.delete.length} to delete, ${changes.unchanged} unchanged.`,
  );
}

function valueOf(value: unknown): string {
  return value === undefined ? "(absent)" : JSON.stringify(value);
}
