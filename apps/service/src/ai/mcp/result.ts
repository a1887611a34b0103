import { isRecord, parseJson } from "../../lib/lib.ts";
import { PROPOSAL_STATUS, RUN_STATUS } from "../../actions/actions.ts";

/** A response of /v1: its status, and its body as JSON text. A stored response can be reused, because the frame follows from the same message. */
export interface RestResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * Returns the members of a tool's result as JSON text: the response of /v1 as structured content, byte for byte, and the same as text for
 * clients that read only text. A sentence precedes the text if the model must know what to do next.
 */
export function resultMembers({ status, body }: RestResponse): string {
  const parsed: unknown = parseJson(body);
  const words = isRecord(parsed) ? wordsFor(status, parsed) : undefined;
  const texts = words === undefined ? [body] : [words, body];
  const content = JSON.stringify(texts.map((text) => ({ type: "text", text })));
  return `"content":${content},"structuredContent":${body},"isError":${String(status >= 400)}`;
}

/** Returns the members of the result of a run that ended later: the run as the API shows it. */
export function runMembers(run: string): string {
  const parsed = parseJson(run);
  const error = isRecord(parsed) && isRecord(parsed["error"]) ? parsed["error"] : undefined;
  const texts = error === undefined ? [run] : [`${String(error["code"])}: ${String(error["detail"])}`, run];
  const content = JSON.stringify(texts.map((text) => ({ type: "text", text })));
  return `"content":${content},"structuredContent":${run},"isError":${String(error !== undefined)}`;
}

/** Returns the words of a problem document. */
export function refusalText(problem: string): string {
  const parsed: unknown = parseJson(problem);
  return isRecord(parsed) ? refusalWords(parsed) : problem;
}

type Body = Readonly<Record<string, unknown>>;

function wordsFor(status: number, body: Body): string | undefined {
  if (status >= 400) return refusalWords(body);
  if (isRecord(body["proposal"]) && body["status"] === "pending_confirmation")
    return [proposalWords(body["proposal"]), ...reasonOf(body["over_budget"])].join(" ");
  if (status === 202 && typeof body["id"] === "string")
    return `The action was accepted and continues in the background. Call ${RUN_STATUS} with run_id ${body["id"]} for the result.`;
  return undefined;
}

/** Returns why a call that is covered in advance still waits. */
function reasonOf(overBudget: unknown): string[] {
  return isRecord(overBudget) ? [String(overBudget["detail"])] : [];
}

export function proposalWords({ id, approve_url: url }: Body): string {
  return `${waitingWords(url)} Call ${PROPOSAL_STATUS} with proposal_id ${String(id)} for the result.`;
}

/** Says who decides. A customer has no link, because only people of the workspace can open the page. */
export function waitingWords(url: unknown): string {
  return typeof url === "string"
    ? `Nothing has run yet. A person must approve the action at ${url}: give the user this link.`
    : "Nothing has run yet. The team that gave you this access must approve the action: tell the user that it waits for them. The user cannot approve it.";
}

function refusalWords({ code, title, detail, errors }: Body): string {
  const faults = Array.isArray(errors) ? errors.filter(isRecord) : [];
  const lines = faults.map((one) => `${String(one["pointer"])} ${String(one["message"])}`);
  return [`${String(code)}: ${String(title)} ${String(detail)}`, ...lines].join("\n");
}
