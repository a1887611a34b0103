import { useQueries } from "@tanstack/react-query";
import { call, read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";

/** The body of a receipt. */
export interface Payload {
  readonly id: string;
  readonly label: string;
  /** The body as it was sent. */
  readonly raw: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as a mapping reads it: JSON, if it can be read. */
  readonly text: string;
}

/** Returns the bodies of the last receipts. Bodies that are not text are left out. */
export function usePayloads(sourceId: string, receipts: readonly wire.InboundReceipt[]): Payload[] {
  const details = useQueries({
    queries: receipts.map(({ id }) => ({ ...read("inbound_receipts.get", { path: { id } }), staleTime: Infinity })),
  });
  const received = details.flatMap(({ data }) =>
    data === undefined || data.raw_payload_encoding === "base64" ? [] : [data],
  );
  // Forms and XML are mapped as the JSON that the service makes of them.
  const converted = useQueries({
    queries: received.map(({ id, raw_payload: payload, headers }) => ({
      queryKey: ["inbound_endpoints.preview", { id, source: sourceId, as: "json" }],
      queryFn: async () =>
        await call("inbound_endpoints.preview", { path: { id: sourceId }, body: { payload, headers } }),
      enabled: !isJson(payload),
      retry: false,
      staleTime: Infinity,
    })),
  });
  return received.map(({ id, event_type: type, created_at: at, raw_payload: raw, headers }, index) => {
    const payload = converted[index]?.data?.payload;
    return {
      id,
      label: `${type ?? "Unknown event type"}, ${new Date(at).toLocaleString()}`,
      raw,
      headers,
      text: payload === undefined || payload === null ? raw : JSON.stringify(payload),
    };
  });
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
