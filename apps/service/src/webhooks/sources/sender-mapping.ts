import { readBody } from "./body.ts";
import { mapRequest } from "./map-request.ts";
import type { Mapped, Mapping, Unmapped } from "./mapping.ts";
import { EMPTY } from "./presets.ts";
import type { Sender } from "./senders.ts";
import { signedHeadersOf } from "./verifier.ts";

/** Returns the mapping of a new source of this sender. */
export function mappingOfSender({ mapping, contact, event_type_header, idempotency_key_header }: Sender): Mapping {
  return { ...EMPTY, ...mapping, contact, event_type_header, idempotency_key_header };
}

/** A rightly signed request of a sender. A body that is not a text is sent as JSON. */
export interface SenderRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Maps a request as a source of this sender does. Pure: nothing is verified, written or fired. */
export async function mapAsSender(sender: Sender, request: SenderRequest): Promise<readonly (Mapped | Unmapped)[]> {
  const headers = new Map(Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const header = (name: string): string | undefined => headers.get(name);
  const body = Buffer.from(typeof request.body === "string" ? request.body : JSON.stringify(request.body));
  const read = await readBody({ body, header, charset: null });
  const content = { body, read, header, tenant: null, isSigned: signedHeadersOf(sender.scheme) };
  const mapped = await mapRequest(mappingOfSender(sender), content);
  return mapped.kind === "list" ? mapped.items : [mapped];
}
