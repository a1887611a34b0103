import { toJson } from "../../../../sdks/node/src/index.ts";
import type { Preview, Proposal } from "../../../../sdks/node/src/index.ts";
import type { Command, Context, Options } from "../command.ts";
import { agree } from "../resources.ts";
import { visible } from "../text.ts";

const YES: Options = { yes: { type: "boolean", short: "y", about: "Do not ask for confirmation." } };

const approve: Command = {
  name: "approve",
  usage: "<proposal>",
  summary: "Review and approve a proposal",
  description:
    "You approve exactly what is shown. If the proposal changes in between, the service rejects the approval.",
  options: { ...YES, comment: { type: "string", value: "<text>", about: "A comment to store with the approval." } },
  words: { least: 1, most: 1 },
  async run(context) {
    const proposal = await shown(context, "Approve");
    const comment = context.text("comment");
    const junction = await context.junction();
    const decided = await junction.proposals.approve(proposal.id, {
      params_hash: proposal.params_hash,
      ...(comment === undefined ? {} : { comment }),
    });
    tell(context, decided);
  },
};

const reject: Command = {
  name: "reject",
  usage: "<proposal>",
  summary: "Review and reject a proposal",
  options: { ...YES, reason: { type: "string", value: "<text>", about: "The reason, which the requester can see." } },
  words: { least: 1, most: 1 },
  async run(context) {
    const proposal = await shown(context, "Reject");
    const reason = context.text("reason");
    const junction = await context.junction();
    tell(context, await junction.proposals.reject(proposal.id, reason === undefined ? {} : { reason }));
  },
};

export const decisionCommands: readonly Command[] = [approve, reject];

/** Returns the proposal after showing it. Without --yes, the user must confirm. */
async function shown(context: Context, verb: string): Promise<Proposal> {
  const proposal = await (await context.junction()).proposals.get(context.words[0] ?? "");
  context.io.err(previewText(proposal));
  if (!context.has("yes")) await agree(context.io, `${verb} it?`);
  return proposal;
}

function previewText({
  id,
  action,
  preview,
  prompt,
  proposer,
  edited_by: editor,
  approvals,
  ...rest
}: Proposal): string {
  const { title, summary, risk, target_host: host, reversible } = preview;
  const fields = fieldsOf(preview, rest.parameters);
  const width = Math.max(0, ...fields.map(({ name }) => name.length));
  const lines = [
    `${title}  (${action}, ${id})`,
    summary,
    "",
    ...fields.map(({ name, value }) => `  ${name.padEnd(width)}  ${value}`),
    "",
    `Requested by ${nameOf(proposer)}${prompt === null ? "" : `: "${prompt}"`}`,
    ...(editor === null ? [] : [`Edited by ${nameOf(editor)}, who set the parameters`]),
    `Risk ${risk}, ${reversible ? "can be undone" : "cannot be undone"}, ${host === null ? "calls nothing" : `calls ${host}`}`,
    `${approvals.length} of ${rest.approvals_required} approvals; ${rest.state} until ${rest.expires_at}`,
    ...approvals.map(
      ({ by, at, comment }) => `Approved by ${nameOf(by)} at ${at}${comment === null ? "" : `: "${comment}"`}`,
    ),
  ];
  return `${lines.map((line) => visible(line)).join("\n")}\n`;
}

/** Returns `Cleo (user)`, or the kind of caller. */
function nameOf({ type, display }: Proposal["proposer"]): string {
  return display === null ? type : `${display} (${type})`;
}

/**
 * Returns the preview's own fields, followed by every parameter that it leaves out, so that a person confirms only what
 * was shown.
 */
function fieldsOf(preview: Preview, parameters: Proposal["parameters"]): { name: string; value: string }[] {
  const shownNames = new Set(preview.fields.map(({ name }) => name));
  const others = Object.entries(parameters).filter(([name]) => !shownNames.has(name));
  return [
    ...preview.fields.map(({ name, value, masked }) => ({ name, value: masked ? "(not shown)" : value })),
    ...others.map(([name, value]) => ({ name, value: toJson(value) })),
  ];
}

function tell({ print }: Context, proposal: Proposal): void {
  const { id, state, approvals, approvals_required: required } = proposal;
  print.line(proposal, `${id} is ${state} (${approvals.length} of ${required} approvals).`);
}
