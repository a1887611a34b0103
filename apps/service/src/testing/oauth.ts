import { createHash } from "node:crypto";
import { randomText } from "../lib/lib.ts";
import type { TestPerson } from "./people.ts";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

export const CALLBACK = "http://127.0.0.1:7777/callback";

/** Registers an app. Returns its client id. */
export async function registerApp(service: TestService, metadata: Record<string, unknown> = {}): Promise<string> {
  const answer = await post(service, "/oauth/register", {
    client_name: "Test app",
    redirect_uris: [CALLBACK],
    ...metadata,
  });
  if (answer.status !== 201) throw new Error(`not registered: ${answer.text}`);
  return answer.body["client_id"];
}

/** One app of each service, because the registrations of an address are limited. */
const shared = new WeakMap<TestService, Promise<string>>();

async function sharedApp(service: TestService): Promise<string> {
  const known = shared.get(service) ?? registerApp(service);
  shared.set(service, known);
  return await known;
}

/** An authorization request, with the verifier of its challenge. */
export interface TestRequest {
  readonly verifier: string;
  readonly parameters: Record<string, string>;
}

export async function authorizationRequest(
  service: TestService,
  change: Record<string, string> = {},
): Promise<TestRequest> {
  const verifier = randomText(64);
  return {
    verifier,
    parameters: {
      client_id: change["client_id"] ?? (await sharedApp(service)),
      redirect_uri: CALLBACK,
      response_type: "code",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: `${service.baseUrl}/mcp`,
      state: "a state",
      ...change,
    },
  };
}

/** A code that a member's consent gave to an app. */
export interface TestCode extends TestRequest {
  readonly code: string;
  readonly keyId: string;
}

/** Connects an app as a person. */
export async function consent(
  service: TestService,
  person: TestPerson,
  change: Record<string, string> = {},
  environment = "live",
): Promise<TestCode> {
  const request = await authorizationRequest(service, change);
  const headers = { "X-Service-Environment": environment };
  const answer = await person.call("POST", "/v1/connected-apps", request.parameters, headers);
  if (answer.status !== 201) throw new Error(`not connected: ${answer.text}`);
  const code = new URL(answer.body["redirect_url"]).searchParams.get("code") ?? "";
  return { ...request, code, keyId: answer.body["id"] };
}

export function codeForm({ code, verifier, parameters }: TestCode): Record<string, string> {
  return {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    client_id: parameters["client_id"] ?? "",
    redirect_uri: parameters["redirect_uri"] ?? "",
    resource: parameters["resource"] ?? "",
  };
}

export interface TestTokens {
  readonly access: string;
  readonly refresh: string;
  readonly clientId: string;
  readonly keyId: string;
  /** The response. */
  readonly body: Parsed;
}

/** Connects an app as a person, and fetches its tokens. */
export async function connected(
  service: TestService,
  person: TestPerson,
  change: Record<string, string> = {},
  environment = "live",
): Promise<TestTokens> {
  const code = await consent(service, person, change, environment);
  const answer = await token(service, codeForm(code));
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.text}`);
  const { access_token: access, refresh_token: next } = answer.body;
  return { access, refresh: next, keyId: code.keyId, clientId: code.parameters["client_id"] ?? "", body: answer.body };
}

export async function token(service: TestService, form: Record<string, string>): Promise<ApiAnswer> {
  return await post(service, "/oauth/token", new URLSearchParams(form));
}

export async function refresh(
  service: TestService,
  { refresh: text, clientId }: TestTokens,
  more = {},
): Promise<ApiAnswer> {
  return await token(service, { grant_type: "refresh_token", refresh_token: text, client_id: clientId, ...more });
}

/** Sends a form or JSON, without a credential. */
export async function post(
  service: TestService,
  path: string,
  body: URLSearchParams | Record<string, unknown>,
): Promise<ApiAnswer> {
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  const response = await fetch(service.baseUrl + path, {
    method: "POST",
    headers: { "Content-Type": type },
    body: isForm ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? {} : JSON.parse(text) };
}
