import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { CryptoKey, JWK, JWTPayload } from "jose";

const CLIENT = { id: "junction", secret: "a-client-secret" };
/** The settings of a service that signs people in by the issuer. */
export const oidcEnvironment = (issuer: string): Record<string, string> => ({
  JUNCTION_OIDC_ISSUER: issuer,
  JUNCTION_OIDC_CLIENT_ID: CLIENT.id,
  JUNCTION_OIDC_CLIENT_SECRET: CLIENT.secret,
});

type Claims = Record<string, unknown>;

/** The behaviour of the issuer from now on. A test changes it. */
interface Conduct {
  /** The claims of the person who signs in, in addition to those of the protocol, which they replace. */
  idToken: Claims;
  userinfo: Claims;
  /** Members of the metadata, which replace the issuer's own. */
  metadata: Claims;
  /** Signs the ID token instead of the issuer's key. */
  sign: ((claims: JWTPayload) => Promise<string>) | null;
  /** Responds to everything with 503. */
  isDown: boolean;
}

/** An issuer of OpenID Connect on loopback, which does what a test says. It checks the client, the code and PKCE. */
export interface TestIssuer {
  readonly url: string;
  readonly clientSecret: string;
  readonly conduct: Conduct;
  /** Replaces the key that signs. Tokens of the old one are refused from then on. */
  rotate(): Promise<void>;
  /** Returns a token that the issuer's key has signed. */
  token(claims: Claims, header?: Record<string, string>): Promise<string>;
  /** The codes, tokens, states and nonces of all sign-ins so far. No log may contain one. */
  readonly exchanged: string[];
  /** The paths that were asked. */
  readonly asked: string[];
  close(): Promise<void>;
}

interface Key {
  readonly kid: string;
  readonly secret: CryptoKey;
  readonly shown: JWK;
}

interface Grant {
  readonly nonce: string | null;
  readonly challenge: string | null;
  readonly redirectUri: string;
}

export async function startIssuer(): Promise<TestIssuer> {
  const conduct: Conduct = { idToken: {}, userinfo: {}, metadata: {}, sign: null, isDown: false };
  const asked: string[] = [];
  const exchanged: string[] = [];
  const grants = new Map<string, Grant>();
  let key = await newKey();
  let origin = "";

  const token = async (claims: Claims, header: Record<string, string> = {}): Promise<string> =>
    await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid, ...header }).sign(key.secret);

  async function idToken(nonce: string | null): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const basic = { iss: origin, aud: CLIENT.id, iat: now, exp: now + 300, nonce };
    const claims = { ...basic, ...conduct.idToken } as JWTPayload;
    const made = conduct.sign === null ? await token(claims) : await conduct.sign(claims);
    exchanged.push(made);
    return made;
  }

  function authorize(url: URL, response: ServerResponse): void {
    const [code, redirectUri] = [randomUUID(), url.searchParams.get("redirect_uri") ?? ""];
    const challenge = url.searchParams.get("code_challenge");
    exchanged.push(code, ...["state", "nonce", "code_challenge"].map((name) => url.searchParams.get(name) ?? ""));
    grants.set(code, { nonce: url.searchParams.get("nonce"), challenge, redirectUri });
    const back = new URLSearchParams({ code, state: url.searchParams.get("state") ?? "", iss: origin });
    response.writeHead(302, { Location: `${redirectUri}?${back.toString()}` }).end();
  }

  async function redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(request));
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = grant?.challenge === challenge && grant.redirectUri === form.get("redirect_uri");
    if (!isRight || credentialsOf(request.headers.authorization ?? "") !== `${CLIENT.id}:${CLIENT.secret}`) {
      json(response, { error: "invalid_grant" }, 400);
      return;
    }
    const accessToken = randomUUID();
    exchanged.push(accessToken, form.get("code_verifier") ?? "");
    json(response, { access_token: accessToken, token_type: "Bearer", id_token: await idToken(grant.nonce) });
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", origin);
    asked.push(url.pathname);
    if (conduct.isDown) response.writeHead(503).end();
    else if (url.pathname === "/.well-known/openid-configuration") json(response, metadataOf(origin, conduct.metadata));
    else if (url.pathname === "/jwks") json(response, { keys: [key.shown] });
    else if (url.pathname === "/authorize") authorize(url, response);
    else if (url.pathname === "/token") await redeem(request, response);
    else if (url.pathname === "/userinfo") json(response, { sub: conduct.idToken["sub"], ...conduct.userinfo });
    else response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  origin = await listening(server);
  return {
    url: origin,
    clientSecret: CLIENT.secret,
    conduct,
    asked,
    exchanged,
    token,
    async rotate() {
      key = await newKey();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the client's id and secret of a Basic header, whose parts are encoded like those of a form (RFC 6749). */
function credentialsOf(header: string): string {
  const text = Buffer.from(header.replace(/^Basic /, ""), "base64").toString("utf8");
  return decodeURIComponent(text.replaceAll("+", " "));
}

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

function metadataOf(origin: string, changed: Claims): Claims {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    userinfo_endpoint: `${origin}/userinfo`,
    jwks_uri: `${origin}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    authorization_response_iss_parameter_supported: true,
    ...changed,
  };
}

async function newKey(): Promise<Key> {
  const kid = randomUUID();
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { kid, secret: privateKey, shown: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** A browser that keeps cookies, and follows no redirect by itself. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  get(url: string): Promise<Response>;
  /** Goes to the issuer and returns the address that it leads back to. */
  toIssuer(base: string, query?: string): Promise<string>;
  /** Does the same with an invitation, as the invitation's page does. */
  joinAtIssuer(base: string, invitation: string): Promise<string>;
  /** Opens the address. Returns the path to which the service leads from there, with the query. */
  follow(url: string): Promise<string>;
  /** Confirms the first link of an account, as the sign-in page does. Returns the path, or the code of the refusal. */
  confirmLink(base: string): Promise<string>;
  /** Signs in. Returns the path to which the service leads in the end, with the query. */
  signIn(base: string, query?: string): Promise<string>;
}

export function openBrowser(): TestBrowser {
  const cookies = new Map<string, string>();

  async function ask(url: string, options: RequestInit = {}): Promise<Response> {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(cookie === "" ? {} : { Cookie: cookie }), "Content-Type": "application/json" };
    const response = await fetch(url, { redirect: "manual", headers, ...options });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      if (line.includes("Max-Age=0")) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  const self: TestBrowser = {
    cookies,
    get: async (url) => await ask(url),
    toIssuer: async (base, query = "") => await returned(locationOf(await ask(`${base}/v1/auth/oidc/start${query}`))),
    async joinAtIssuer(base, invitation) {
      const body = JSON.stringify({ invitation });
      const started = await ask(`${base}/v1/auth/oidc/start`, { method: "POST", body });
      return await returned(((await started.json()) as { location: string }).location);
    },
    async follow(url) {
      const { pathname, search } = new URL(locationOf(await ask(url)));
      return pathname + search;
    },
    async confirmLink(base) {
      const answer = await ask(`${base}/v1/auth/oidc/link`, { method: "POST", body: "{}" });
      const { location, code = "" } = (await answer.json()) as { location?: string; code?: string };
      return location === undefined ? code : new URL(location).pathname + new URL(location).search;
    },
    signIn: async (base, query) => await self.follow(await self.toIssuer(base, query)),
  };
  return self;
}

/** Opens the issuer's page, which leads back at once. Another page is returned as it is. */
async function returned(url: string): Promise<string> {
  if (!url.includes("/authorize?")) return url;
  return locationOf(await fetch(url, { redirect: "manual" }));
}

function locationOf(response: Response): string {
  return response.headers.get("location") ?? "";
}
