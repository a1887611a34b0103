import { hash } from "node:crypto";
import { bucketOf, parseId } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";

import { newestPublicKeys, publicKeysOfEndpoint } from "./public-keys.store.ts";

/** A public key of Ed25519 (RFC 8037). */
export interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly use: "sig";
  readonly alg: "EdDSA";
}

export type PublicKeys = ReturnType<typeof createPublicKeys>;

const MOST_KEYS = 1000;
/** The list is the same for everyone, so that many who ask at once cost one statement. */
const KEPT_MS = 2000;

export function createPublicKeys({ db, clock }: { readonly db: Db; readonly clock: Clock }) {
  let kept: { readonly untilMs: number; readonly keys: Promise<PublicJwk[]> } | undefined;

  function newest(): Promise<PublicJwk[]> {
    if (kept !== undefined && clock.monotonicMs() < kept.untilMs) return kept.keys;
    const keys = newestPublicKeys(db, MOST_KEYS).then((rows) => rows.map(({ key }) => jwkOf(key)));
    keys.catch(() => (kept = undefined));
    kept = { untilMs: clock.monotonicMs() + KEPT_MS, keys };
    return keys;
  }

  return {
    /** Returns the keys with which receivers verify `v1a` signatures: those of one endpoint, or of the newest 1000 keys. */
    async keySet(endpointId: string | null): Promise<{ readonly keys: PublicJwk[] }> {
      if (endpointId === null) return { keys: await newest() };
      const id = parseId(endpointId);
      if (id?.prefix !== "ep") return { keys: [] };
      const place = { bucket: bucketOf(id.tag), tag: id.tag, id: id.uuid };
      return { keys: (await publicKeysOfEndpoint(db, place)).map(({ key }) => jwkOf(key)) };
    },
  };
}

/** The id of a key is its thumbprint (RFC 7638), which names no endpoint. */
function jwkOf(x: string): PublicJwk {
  const kid = hash("sha256", JSON.stringify({ crv: "Ed25519", kty: "OKP", x }), "base64url");
  return { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" };
}
