import { after, isRecord, parseJson, parseRfc3339, toRfc3339 } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";
import type { FollowedProposal } from "../../actions/actions.ts";
import { proposalWords, runMembers, waitingWords } from "./result.ts";
import type { RestResponse } from "./result.ts";

/**
 * A task (contract, section 11): a tool call whose result a client fetches later. Its id is that of the proposal. It never asks for
 * input, because nothing that a client sends is an approval.
 */
export interface Task {
  readonly id: string;
  readonly status: "working" | "completed" | "failed" | "cancelled";
  /** A sentence for people and models. */
  readonly message: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly ttlMs: number;
  /** The members of the tool's result as JSON text; null before the end, and for a task without a result. */
  readonly result: string | null;
}

/** The wire forms: the extension `io.modelcontextprotocol/tasks`, and the tasks of protocol version 2025-11-25. */
export type TaskWire = "extension" | "2025-11-25";

const POLL_MS = 5000;
/** The time for which a result can be read after the last moment at which people can decide. */
const KEPT_MS = 86_400_000;

/** Returns the members of the response to a call that became a proposal. They follow from the stored response alone. */
export function createdMembers(wire: TaskWire, { status, body }: RestResponse): string | undefined {
  const answer: unknown = parseJson(body);
  if (!isRecord(answer)) return undefined;
  const { proposal } = answer;
  if (status === 202 && isRecord(proposal)) return proposedMembers(wire, proposal);
  return wire === "extension" ? undefined : ranMembers(answer);
}

/** Returns the first members of a task: a person must decide. */
function proposedMembers(wire: TaskWire, proposal: Readonly<Record<string, unknown>>): string {
  const createdAt = instantOf(proposal["created_at"]);
  const task: Task = {
    id: String(proposal["id"]),
    status: "working",
    message: waitingWords(proposal["approve_url"]),
    createdAt,
    updatedAt: createdAt,
    ttlMs: ttlOf(createdAt, instantOf(proposal["expires_at"])),
    result: null,
  };
  if (wire === "extension") return `"resultType":"task",${taskMembers(wire, task)}`;
  const words = JSON.stringify({ "io.modelcontextprotocol/model-immediate-response": proposalWords(proposal) });
  return `"task":{${taskMembers(wire, task)}},"_meta":${words}`;
}

/** Returns the task of a call that ran at once, because an owner had approved it in advance. */
function ranMembers(run: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof run["proposal_id"] !== "string") return undefined;
  const createdAt = instantOf(run["created_at"]);
  const isEnded = run["status"] === "executed";
  const task: Task = {
    id: run["proposal_id"],
    status: isEnded ? "completed" : "working",
    message: isEnded ? "The action ran." : RUNNING,
    createdAt,
    updatedAt: isEnded ? instantOf(run["ended_at"]) : createdAt,
    ttlMs: KEPT_MS,
    result: null,
  };
  return `"task":{${taskMembers("2025-11-25", task)}}`;
}

/** Returns a task of a proposal. */
export function taskOf(wire: TaskWire, id: string, proposal: FollowedProposal): Task {
  const { createdAt, updatedAt, expiresAt } = proposal;
  return {
    id,
    ...endOf(wire, proposal),
    createdAt,
    updatedAt,
    ttlMs: ttlOf(createdAt, expiresAt),
    result: proposal.run === null ? null : runMembers(proposal.run),
  };
}

const RUNNING = "The action was approved and is running.";

function endOf(wire: TaskWire, { state, approveUrl, reason }: FollowedProposal): Pick<Task, "status" | "message"> {
  if (state === "proposed") return { status: "working", message: waitingWords(approveUrl) };
  if (state === "rejected") return { status: "cancelled", message: `${ENDS.rejected.message}${because(reason)}` };
  // In the extension, `failed` is for errors of the protocol: a tool's failure is a result with `isError`.
  if (state === "failed" && wire === "extension") return { ...ENDS.failed, status: "completed" };
  return ENDS[state];
}

const ENDS = {
  running: { status: "working", message: RUNNING },
  executed: { status: "completed", message: "The action was approved and ran." },
  failed: { status: "failed", message: "The action was approved, but its call failed. See the result." },
  rejected: { status: "cancelled", message: "A person rejected the action. Nothing ran." },
  expired: { status: "cancelled", message: "No person approved the action in time. Nothing ran." },
  cancelled: { status: "cancelled", message: "The request was cancelled. Nothing ran." },
} as const;

function because(reason: string | null): string {
  return reason === null ? "" : ` Reason: ${reason}`;
}

/** Returns the members of a task as JSON text. */
export function taskMembers(wire: TaskWire, task: Task): string {
  const { id: taskId, status, message: statusMessage, ttlMs } = task;
  const common = {
    taskId,
    status,
    statusMessage,
    createdAt: toRfc3339(task.createdAt),
    lastUpdatedAt: toRfc3339(task.updatedAt),
  };
  const isExtension = wire === "extension";
  const times = isExtension ? { ttlMs, pollIntervalMs: POLL_MS } : { ttl: ttlMs, pollInterval: POLL_MS };
  const members = JSON.stringify({ ...common, ...times }).slice(1, -1);
  return isExtension && task.result !== null ? `${members},"result":{${task.result}}` : members;
}

/** Returns the members of `tasks/result`: what the call would have returned. */
export function finalMembers(task: Task): string {
  const meta = JSON.stringify({ "io.modelcontextprotocol/related-task": { taskId: task.id } });
  const members = task.result ?? endedWithoutRun(task);
  return `${members},"_meta":${meta}`;
}

function endedWithoutRun({ message }: Task): string {
  return `"content":${JSON.stringify([{ type: "text", text: message }])},"isError":true`;
}

function ttlOf(createdAt: Instant, expiresAt: Instant): number {
  return after(expiresAt, KEPT_MS) - createdAt;
}

function instantOf(text: unknown): Instant {
  const at = parseRfc3339(String(text));
  if (at === undefined) throw new Error("a stored response has no time");
  return at;
}
