import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { systemClock } from "../lib/lib.ts";
import { createNet, parseAllowTargets } from "../platform/outbound-http/outbound-http.ts";
import type { Net } from "../platform/outbound-http/outbound-http.ts";
import { createAuthority } from "./certificates.ts";

/** A response: JSON, or a status with headers and a text. */
export type DocumentAnswer =
  | { readonly json: unknown }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text?: string };

export interface HttpsDocuments {
  /** Outbound HTTP that trusts the server's certificate, and is allowed to reach loopback. */
  readonly net: Net;
  /** The same, with the guard of a default installation. */
  readonly guarded: Net;
  readonly host: string;
  /** The paths that were requested so far. */
  readonly received: readonly string[];
  /** Returns the number of connections so far. */
  connections(): number;
  urlOf(path: string): string;
  close(): Promise<void>;
}

/** Starts an HTTPS server on loopback that answers each path with a document. */
export async function startHttpsDocuments(
  answerOf: (path: string, urlOf: (path: string) => string) => DocumentAnswer,
): Promise<HttpsDocuments> {
  const authority = createAuthority();
  const received: string[] = [];
  let connections = 0;
  const server = createServer({ ...authority.issue(["127.0.0.1"]) }, ({ url = "" }, response) => {
    received.push(url);
    const answer = answerOf(url, urlOf);
    if ("json" in answer) response.setHeader("Content-Type", "application/json").end(JSON.stringify(answer.json));
    else response.writeHead(answer.status, answer.headers).end(answer.text);
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urlOf = (path: string): string => `https://${host}${path}`;
  const common = { clock: systemClock, inbox: null, dnsServers: null, ca: [authority.cert] };
  const net = createNet({ ...common, allow: parseAllowTargets("127.0.0.1/32") });
  const guarded = createNet({ ...common, allow: [] });
  return {
    net,
    guarded,
    host,
    received,
    connections: () => connections,
    urlOf,
    async close() {
      server.closeAllConnections();
      server.close();
      await net.close();
      await guarded.close();
    },
  };
}
