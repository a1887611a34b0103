import { isSecretName } from "../../audit/audit.ts";
import type { AddedSecrets, SecretSource } from "../../audit/audit.ts";
import { resultOf } from "../../lib/lib.ts";
import type { SealedValue, Sealer } from "../../lib/lib.ts";
import { channelPlace } from "./signing-channels.ts";
import { channelSecrets } from "./signing-channels.store.ts";
import { addedEndpoints, endpointSecrets } from "./endpoint-secrets.store.ts";
import type { SecretsRow } from "./endpoint-secrets.store.ts";
import { headersPlace, openHeaders } from "../requests/header-values.ts";
import type { HeaderValues, KeptHeaders } from "../requests/header-values.ts";
import { keyPlace } from "./signature-families.ts";
import { secretPlace } from "./targets.ts";

/**
 * The length from which a header value is redacted even if its name is not that of a secret. Shorter values also appear
 * in unrelated texts.
 */
const LONG_VALUE = 20;

/** Returns the sources of the secrets that endpoints and channels keep: signing secrets, and credentials in headers. */
export function endpointSecretSources(sealer: Sealer): {
  readonly secrets: SecretSource;
  readonly addedSecrets: AddedSecrets;
} {
  return {
    async secrets(reader, home) {
      const endpoints = await endpointSecrets(reader, home);
      const channels = await channelSecrets(reader, home.workspaceId);
      return [
        ...endpoints.flatMap((row) => secretsOfRow(sealer, row)),
        ...channels.flatMap((row) => sealedIn(row, channelPlace({ owner: row.owner, id: row.id }))),
      ];
    },
    async addedSecrets(reader, home, since) {
      const { changes, rows } = await addedEndpoints(reader, home, since);
      return { changes, added: rows.map((row) => ({ id: row.id, secrets: secretsOfRow(sealer, row) })) };
    },
  };
}

function secretsOfRow(sealer: Sealer, row: SecretsRow): (string | SealedValue)[] {
  return [
    ...sealedIn(row, secretPlace(row.id)),
    ...sealedIn(keysOf(row), keyPlace(row.id)),
    ...headersOfRow(sealer, row),
  ];
}

function sealedIn({ secret_sealed: now, previous_secret_sealed: before }: Sealed, place: string): SealedValue[] {
  return [now, before].filter((sealed) => sealed !== null).map((sealed) => ({ sealed, place }));
}

function keysOf(row: {
  readonly ed25519_sealed: Buffer | null;
  readonly previous_ed25519_sealed: Buffer | null;
}): Sealed {
  return { secret_sealed: row.ed25519_sealed, previous_secret_sealed: row.previous_ed25519_sealed };
}

interface Sealed {
  readonly secret_sealed: Buffer | null;
  readonly previous_secret_sealed: Buffer | null;
}

/** Returns the credentials of a row. Headers that cannot be opened cannot be shown either, so they are skipped. */
function headersOfRow(sealer: Sealer, row: KeptHeaders & { readonly id: string }): string[] {
  const values = resultOf(() => openHeaders(sealer, headersPlace(row.id), row));
  return values instanceof Error ? [] : credentialsIn(values);
}

/** Returns the parts of header values that are redacted everywhere. */
export function credentialsIn(headers: HeaderValues): string[] {
  return [...headers].flatMap(([name, hidden]) => {
    const value = hidden.reveal();
    if (!isSecretName(name) && value.length < LONG_VALUE) return [];
    // The second word of `Bearer abc` is the secret.
    return [value, ...value.split(" ").slice(1)];
  });
}
