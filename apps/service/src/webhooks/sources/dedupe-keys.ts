import { readPath, sha256 } from "../../lib/lib.ts";
import { isRead } from "./body.ts";
import type { ReadBody } from "./body.ts";
import { textAt } from "./placeholders.ts";
import type { Header } from "./placeholders.ts";
import type { HmacScheme, KeyScheme, Scheme } from "./scheme.ts";

/** The settings of a source that say how a sender names its events. */
interface Naming {
  readonly event_type_header: string | null;
  readonly idempotency_key_header: string | null;
  readonly idempotency_key_path: string | null;
  readonly dedupe_by_body: boolean;
}

interface Proved {
  readonly body: Uint8Array;
  readonly read: ReadBody;
  readonly header: Header;
  readonly scheme: Scheme;
}

/**
 * Returns the deduplication keys, what is signed first. An event without the id that its sender promised is identified by its bytes: accepted as new each
 * time, a sender's retries would create duplicates; refused, it would be lost. So is one whose id or type its sender did not sign, since
 * who recorded a request can change them, and a token that says nothing of the body counts once (contract, section 13).
 */
export function dedupeKeysOf(mapping: Naming, key: string | null, content: Proved): Buffer[] {
  const { body, scheme } = content;
  const isPromised = mapping.idempotency_key_path !== null || mapping.idempotency_key_header !== null;
  const isUnsigned = [mapping.idempotency_key_header, mapping.event_type_header].some(
    (name) => name !== null && !signsHeader(scheme, name),
  );
  const byBody = isUnsigned || (key === null && (mapping.dedupe_by_body || isPromised));
  const token = onceOnly(scheme, content);
  return [
    ...(byBody ? [sha256(Buffer.concat([Buffer.from("body\n"), body]))] : []),
    ...(token === undefined ? [] : [sha256(`token\n${token}`)]),
    ...(key === null ? [] : [sha256(`key\n${key}`)]),
  ];
}

/** Returns the proof of a request that says nothing of the body; undefined if it does. A stored receipt is without its token. */
function onceOnly(scheme: Scheme, { read, header }: Proved): string | undefined {
  if (scheme.kind === "jwt") return scheme.body_hash === undefined ? header(scheme.header.toLowerCase()) : undefined;
  if (!isSigned(scheme) || coversBody(scheme)) return undefined;
  if (scheme.header !== undefined) return header(scheme.header.toLowerCase());
  return isRead(read) ? textAt(read, readPath(scheme.signature_path ?? "")?.steps ?? []) : undefined;
}

function isSigned(scheme: Scheme): scheme is HmacScheme | KeyScheme {
  return scheme.kind === "hmac" || scheme.kind === "ed25519" || scheme.kind === "ecdsa_p256";
}

function coversBody(scheme: HmacScheme | KeyScheme): boolean {
  if (scheme.kind === "hmac" && scheme.body_hash !== undefined) return true;
  return /\{(?:body|form)\}/.test(scheme.signed ?? "{body}");
}

/** Returns true if the signature of a request covers a header. */
function signsHeader(scheme: Scheme, name: string): boolean {
  if (!isSigned(scheme)) return false;
  const signed = (scheme.signed ?? "").toLowerCase();
  const wanted = name.toLowerCase();
  return (
    signed.includes(`{header:${wanted}}`) || (signed.includes("{id}") && scheme.id_header?.toLowerCase() === wanted)
  );
}
