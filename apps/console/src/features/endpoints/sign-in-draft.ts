import type { wire } from "../../api/api.ts";

export type Auth = NonNullable<wire.WebhookEndpoint["auth"]>;
export type AuthType = Auth["type"] | "none";
type Family = wire.WebhookEndpoint["signatures"][number];

/** How an endpoint signs in, signs and retries, as it is being written. */
export interface SignInDraft {
  readonly type: AuthType;
  readonly secret: string;
  readonly place: "header" | "query";
  readonly name: string;
  readonly username: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
  readonly audience: string;
  readonly certificate: string;
  readonly keySecret: string;
  readonly signatures: readonly Family[];
  /** Waits such as `60s, 5m, 2h`; empty for those of the installation. */
  readonly waits: string;
}

export const AUTH_TYPES: readonly { readonly value: AuthType; readonly label: string }[] = [
  { value: "none", label: "None" },
  { value: "bearer", label: "Bearer token" },
  { value: "basic", label: "User name and password" },
  { value: "api_key", label: "API key" },
  { value: "oauth2_client_credentials", label: "OAuth 2.0 client credentials" },
  { value: "mtls", label: "Client certificate (mTLS)" },
];

const EMPTY = {
  type: "none",
  secret_ref: "",
  in: "header",
  name: "",
  username: "",
  token_url: "",
  client_id: "",
  scope: "",
  audience: "",
  certificate: "",
  key_secret_ref: "",
} as const;

export function signInDraftOf({ auth, signatures, retry_schedule: waits }: wire.WebhookEndpoint): SignInDraft {
  const known = { ...EMPTY, ...auth };
  return {
    type: known.type,
    secret: known.secret_ref,
    place: known.in === "query" ? "query" : "header",
    name: auth?.header ?? known.name,
    username: known.username,
    tokenUrl: known.token_url,
    clientId: known.client_id,
    scope: known.scope,
    audience: known.audience,
    certificate: known.certificate,
    keySecret: known.key_secret_ref,
    signatures,
    waits: (waits ?? []).map(waitText).join(", "),
  };
}

export function authOf(draft: SignInDraft): Auth | null {
  const { type, secret: secret_ref } = draft;
  switch (type) {
    case "none":
      return null;
    case "api_key":
      return { type, secret_ref, in: draft.place, ...(draft.name === "" ? {} : { name: draft.name }) };
    case "basic":
      return { type, secret_ref, ...(draft.username === "" ? {} : { username: draft.username }) };
    case "oauth2_client_credentials":
      return {
        type,
        secret_ref,
        token_url: draft.tokenUrl,
        client_id: draft.clientId,
        ...(draft.scope === "" ? {} : { scope: draft.scope }),
        ...(draft.audience === "" ? {} : { audience: draft.audience }),
      };
    case "mtls":
      return { type, certificate: draft.certificate, key_secret_ref: draft.keySecret };
    default:
      return { type, secret_ref };
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Reads waits. An invalid text becomes 0, which the service refuses with a message. */
export function waitsOf(text: string): number[] | null {
  const parts = text.split(/[,\s]+/).filter((part) => part !== "");
  return parts.length === 0 ? null : parts.map(secondsOf);
}

function secondsOf(text: string): number {
  const [, digits, unit = "s"] = /^(\d{1,6})([smh])?$/.exec(text) ?? [];
  return digits === undefined ? 0 : Number(digits) * (UNITS[unit] ?? 1);
}

function waitText(seconds: number): string {
  const unit = seconds % 3600 === 0 ? "h" : seconds % 60 === 0 ? "m" : "s";
  return `${seconds / (UNITS[unit] ?? 1)}${unit}`;
}

/** The member of the error of a test, as the hop that failed. */
const HOPS: Readonly<Record<string, string>> = {
  auth: "Sign-in",
  proxy: "Egress proxy",
  dns: "Host name",
  connect: "Connection",
  tls: "TLS",
  timeout: "Response",
  reset: "Connection",
  protocol: "Response",
  target_refused: "URL",
  transform: "Transformation",
};

/** Returns the outcome of a connection test: which part failed, and why. */
export function outcomeOf({ response, error }: Pick<wire.WebhookTest, "response" | "error">): {
  readonly isGood: boolean;
  readonly text: string;
} {
  if (error !== null) return { isGood: false, text: `${HOPS[error.class] ?? "Request"}: ${error.detail}` };
  const status = response?.status ?? 0;
  const isGood = status >= 200 && status < 300;
  if (isGood) return { isGood, text: `The receiver answered ${status}.` };
  return {
    isGood,
    text: `Receiver: it answered ${status}${status === 401 || status === 403 ? ", so it did not accept the sign-in" : ""}.`,
  };
}
