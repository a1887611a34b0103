import type { SecretHome } from "../../audit/audit.ts";
import type { HotReader } from "../../platform/db/db.ts";
import type { SealedValue } from "../../lib/lib.ts";
import { secretPlace, tokenPlace } from "./source.ts";
import { sourceSecrets } from "./sources.store.ts";

/** Returns the secrets of sources: the tokens of their URLs, and the signing secrets of senders. */
export async function sourceSecretSource(reader: HotReader, home: SecretHome): Promise<SealedValue[]> {
  return (await sourceSecrets(reader, home)).flatMap(({ id, token_sealed, secret_sealed, previous_secret_sealed }) => {
    const sealed = previous_secret_sealed === null ? [secret_sealed] : [secret_sealed, previous_secret_sealed];
    return [
      { sealed: token_sealed, place: tokenPlace(id) },
      ...sealed.map((one) => ({ sealed: one, place: secretPlace(id) })),
    ];
  });
}
