import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { FetchLike, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { Parsed } from "./test-service.ts";

/** The official client, which signs in by OAuth as an app on a person's machine does. */
export interface OAuthTestClient {
  /** Connects. Returns the address that a person must open first, or the connected client. */
  connect(): Promise<{ readonly open: string } | { readonly client: Client }>;
  /** Runs a call that may need another consent. Returns the address that a person must open first, or the result. */
  attempt<T>(call: () => Promise<T>): Promise<{ readonly open: string } | { readonly result: T }>;
  /** Waits for the browser at the redirect URI, and fetches the tokens. */
  finish(): Promise<void>;
  /** The values that the client has stored. */
  readonly stored: Parsed;
  close(): Promise<void>;
}

export interface OAuthClientOptions {
  /** The URL of a document that describes the client, which registers itself without one. */
  readonly clientId?: string;
  /** Sends all requests of the client. */
  readonly fetch?: FetchLike;
}

/** Starts the client, with a server on loopback for its redirect URI. */
export async function startOAuthClient(
  resource: string,
  { clientId, ...sending }: OAuthClientOptions = {},
): Promise<OAuthTestClient> {
  const callback = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (searchParams.has("iss")) arrived.resolve(searchParams);
    response.setHeader("Content-Type", "text/html").end("<title>Done</title><h1>You can close this window</h1>");
  });
  callback.listen(0, "127.0.0.1");
  await once(callback, "listening");
  let arrived = Promise.withResolvers<URLSearchParams>();
  const stored: Parsed = {};
  const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  const provider = { ...providerOf(stored, redirectUrl), ...(clientId && { clientMetadataUrl: clientId }) };
  const connection = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider, ...sending });
  let transport = connection();
  let client: Client | undefined;
  const attempt: OAuthTestClient["attempt"] = async (call) => {
    delete stored.opened;
    try {
      return { result: await call() };
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || stored.opened === undefined) throw error;
      return { open: String(stored.opened) };
    }
  };
  return {
    stored,
    attempt,
    async connect() {
      transport = connection();
      const made = new Client({ name: "test", version: "1.0.0" });
      const outcome = await attempt(async () => await made.connect(transport));
      if ("open" in outcome) return outcome;
      client = made;
      return { client: made };
    },
    async finish() {
      const parameters = await arrived.promise;
      arrived = Promise.withResolvers<URLSearchParams>();
      await transport.finishAuth(parameters);
    },
    async close() {
      await client?.close();
      callback.closeAllConnections();
      callback.close();
    },
  };
}

function providerOf(stored: Parsed, redirectUrl: string): OAuthClientProvider {
  const keep =
    (name: string) =>
    (value: unknown): void => {
      stored[name] = value;
    };
  return {
    redirectUrl,
    clientMetadata: {
      client_name: "Official test client",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    state: () => "state of the client",
    clientInformation: () => stored.client,
    saveClientInformation: keep("client"),
    tokens: () => stored.tokens,
    saveTokens: keep("tokens"),
    codeVerifier: () => stored.verifier,
    saveCodeVerifier: keep("verifier"),
    discoveryState: () => stored.discovery,
    saveDiscoveryState: keep("discovery"),
    redirectToAuthorization: keep("opened"),
    invalidateCredentials: (scope) => {
      if (scope === "all" || scope === "tokens") delete stored.tokens;
      if (scope === "all" || scope === "client") delete stored.client;
    },
  };
}

/** A reverse proxy that serves the service under a path, and the console and the well-known documents at the root. */
export interface SubPathProxy {
  /** The public URL of the service. */
  readonly baseUrl: string;
  /** Sets the port of the service, which starts after the proxy because it needs the public URL. */
  leadTo(port: number): void;
  close(): void;
}

export async function startSubPathProxy(path: string): Promise<SubPathProxy> {
  let target = 0;
  const server = createServer((request, response) => {
    const url = request.url ?? "/";
    const passed = url.startsWith(`${path}/`) ? url.slice(path.length) : url;
    const { method, headers } = request;
    const onward = sendRequest({ host: "127.0.0.1", port: target, method, headers, path: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    leadTo: (port) => {
      target = port;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
