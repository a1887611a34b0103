import { problemOf } from "../../lib/lib.ts";
import type { Id, ServiceError } from "../../lib/lib.ts";
import type { IdempotencyRef, StoredAnswer } from "../../access/access.ts";

/**
 * The form of the answer to the caller, which this node sends after the work is done or, after a crash, another one.
 */
export interface Reply {
  readonly kind: "run" | "approval" | "undo";
  /** The path that was called. */
  readonly instance: string;
  readonly requestId: Id;
  /** The surface's envelopes for a success and a refusal, with a placeholder; null: no envelope. */
  readonly frame: { readonly success: string; readonly refusal: string } | null;
}

/** A character that JSON text contains only in escaped form. */
const HOLE = "\u0001";

export function replyOf(
  kind: Reply["kind"],
  request: { readonly ref: Pick<IdempotencyRef, "wrapBody">; readonly instance: string; readonly requestId: Id },
): Reply {
  const { wrapBody } = request.ref;
  const frame = wrapBody === undefined ? null : { success: wrapBody(HOLE, 200), refusal: wrapBody(`{${HOLE}`, 500) };
  return { kind, instance: request.instance, requestId: request.requestId, frame };
}

/** Returns the bytes of the answer, as they are sent and stored. */
export function answerOf({ frame }: Pick<Reply, "frame">, status: number, body: string): StoredAnswer {
  if (frame === null) return { status, body };
  const [before = "", behind = ""] = (status < 400 ? frame.success : frame.refusal).split(HOLE);
  return { status, body: `${before}${status < 400 ? body : body.slice(1)}${behind}` };
}

export function problemAnswer(reply: Reply, baseUrl: string, error: ServiceError): StoredAnswer {
  const { instance, requestId } = reply;
  return answerOf(reply, error.kind.status, JSON.stringify(problemOf(error, { baseUrl, instance, requestId })));
}
