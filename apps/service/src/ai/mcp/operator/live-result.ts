import { membersOf } from "../../../lib/lib.ts";
import type { OperatorCall } from "./operator-call.ts";
import { bounded, DONE } from "./operator-result.ts";

/** Members that only people are shown in live. The result of a run is stored, and read by all members. */
const CREDENTIALS = ["secret", "previous_secret", "signing_secret", "url"];

/** Returns the result of a write in live, bounded, without credentials. It says where a person finds the one that is left out. */
export function liveResult(baseUrl: string, call: OperatorCall, body: string): string {
  if (body === "") return DONE;
  if (call.action.credential !== true) return bounded(body, CREDENTIALS).text;
  const page = credentialPage(baseUrl, call, membersOf(body)["id"]);
  const words = `The secret is left out, because results in live are stored. A person reads it in the console: ${page}`;
  return bounded(`${body.slice(0, -1)},"note":${JSON.stringify(words)}}`, CREDENTIALS).text;
}

/** Returns the page of the console on which a person reads the credential of the object that a call names, or has made. */
export function credentialPage(baseUrl: string, { tool, bound: { params } }: OperatorCall, made?: unknown): string {
  const page = tool === "sources_write" ? "sources" : "endpoints";
  return `${baseUrl}/${page}/${String(Object.values(params)[0] ?? made)}`;
}
