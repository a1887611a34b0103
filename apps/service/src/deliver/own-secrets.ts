import { isSecretName } from "../audit/audit.ts";
import type { SecretSource } from "../audit/audit.ts";
import type { Sealer } from "../kernel/kernel.ts";
import { channelPlace } from "./channels.ts";
import { channelSecrets } from "./channels.store.ts";
import { endpointSecrets } from "./endpoints.store.ts";
import { secretPlace } from "./targets.ts";

/** Shorter values of headers that are not named after a secret stand in other texts as well. */
const LONG_VALUE = 20;

/** What endpoints and channels keep that nobody else is to read: signing secrets, and credentials in headers. */
export function endpointSecretSource(sealer: Sealer): SecretSource {
  const opened = ({ secret_sealed: now, previous_secret_sealed: before }: Sealed, place: string): string[] =>
    [now, before].filter((sealed) => sealed !== null).map((sealed) => sealer.open(sealed, place));
  return async (reader, home) => {
    const endpoints = await endpointSecrets(reader, home);
    const channels = await channelSecrets(reader, home.workspaceId);
    return [
      ...endpoints.flatMap((row) => [...opened(row, secretPlace(row.id)), ...credentialsIn(row.headers)]),
      ...channels.flatMap((row) => opened(row, channelPlace({ owner: row.owner, id: row.id }))),
    ];
  };
}

interface Sealed {
  readonly secret_sealed: Buffer | null;
  readonly previous_secret_sealed: Buffer | null;
}

function credentialsIn(headers: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (typeof value !== "string" || (!isSecretName(name) && value.length < LONG_VALUE)) return [];
    // `Bearer abc`: the second word is the secret.
    return [value, ...value.split(" ").slice(1)];
  });
}
