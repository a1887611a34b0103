import { isSecretName } from "../../audit/audit.ts";
import type { SecretSource } from "../../audit/audit.ts";
import { resultOf } from "../../lib/lib.ts";
import type { SealedValue, Sealer } from "../../lib/lib.ts";
import { channelPlace } from "./signing-channels.ts";
import { channelSecrets } from "./signing-channels.store.ts";
import { endpointSecrets } from "./endpoints.store.ts";
import { headersPlace, openHeaders } from "./header-values.ts";
import type { HeaderValues, KeptHeaders } from "./header-values.ts";
import { secretPlace } from "./targets.ts";

/** Shorter values of headers that are not named after a secret stand in other texts as well. */
const LONG_VALUE = 20;

/** What endpoints and channels keep that nobody else is to read: signing secrets, and credentials in headers. */
export function endpointSecretSource(sealer: Sealer): SecretSource {
  return async (reader, home) => {
    const endpoints = await endpointSecrets(reader, home);
    const channels = await channelSecrets(reader, home.workspaceId);
    return [
      ...endpoints.flatMap((row) => [...sealedIn(row, secretPlace(row.id)), ...headersOfRow(sealer, row)]),
      ...channels.flatMap((row) => sealedIn(row, channelPlace({ owner: row.owner, id: row.id }))),
    ];
  };
}

function sealedIn({ secret_sealed: now, previous_secret_sealed: before }: Sealed, place: string): SealedValue[] {
  return [now, before].filter((sealed) => sealed !== null).map((sealed) => ({ sealed, place }));
}

interface Sealed {
  readonly secret_sealed: Buffer | null;
  readonly previous_secret_sealed: Buffer | null;
}

/** Headers that cannot be opened cannot be shown by anybody either; the secrets of others are redacted all the same. */
function headersOfRow(sealer: Sealer, row: KeptHeaders & { readonly id: string }): string[] {
  const values = resultOf(() => openHeaders(sealer, headersPlace(row.id), row));
  return values instanceof Error ? [] : credentialsIn(values);
}

/** What of the values of headers is redacted wherever it stands. */
export function credentialsIn(headers: HeaderValues): string[] {
  return [...headers].flatMap(([name, hidden]) => {
    const value = hidden.reveal();
    if (!isSecretName(name) && value.length < LONG_VALUE) return [];
    // `Bearer abc`: the second word is the secret.
    return [value, ...value.split(" ").slice(1)];
  });
}
