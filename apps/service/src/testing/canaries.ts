import type { TestService } from "./test-service.ts";

/** A refused request with a secret in the wrong place, which a caller might send by mistake or as a probe. */
interface Misplaced {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, which is sent as JSON unless it is a string. */
  readonly body?: unknown;
}

/** Returns requests that are refused, each with the secret in a different place. */
function misplaced(secret: string, key: string): readonly Misplaced[] {
  const bearer = { Authorization: `Bearer ${key}` };
  const query = encodeURIComponent(secret);
  const password = secret.padEnd(12, "x");
  return [
    { method: "POST", path: "/v1/auth/sign-in", body: { email: "who@example.com", password: secret } },
    { method: "POST", path: "/v1/auth/sign-in", body: { email: secret, password, totp_code: secret } },
    { method: "POST", path: "/v1/auth/reset", body: { token: `${secret}x`, password } },
    {
      method: "POST",
      path: "/v1/auth/setup",
      body: { token: `${secret}x`, email: "a@example.com", name: "A", password },
    },
    { method: "POST", path: "/v1/members/accept", body: { token: `${secret}x`, name: "A", password } },
    { method: "POST", path: "/v1/members/invitations/look-up", body: { token: `${secret}x` } },
    { method: "POST", path: `/api/v1/inbound.php?t=${query}x`, body: { secret } },
    { method: "GET", path: "/v1/me", headers: { Authorization: `Bearer ${secret}x` } },
    { method: "GET", path: "/v1/me", headers: { Authorization: `Basic ${secret}` } },
    { method: "GET", path: "/v1/me", headers: { Cookie: `__Host-junction=${secret}x; junction_session=${secret}x` } },
    { method: "GET", path: `/v1/keys?limit=${query}`, headers: bearer },
    { method: "GET", path: `/v1/events?cursor=${query}&event=${query}`, headers: bearer },
    { method: "POST", path: "/v1/events/fire", headers: bearer, body: `{"event": ${secret}` },
    { method: "POST", path: "/v1/events/fire", headers: bearer, body: { event: `not a name ${secret}`, data: {} } },
    { method: "POST", path: "/v1/keys", headers: bearer, body: { name: "k", permission_mode: secret } },
    { method: "POST", path: "/v1/keys", headers: bearer, body: { name: { secret }, permission_mode: "all" } },
    { method: "PUT", path: "/v1/secrets/misplaced", headers: bearer, body: { value: [secret] } },
    {
      method: "POST",
      path: "/v1/webhook-endpoints",
      headers: bearer,
      body: {
        url: `http://user:${query}@10.0.0.1/${query}`,
        events: ["*"],
        headers: { "bad name": secret, A: `${secret}\n` },
      },
    },
    { method: "POST", path: "/v1/events/fire", headers: { ...bearer, "Content-Type": `text/${query}` }, body: "x" },
    {
      method: "POST",
      path: "/v1/events/fire",
      headers: {
        ...bearer,
        "X-Service-Signature": `t=1,v1=${secret}`,
        "X-CSRF-Token": secret,
        "X-Service-Version": secret,
      },
      body: { event: "a..b", data: {} },
    },
    {
      method: "POST",
      path: "/mcp",
      headers: { Authorization: `Bearer ${secret}x` },
      body: { jsonrpc: "2.0", id: 1, method: secret },
    },
  ];
}

/** Returns requests with a key or token in their path: whole, shortened, encoded, or as an unknown name. */
function inPath(secret: string, key: string): readonly Misplaced[] {
  const bearer = { Authorization: `Bearer ${key}` };
  const text = encodeURIComponent(secret);
  const coded = [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join("");
  const body = { [secret]: 1 };
  return [
    { method: "GET", path: `/v1/keys/${text}`, headers: bearer },
    { method: "POST", path: `/v1/keys/${text}/roll`, headers: bearer, body: {} },
    { method: "GET", path: `/v1/keys/${coded}`, headers: bearer },
    { method: "GET", path: `/v1/keys/${text}%zz`, headers: bearer },
    { method: "GET", path: `/v1/nowhere/${text}/further` },
    { method: "DELETE", path: `/${text}` },
    { method: "GET", path: `/docs/${text}` },
    { method: "GET", path: `/assets/${text}` },
    { method: "PUT", path: `/inbox/${text}` },
    { method: "POST", path: `/v1/connectors/crm/webhook/${text}`, body: {} },
    { method: "GET", path: `/v1/proposals/${text}`, headers: bearer },
    { method: "POST", path: `/v1/proposals/${text}/approve`, headers: bearer, body: { params_hash: "x" } },
    { method: "POST", path: `/v1/runs/${text}/undo`, headers: bearer },
    { method: "GET", path: `/v1/event-types/${text}`, headers: bearer },
    { method: "GET", path: `/v1/keys?${text}=1`, headers: bearer },
    { method: "POST", path: `/v1/events/fire?${text}`, headers: bearer, body },
    { method: "POST", path: "/v1/keys", headers: bearer, body },
    { method: "POST", path: "/api/v1.php", headers: bearer, body: { action: "keys.list", ...body } },
  ];
}

/** Matches keys and tokens, but not passwords, which look like any other word. */
const KEY_LIKE = /^[\w+/=]{24,}$/;

/** Sends all requests to this node. Returns the headers and body of each response. */
export async function refusals(at: Pick<TestService, "baseUrl" | "key">, secret: string): Promise<string[]> {
  return await Promise.all(
    [...misplaced(secret, at.key), ...(KEY_LIKE.test(secret) ? inPath(secret, at.key) : [])].map(
      async ({ method, path, headers = {}, body }) => {
        const response = await fetch(at.baseUrl + path, {
          method,
          headers: { "Content-Type": "application/json", ...headers },
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        });
        const text = await response.text();
        if (response.status < 400) throw new Error(`${method} ${path} was not refused: ${response.status} ${text}`);
        return `${JSON.stringify([...response.headers])} ${text}`;
      },
    ),
  );
}
