import type { wire } from "../../api/api.ts";

/** How an endpoint signs in, signs and retries, while it is edited. */
export interface SignInDraft extends Pick<wire.WebhookEndpoint, "signatures"> {
  /** The type `none` stands for null. Members of other types are kept while the type changes. */
  readonly auth: wire.WebhookEndpointAuth;
  /** Waits such as `60s, 5m, 2h`; empty for those of the installation. */
  readonly waits: string;
}

export const AUTH_TYPES = [
  { value: "none", label: "None" },
  { value: "bearer", label: "Bearer token" },
  { value: "basic", label: "User name and password" },
  { value: "api_key", label: "API key" },
  { value: "oauth2_client_credentials", label: "OAuth 2.0 client credentials" },
  { value: "mtls", label: "Client certificate (mTLS)" },
];

type Member = Exclude<keyof wire.WebhookEndpointAuth, "type">;

/** The members of each type that are always sent, and those that can be left out. */
const MEMBERS: Readonly<
  Record<string, { readonly required: readonly Member[]; readonly optional?: readonly Member[] }>
> = {
  basic: { required: ["secret_ref"], optional: ["username"] },
  api_key: { required: ["secret_ref", "in"], optional: ["name"] },
  oauth2_client_credentials: {
    required: ["secret_ref", "token_url", "client_id"],
    optional: ["scope", "audience"],
  },
  mtls: { required: ["certificate", "key_secret_ref"] },
};

export function signInDraftOf({ auth, signatures, retry_schedule: waits }: wire.WebhookEndpoint): SignInDraft {
  const { header: name, ...known } = auth ?? { type: "none" };
  return {
    auth: { in: "header", ...known, ...(name === undefined ? {} : { name }) },
    signatures,
    waits: (waits ?? []).map(waitText).join(", "),
  };
}

export function authOf(auth: wire.WebhookEndpointAuth): wire.WebhookEndpointAuth | null {
  const { type } = auth;
  if (type === "none") return null;
  const { required, optional = [] } = MEMBERS[type] ?? { required: ["secret_ref"] };
  const written = optional.filter((name) => (auth[name] ?? "") !== "");
  return { type, ...Object.fromEntries([...required, ...written].map((name) => [name, auth[name] ?? ""])) };
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
