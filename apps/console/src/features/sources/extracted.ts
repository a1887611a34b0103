import type { wire } from "../../api/api.ts";

/** The values that a mapping reads, in the order in which people look for them. */
export const EXTRACTED = [
  ["contact_email", "E-mail"],
  ["contact_name", "Name"],
  ["event_type", "Event type"],
  ["idempotency_key", "Sender's event ID"],
  ["value", "Value"],
  ["currency", "Currency"],
  ["summary", "Summary"],
] as const;

/** Returns the extracted values as texts; a missing value is null. */
export function fieldsOf(extracted: wire.ReceiptFields): { readonly label: string; readonly text: string | null }[] {
  return EXTRACTED.map(([name, label]) => {
    const value = extracted[name] ?? null;
    return { label, text: value === null ? null : typeof value === "string" ? value : JSON.stringify(value) };
  });
}
