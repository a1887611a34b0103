import type { TestService } from "./service.ts";

/** What a caller may send by mistake, or to see what comes back: a secret where it does not belong. */
interface Misplaced {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As it is sent; JSON unless it is text. */
  readonly body?: unknown;
}

/** Requests that are refused, each with the secret in another place of it. */
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

/** Sends all of them to this node, and answers what it said: headers and body, without the path that a problem repeats. */
export async function refusals(at: Pick<TestService, "baseUrl" | "key">, secret: string): Promise<string[]> {
  return await Promise.all(
    misplaced(secret, at.key).map(async ({ method, path, headers = {}, body }) => {
      const response = await fetch(at.baseUrl + path, {
        method,
        headers: { "Content-Type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status < 400) throw new Error(`${method} ${path} was not refused: ${response.status} ${text}`);
      return `${JSON.stringify([...response.headers])} ${text}`;
    }),
  );
}
