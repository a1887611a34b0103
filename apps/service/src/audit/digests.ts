import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { Db } from "../platform/db/db.ts";
import {
  after,
  canonicalJson,
  environmentOf,
  fromDate,
  instant,
  paginate,
  sealedColumn,
  timeText,
  toDate,
  toRfc3339,
  wireId,
} from "../lib/lib.ts";
import type { Clock, IdMaker, Page, Sealer, t } from "../lib/lib.ts";
import { scopeFields } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import * as store from "./digests.store.ts";
import type { SignEnd } from "./export.ts";
import type * as shapes from "./audit.schemas.ts";

/**
 * The end of a chain, signed for one hour. It is the end at the time of the signature, so it can include rows of the
 * time since the hour. The signature covers all other members.
 */
export type DigestView = t.Static<typeof shapes.DigestList>["data"][number];

export interface DigestPage extends Page<DigestView> {
  /** PEM. */
  readonly public_key: string;
}

export type Digests = ReturnType<typeof createDigests>;

export interface DigestsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
}

interface SigningKey {
  readonly publicKey: KeyObject;
  readonly pem: string;
  readonly sealed: Buffer;
}

export const HOUR_MS = 3_600_000;
const AT_ONCE = 500;
const PAGE = 200;
const PLACE = "audit:signing-key";
export const sealedByAudit = [
  sealedColumn({ table: "audit_signing_key", column: "private_sealed", by: [], place: () => PLACE }),
];

export function createDigests(deps: DigestsDeps) {
  const { db } = deps;
  let known: SigningKey | undefined;
  const signingKey = async (): Promise<SigningKey> => (known ??= await readSigningKey(deps));
  const privateOf = ({ sealed }: SigningKey): KeyObject => createPrivateKey(deps.sealer.open(sealed, PLACE).reveal());
  return {
    async list(scope: Scope, query: { limit?: number; cursor?: string }): Promise<DigestPage> {
      const page = await paginate(query, {
        binding: [scope.tag, "audit digests"],
        read: async (before, count) => await store.listDigests(db.query, scope, before, count),
        view: (row) => digestView(scope, row),
      });
      const { pem } = await signingKey();
      return { ...page, public_key: pem };
    },
    /** Returns the digests in chronological order, each with the validity of its signature. */
    async *all(scope: Scope): AsyncGenerator<{ readonly view: DigestView; readonly holds: boolean }> {
      const { publicKey } = await signingKey();
      for (let last: Date | undefined; ;) {
        const rows = await store.digestsAfter(db.query, scope, last, PAGE);
        for (const row of rows) {
          const view = digestView(scope, row);
          yield { view, holds: verify(null, signedText(view), publicKey, row.signature) };
        }
        last = rows.at(-1)?.hour;
        if (rows.length < PAGE) return;
      }
    },
    /**
     * Signs the ends of all chains with new rows, for the last full hour. Each chain and hour gets one digest, even if
     * several nodes sign.
     */
    async sign(): Promise<void> {
      const privateKey = privateOf(await signingKey());
      while ((await signSome(deps, privateKey)) === AT_ONCE);
    },
    /** Returns the function that signs the ends of exports. */
    async exportSigner(): Promise<SignEnd> {
      const key = await signingKey();
      const privateKey = privateOf(key);
      return (end) => {
        const signed = { ...end, at: toRfc3339(deps.clock.now()), public_key: key.pem };
        return { ...signed, signature: sign(null, Buffer.from(canonicalJson(signed)), privateKey).toString("base64") };
      };
    },
  };
}

async function signSome(deps: DigestsDeps, privateKey: KeyObject): Promise<number> {
  const now = deps.clock.now();
  const hour = toDate(instant(Math.floor(now / HOUR_MS) * HOUR_MS - HOUR_MS));
  const chains = await store.movedChains(deps.db.query, hour, AT_ONCE);
  const digests = chains.map((chain) => {
    const unsigned = { ...chain, hour, id: deps.ids.uuid(), signed_at: toDate(now), signature: Buffer.alloc(0) };
    const scope = { ...chain, workspaceId: chain.workspace_id, environment: environmentOf(chain.tag) };
    return { ...unsigned, signature: sign(null, signedText(digestView(scope, unsigned)), privateKey) };
  });
  if (digests.length > 0) await store.insertDigests(deps.db, digests);
  return chains.length;
}

function digestView(scope: Scope, row: store.DigestRow): DigestView {
  const at = timeText(row.signed_at);
  return {
    id: wireId("dig", scope.tag, row.id),
    object: "audit_digest",
    ...scopeFields(scope),
    seq: Number(row.seq),
    hash: row.hash.toString("hex"),
    from: timeText(row.hour),
    to: toRfc3339(after(fromDate(row.hour), HOUR_MS)),
    at,
    created_at: at,
    signature: row.signature.toString("base64"),
  };
}

function signedText({ signature: _signature, ...signed }: DigestView): Buffer {
  return Buffer.from(canonicalJson(signed));
}

/** Returns the installation's key pair. If several nodes create one at once, all use the one that is stored first. */
async function readSigningKey({ db, sealer }: DigestsDeps): Promise<SigningKey> {
  let row = await store.findSigningKey(db);
  if (row === undefined) {
    const pair = generateKeyPairSync("ed25519");
    const privatePem = pair.privateKey.export({ type: "pkcs8", format: "pem" });
    await store.insertSigningKey(db, {
      public_key: pair.publicKey.export({ type: "spki", format: "der" }),
      private_sealed: sealer.seal(privatePem, PLACE),
    });
    row = await store.findSigningKey(db);
  }
  if (row === undefined) throw new Error("the key that signs audit digests cannot be read");
  const publicKey = createPublicKey({ key: row.public_key, type: "spki", format: "der" });
  return { publicKey, pem: publicKey.export({ type: "spki", format: "pem" }), sealed: row.private_sealed };
}
