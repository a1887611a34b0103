import type { Net } from "../platform/outbound-http/outbound-http.ts";
import { createAuthority } from "../platform/outbound-http/testing/certificates.ts";
import { startReceiver } from "../platform/outbound-http/testing/receivers.ts";
import type { HttpReceiver } from "../platform/outbound-http/testing/receivers.ts";
import { startNet } from "../platform/outbound-http/testing/setup.ts";

/** A response: JSON, or a status with headers and a text. */
export type DocumentAnswer =
  | { readonly json: unknown }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text?: string };

export interface HttpsDocuments {
  /** Outbound HTTP that trusts the server's certificate, and is allowed to reach loopback. */
  readonly net: Net;
  /** The same, with the guard of a default installation. */
  readonly guarded: Net;
  readonly receiver: HttpReceiver;
  urlOf(path: string): string;
  close(): Promise<void>;
}

/** Starts an HTTPS server on loopback that answers each path with a document. */
export async function startHttpsDocuments(
  answerOf: (path: string, urlOf: (path: string) => string) => DocumentAnswer,
): Promise<HttpsDocuments> {
  const authority = createAuthority();
  const ca = [authority.cert];
  const [open, guarded] = [await startNet({ allow: "127.0.0.1/32", ca }), await startNet({ ca })];
  const urlOf = (path: string): string => `https://127.0.0.1:${receiver.port}${path}`;
  const receiver = await startReceiver({
    certificate: authority.issue(["127.0.0.1"]),
    answer(request, response) {
      const answer = answerOf(request.url ?? "", urlOf);
      if ("json" in answer) response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer.json));
      else response.writeHead(answer.status, answer.headers).end(answer.text);
    },
  });
  return {
    net: open.net,
    guarded: guarded.net,
    receiver,
    urlOf,
    async close() {
      await receiver.close();
      await open[Symbol.asyncDispose]();
      await guarded[Symbol.asyncDispose]();
    },
  };
}
