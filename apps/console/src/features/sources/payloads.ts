import { useQueries, useQuery } from "@tanstack/react-query";
import { call, read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { mappedHeaders } from "./mapping.ts";
import { isHandshake, receiptTitle } from "./receipt-states.tsx";

/** The body of a receipt as received, and its headers by lower-case name. */
export interface Payload {
  readonly id: string;
  readonly label: string;
  /** The body as text, or in base64. */
  readonly text: string;
  readonly isBase64: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the bodies of the last receipts. Requests that checked the URL are left out. */
export function usePayloads(receipts: readonly wire.InboundReceipt[]): Payload[] {
  const details = useQueries({
    queries: receipts
      .filter((receipt) => !isHandshake(receipt))
      .map(({ id }) => ({ ...read("inbound_receipts.get", { path: { id } }), staleTime: Infinity })),
  });
  return details.flatMap(({ data }) => {
    if (data === undefined) return [];
    const label = `${receiptTitle(data)}, ${new Date(data.created_at).toLocaleString()}`;
    const isBase64 = data.raw_payload_encoding === "base64";
    return [{ id: data.id, label, text: data.raw_payload, isBase64, headers: data.headers }];
  });
}

/** Returns what a preview reads: the bytes as they were received. */
export function trialOf(
  { text, isBase64, headers }: Payload,
  mapping: Parameters<typeof mappedHeaders>[1],
): wire.InboundTrial {
  return { ...(isBase64 ? { body_base64: text } : { payload: text }), headers: mappedHeaders(headers, mapping) };
}

/**
 * Returns a body as the JSON text in which paths are read: a form or XML as the service reads it. JSON is returned as
 * received, so that its numbers keep their digits. Returns the body itself while it is read, and if it cannot be read.
 */
export function useReadText(source: wire.InboundEndpoint, payload: Payload | undefined): string {
  const { id = "", text = "" } = payload ?? {};
  const { data } = useQuery({
    queryKey: ["inbound_endpoints.preview", { id, source: source.id, reads: true }],
    queryFn: async ({ signal }) =>
      await call(
        "inbound_endpoints.preview",
        { path: { id: source.id }, body: payload === undefined ? {} : trialOf(payload, source) },
        { signal, exact: true },
      ),
    enabled: payload !== undefined && !looksLikeJson(text),
    // Structural sharing would turn exact numbers into plain objects.
    structuralSharing: false,
    staleTime: Infinity,
  });
  return data === undefined || data.payload === null ? text : JSON.stringify(data.payload);
}

/** The service reads such a body as JSON, with any content type. */
function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
