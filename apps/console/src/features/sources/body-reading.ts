import type { wire } from "../../api/api.ts";

const KINDS: Readonly<Record<string, string>> = {
  empty: "Empty",
  json: "JSON",
  form: "Form",
  multipart: "Multipart form",
  xml: "XML",
  text: "Text",
};

/** Returns how a body was read, as facts of its receipt or preview. What was not found out is left out. */
export function readingRows(
  read: wire.InboundReceipt["read"],
): readonly { readonly label: string; readonly value: string }[] {
  const { kind = null, content_type: type = null, coding = null, charset = null } = read ?? {};
  const rows = [
    { label: "Read as", value: kind === null ? null : (KINDS[kind] ?? kind) },
    { label: "Content type", value: type },
    { label: "Compression", value: coding },
    { label: "Character set", value: charset },
  ];
  return rows.flatMap(({ label, value }) => (value === null ? [] : [{ label, value }]));
}

/** Returns what an event is compared by to find duplicates. */
export function comparedWords(by: readonly string[]): string {
  if (by.length === 0) return "Nothing: every request is new";
  return by.map((name) => (name === "id" ? "the sender's event ID" : "the body")).join(" and ");
}
