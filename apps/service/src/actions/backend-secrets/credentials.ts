import type { Hidden } from "../../lib/lib.ts";

/** How a secret proves who sends a request. */
export interface Proof {
  readonly type: string;
  /** The header of an API key. */
  readonly header?: string | null;
}

/** Returns the header that contains the secret; none for types that send no secret. */
export function authHeaders({ type, header }: Proof, secret: Hidden): Record<string, string> {
  if (type === "bearer") return { Authorization: `Bearer ${secret.reveal()}` };
  if (type === "basic") return { Authorization: `Basic ${base64(secret.reveal())}` };
  return type === "api_key" && typeof header === "string" ? { [header]: secret.reveal() } : {};
}

/** Returns the texts in which a response could repeat the secret. */
export function secretForms({ type }: Proof, secret: Hidden): string[] {
  const text = secret.reveal();
  return type === "basic" ? [text, base64(text), text.slice(text.indexOf(":") + 1)] : [text];
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
