import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { fromDate, t } from "../../lib/lib.ts";
import type { Instant, Sealer } from "../../lib/lib.ts";
import type { EndpointRow } from "./endpoints.store.ts";

const FAMILIES = ["service", "standard", "ed25519"] as const;
export type SignatureFamily = (typeof FAMILIES)[number];

const DEFAULT: readonly SignatureFamily[] = ["service", "standard"];
const EXAMPLE_KEY = "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

/** The families of signatures of an endpoint's requests. */
export const SignaturesView = t.Array(
  t.OneOf(
    FAMILIES,
    "`service`: `X-Service-Signature` and the body's `signature`. `standard`: `v1` in `webhook-signature`. `ed25519`: `v1a` in `webhook-signature`, which receivers verify with `public_key`.",
  ),
  {
    minItems: 1,
    maxItems: FAMILIES.length,
    uniqueItems: true,
    default: [...DEFAULT],
    examples: [[...FAMILIES]],
    description: "The signatures of each request. At least one.",
  },
);
export const PublicKey = t.Nullable(
  t.StringExample(
    EXAMPLE_KEY,
    "The public key of `v1a` signatures: `whpk_` and 32 bytes in base64. Also at `/.well-known/jwks.json`. Null without them.",
  ),
);
export const PreviousPublicKey = t.Nullable(
  t.StringExample(EXAMPLE_KEY, "The key before the last rotation, while both sign. Otherwise null."),
);

/** The keys that sign an endpoint's requests besides its secret. */
export interface OwnSigning {
  readonly families: ReadonlySet<string>;
  /** The Ed25519 keys, the newest first. */
  readonly keys: readonly KeyObject[];
}

/** Returns null for an endpoint with the default families. */
export function ownSigning(sealer: Sealer, row: EndpointRow, now: Instant): OwnSigning | null {
  if (row.signatures === null) return null;
  const families = new Set(row.signatures);
  if (!families.has("ed25519")) return { families, keys: [] };
  const sealed = [row.ed25519_sealed, overlaps(row, now) ? row.previous_ed25519_sealed : null];
  const keys = sealed.filter((one) => one !== null).map((one) => openKey(sealer, one, row.id));
  if (keys.length === 0) throw new Error("nothing to sign with");
  return { families, keys };
}

/** Returns the `v1a` signatures over `id.timestamp.body`, of each key. */
export function signaturesOfKeys(
  { keys }: OwnSigning,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string | Uint8Array },
): string[] {
  if (keys.length === 0) return [];
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  return keys.map((key) => `v1a,${sign(null, signed, key).toString("base64")}`);
}

export function keyPlace(endpointId: string): string {
  return `endpoint:${endpointId}:ed25519`;
}

export function familiesOf({ signatures }: Pick<EndpointRow, "signatures">): SignatureFamily[] {
  return (signatures ?? DEFAULT) as SignatureFamily[];
}

export function publicKeysOf(
  row: Pick<EndpointRow, "ed25519_public" | "previous_ed25519_public" | "previous_expires_at">,
  now: Instant,
): { readonly public_key: string | null; readonly previous_public_key: string | null } {
  return {
    public_key: shownPublicKey(row.ed25519_public),
    previous_public_key: overlaps(row, now) ? shownPublicKey(row.previous_ed25519_public) : null,
  };
}

type KeyColumns = Partial<
  Pick<
    EndpointRow,
    "signatures" | "ed25519_sealed" | "ed25519_public" | "previous_ed25519_sealed" | "previous_ed25519_public"
  >
>;

/** Returns the columns of the families; none if they are not given. The first choice of Ed25519 creates a key, and its end deletes it. */
export function signatureColumns(
  sealer: Sealer,
  held: Pick<EndpointRow, "id" | "ed25519_sealed" | "ed25519_public">,
  given: readonly SignatureFamily[] | undefined,
): KeyColumns {
  if (given === undefined) return {};
  const families = FAMILIES.filter((one) => given.includes(one));
  const isDefault = families.join() === DEFAULT.join();
  const signatures = isDefault ? null : families;
  if (!families.includes("ed25519")) return { signatures, ed25519_sealed: null, ed25519_public: null, ...NONE_BEFORE };
  return held.ed25519_sealed === null ? { signatures, ...newKey(sealer, held.id) } : { signatures };
}

/** Returns the columns of a new key, if the endpoint has one. The old one also signs during the overlap. */
export function rotateKeys(sealer: Sealer, held: EndpointRow, overlapSeconds: number): KeyColumns {
  if (held.ed25519_sealed === null) return {};
  const before =
    overlapSeconds === 0
      ? NONE_BEFORE
      : { previous_ed25519_sealed: held.ed25519_sealed, previous_ed25519_public: held.ed25519_public };
  return { ...newKey(sealer, held.id), ...before };
}

const NONE_BEFORE = { previous_ed25519_sealed: null, previous_ed25519_public: null } as const;

function newKey(sealer: Sealer, id: string): { readonly ed25519_sealed: Buffer; readonly ed25519_public: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const text = privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return { ed25519_sealed: sealer.seal(text, keyPlace(id)), ed25519_public: x };
}

function openKey(sealer: Sealer, sealed: Buffer, id: string): KeyObject {
  const key = Buffer.from(sealer.open(sealed, keyPlace(id)).reveal(), "base64");
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

/** The column has the key as a JWK has it. */
function shownPublicKey(key: string | null): string | null {
  return key === null ? null : `whpk_${Buffer.from(key, "base64url").toString("base64")}`;
}

function overlaps({ previous_expires_at: until }: Pick<EndpointRow, "previous_expires_at">, now: Instant): boolean {
  return until !== null && fromDate(until) > now;
}
