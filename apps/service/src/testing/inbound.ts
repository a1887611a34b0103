import { createHmac } from "node:crypto";
import { sendRaw } from "./raw-http.ts";
import type { RawAnswer } from "./raw-http.ts";
import type { Parsed, TestService } from "./test-service.ts";

export interface TestSource {
  readonly id: string;
  /** The path and query of its URL. */
  readonly target: string;
  readonly secret: string;
  /** The response to its creation. */
  readonly shown: Parsed;
  /** Sends these bytes with a valid signature of the source, and with these headers. */
  send(body: string | Uint8Array, headers?: Record<string, string | string[]>): Promise<RawAnswer>;
  /** Sends these bytes with these headers only. */
  sendAs(headers: Record<string, string | string[]>, body: string | Uint8Array): Promise<RawAnswer>;
  receipt(id: string): Promise<Parsed>;
  /** Returns its receipts, newest first. */
  receipts(filter?: string): Promise<Parsed[]>;
}

/** A mapping for the bodies of `inboundBody`. */
export const MAPPING = {
  contact: "required",
  contact_email_path: "$.email",
  event_type_path: "$.type",
  idempotency_key_path: "$.id",
  contact_name_path: "$.name",
  value_path: "$.amount",
  summary_path: "$.text",
};

let bodies = 0;

/** Returns a body for `MAPPING` with a new id and address. */
export function inboundBody(more: Record<string, unknown> = {}): string {
  bodies += 1;
  return JSON.stringify({
    id: `in_${bodies}`,
    type: "thing.done",
    email: `person-${bodies}@example.com`,
    name: "Ada Lovelace",
    amount: 12.5,
    text: "Did a thing",
    ...more,
  });
}

export function hexMac(secret: string, body: string | Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

export async function makeSource(
  service: TestService,
  fields: Record<string, unknown> = MAPPING,
  key: string = service.key,
): Promise<TestSource> {
  const made = await service.api("POST", "/v1/inbound-endpoints", fields, { key });
  if (made.status !== 201) throw new Error(`no source: ${made.text}`);
  const { id, url, secret } = made.body as { id: string; url: string; secret: string };
  const target = url.slice(new URL(url).origin.length);
  const read = async (path: string): Promise<Parsed> => (await service.api("GET", path, undefined, { key })).body;
  const sendAs: TestSource["sendAs"] = async (headers, body) =>
    await sendRaw(service.baseUrl, {
      method: "POST",
      path: target,
      headers: { "Content-Type": "application/json", ...headers },
      body,
    });
  return {
    id,
    target,
    secret,
    shown: made.body,
    send: async (body, headers = {}) =>
      await sendAs({ "X-Service-Inbound-Signature": hexMac(secret, body), ...headers }, body),
    sendAs,
    receipt: async (receiptId) => await read(`/v1/inbound-receipts/${receiptId}`),
    receipts: async (filter = "") => (await read(`/v1/inbound-receipts?source_id=${id}&limit=100${filter}`)).data,
  };
}
