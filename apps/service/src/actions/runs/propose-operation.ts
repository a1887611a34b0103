import { isRecord, parseJson } from "../../lib/lib.ts";
import type { Id } from "../../lib/lib.ts";
import type { Role } from "../../accounts/accounts.ts";
import type { SentAnswer } from "../../access/access.ts";
import type { Redactor, Target } from "../../audit/audit.ts";
import type { ActionCaller } from "../callers/actor.ts";
import { operatorContract, operatorKey } from "../contracts/operator-contracts.ts";
import { proposed } from "../proposals/proposal-events.ts";
import { visible } from "../proposals/preview.ts";
import { proposalRow, readProposal, shownOf } from "../proposals/proposal-row.ts";
import type { ShownFacts } from "../proposals/proposal-row.ts";
import { proposalText } from "../proposals/proposal-view.ts";
import type { ActionRequest, RequestContext } from "../requests/action-request.ts";
import { nameIn } from "../requests/ai-history.ts";
import { entryOf } from "../requests/entries.ts";
import { answerOf, replyOf } from "../requests/stored-response.ts";
import { carryOut } from "./run.ts";
import type { RunDeps } from "./run.ts";
import { aiCallOf } from "./start-run.ts";
import type { RecordedCall, StartedRun } from "./start-run.ts";

/** A write of an operator tool in live, which a person must approve. */
export interface ProposedOperation {
  readonly tool: string;
  readonly action: string;
  /** The JSON text of the arguments, with the digits of the caller. */
  readonly arguments: string;
  /** The key with whose rights the operation runs. They are checked again when it does. */
  readonly keyId: Id;
  /** The roles that may do the operation themselves, and so may approve it. */
  readonly approverRoles: readonly Role[];
  /** The number of objects that the operation changes. */
  readonly count: number;
  /** One of them; null if there is none. */
  readonly example: unknown;
}

/** Members of arguments that can hold secrets. */
const SENSITIVE = ["secret", "auth", "headers", "signing_secret"];
const MAX_VALUE = 500;
/** The members by which people recognize an object. */
const TELLING = ["id", "name", "title", "event", "url", "endpoint_id", "state", "active", "attempt_count"];
const MAX_TOLD = 100;

/** Creates a proposal whose approval runs the operation. A repeated request gets the first answer. */
export async function proposeOperation(
  deps: RunDeps,
  asker: ActionCaller,
  operation: ProposedOperation,
  request: RequestContext,
): Promise<SentAnswer> {
  const before = await deps.idempotency.seen(request.ref);
  if (before !== undefined) return { ...before, replayed: true };
  const asked = await actionRequest(deps, asker, operation);
  const call = { scope: asker.scope, asked, request, reply: replyOf("run", request), work: deps.ids.uuid() };
  return await carryOut(
    deps,
    call,
    await deps.begin(call, (redactor) => proposing(deps, { ...call, operation }, redactor)),
  );
}

async function actionRequest(deps: RunDeps, asker: ActionCaller, operation: ProposedOperation): Promise<ActionRequest> {
  const contract = operatorContract(operatorKey(operation.tool, operation.action));
  if (contract === undefined) throw new Error("an operator tool has no such action");
  const approval = {
    ...contract.approval,
    approver_roles: [...operation.approverRoles] as typeof contract.approval.approver_roles,
  };
  return {
    asker: await deps.lookup.named(asker),
    contract: { ...contract, approval },
    parameters: { arguments: operation.arguments, key_id: operation.keyId },
    surface: asker.surface,
    prompt: null,
    waiter: null,
    workflow: null,
  };
}

function proposing(
  deps: RunDeps,
  call: RecordedCall & { readonly operation: ProposedOperation },
  redactor: Redactor,
): StartedRun {
  const { scope, asked, request, work: id } = call;
  const { asker, contract } = asked;
  const shown = shownOperation(asked, call.operation, redactor);
  const row = proposalRow(asked, { id, state: "proposed", shown, now: deps.clock.now(), sealer: deps.sealer });
  const head = JSON.stringify({ status: "pending_confirmation", action: contract.key });
  const text = `${head.slice(0, -1)},"proposal":${proposalText({ ...deps, scope }, readProposal(row))}}`;
  const parameters: unknown = parseJson(shown.parameters);
  const about = { actor: asker.actor, proposalId: id, parameters, requestId: request.requestId };
  return {
    proposal: row,
    entries: [entryOf("proposal", contract, "proposed", about)],
    aiCall: aiCallOf(asked, id, { shown, request, isProposal: true, target: targetOfOperation(call.operation) }),
    events: [proposed(scope, readProposal(row), deps.baseUrl)],
    answer: answerOf(call.reply, 202, text),
  };
}

/** Returns the object that the operation changes. */
function targetOfOperation({ arguments: given, example }: ProposedOperation): Target {
  const values: unknown = parseJson(given);
  const id = isRecord(values) && typeof values["id"] === "string" ? values["id"] : null;
  return { id, name: nameIn(example) };
}

/** Shows the arguments themselves, the count and the example, each redacted. The text of the arguments is not searched for names. */
function shownOperation(
  asked: ActionRequest,
  { arguments: given, count, example }: ProposedOperation,
  redactor: Redactor,
): ShownFacts {
  const redact = (value: unknown): unknown => redactor.value(value, { sensitive: SENSITIVE });
  const facts = redact({ arguments: parseJson(given), example }) as Readonly<Record<string, unknown>>;
  const values = facts["arguments"] as Readonly<Record<string, unknown>>;
  const { preview } = shownOf(asked, redactor);
  const shownExample = facts["example"] ?? null;
  const fields = [
    ["count", String(count), "The number of objects that change."] as const,
    ...(shownExample === null ? [] : [["example", exampleText(shownExample), "One of them."] as const]),
    ...Object.entries(values).map(([name, value]) => [name, valueText(value), ""] as const),
  ];
  return {
    parameters: JSON.stringify({ arguments: values, key_id: asked.parameters["key_id"] }),
    prompt: null,
    preview: {
      ...preview,
      summary: `An AI asks for this in live. ${count === 1 ? "It changes 1 object" : `It changes ${count} objects`} of this workspace, with the rights of its key. Values in it can come from outside.`,
      fields: fields.map(([name, value, description]) => ({
        name: visible(name, 100),
        description,
        value: visible(value, MAX_VALUE),
        masked: false,
      })),
      target_host: null,
      count,
      example: shownExample,
    },
  };
}

/**
 * Returns the members of an example by which people recognize it. The example only illustrates the arguments, which are what is approved,
 * so that it does not have to be whole: Slack shows no buttons for a field that is cut.
 */
function exampleText(example: unknown): string {
  if (!isRecord(example)) return valueText(example);
  const told = TELLING.filter((name) => example[name] !== undefined && example[name] !== null);
  return told.map((name) => `${name}: ${excerpt(JSON.stringify(example[name]))}`).join(", ");
}

function excerpt(text: string): string {
  const points = Array.from(text);
  return points.length > MAX_TOLD ? `${points.slice(0, MAX_TOLD).join("")}…` : text;
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
