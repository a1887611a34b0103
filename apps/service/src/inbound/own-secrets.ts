import type { SecretSource } from "../audit/audit.ts";
import type { Sealer } from "../kernel/kernel.ts";
import { secretPlace, tokenPlace } from "./source.ts";
import { sourceSecrets } from "./sources.store.ts";

/** What sources keep that nobody else is to read: the tokens of their URLs, and what senders sign with. */
export function sourceSecretSource(sealer: Sealer): SecretSource {
  return async (reader, home) =>
    (await sourceSecrets(reader, home)).flatMap(({ id, token_sealed, secret_sealed, previous_secret_sealed }) => {
      const sealed = previous_secret_sealed === null ? [secret_sealed] : [secret_sealed, previous_secret_sealed];
      return [sealer.open(token_sealed, tokenPlace(id)), ...sealed.map((one) => sealer.open(one, secretPlace(id)))];
    });
}
