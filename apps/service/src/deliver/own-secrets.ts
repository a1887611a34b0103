import { isSecretName } from "../audit/audit.ts";
import type { SecretSource } from "../audit/audit.ts";
import type { Sealer } from "../kernel/kernel.ts";
import { endpointSecrets } from "./endpoints.store.ts";
import { secretPlace } from "./targets.ts";

/** Shorter values of headers that are not named after a secret stand in other texts as well. */
const LONG_VALUE = 20;

/** What endpoints keep that nobody else is to read: signing secrets, and credentials in headers. */
export function endpointSecretSource(sealer: Sealer): SecretSource {
  return async (reader, home) =>
    (await endpointSecrets(reader, home)).flatMap(({ id, secret_sealed, previous_secret_sealed, headers }) => {
      const sealed = previous_secret_sealed === null ? [secret_sealed] : [secret_sealed, previous_secret_sealed];
      return [...sealed.map((one) => sealer.open(one, secretPlace(id))), ...credentialsIn(headers)];
    });
}

function credentialsIn(headers: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (typeof value !== "string" || (!isSecretName(name) && value.length < LONG_VALUE)) return [];
    // `Bearer abc`: the second word is the secret.
    return [value, ...value.split(" ").slice(1)];
  });
}
