import { isSystem } from "../../events/events.ts";
import {
  bucketOf,
  environmentOf,
  fromDate,
  isTag,
  openSecrets,
  randomText,
  sealedColumn,
  sha256,
  toRfc3339,
  validSecrets,
  wireId,
} from "../../lib/lib.ts";
import type { Environment, Hidden, Id, Instant, Sealer, Tag, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Mapping } from "./mapping.ts";
import type { PresetKey } from "./presets.ts";
import type { Score } from "./score.ts";
import { signatureHeader } from "./signature.ts";
import type { SignatureScheme } from "./signature.ts";
import type { SourceRow, TokenPlace } from "./sources.store.ts";

/** A source, in the form that a request needs. */
export interface Source {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly active: boolean;
  readonly signatureScheme: SignatureScheme;
  /** The secret, and the previous one while they overlap. */
  readonly secrets: readonly Hidden[];
  /** The name of its fired events; null to derive the name from their type. */
  readonly eventName: string | null;
  readonly mapping: Mapping;
}

export interface SourceView extends Mapping {
  readonly id: Id;
  readonly object: "inbound_endpoint";
  readonly name: string;
  readonly description: string;
  readonly preset: PresetKey;
  readonly url: string;
  readonly active: boolean;
  readonly signature_scheme: SignatureScheme;
  /** The header that contains the sender's signature. */
  readonly signature_header: string;
  readonly event_name: string | null;
  readonly scope_kind: "workspace";
  readonly scope_key: Id;
  readonly environment: Environment;
  readonly created_at: string;
}

const TAG_LENGTH = 8;
const TOKEN_FORM = /^[0-9a-z]{8}[0-9A-Za-z]{43}$/;

/** Returns a new token: the tag, so that the look-up knows its bucket, and 256 random bits. */
export function newToken(tag: Tag): string {
  return tag + randomText(43);
}

/** Returns undefined for a text that is not a token of the service. */
export function placeOfToken(token: string): TokenPlace | undefined {
  const tag = token.slice(0, TAG_LENGTH);
  if (!TOKEN_FORM.test(token) || !isTag(tag)) return undefined;
  return { bucket: bucketOf(tag), tag, hash: sha256(token) };
}

export function sourceOf(sealer: Sealer, row: SourceRow, now: Instant): Source {
  return {
    scope: {
      workspaceId: row.workspace_id,
      bucket: row.bucket,
      tag: row.tag,
      environment: environmentOf(row.tag),
    },
    id: row.id,
    active: row.active,
    signatureScheme: row.signature_scheme as SignatureScheme,
    secrets: validSecrets(openSecrets(sealer, secretPlace(row.id), row, now)),
    eventName: eventNameOf(row),
    mapping: mappingOf(row),
  };
}

/** Returns the event name of a source. Ignores a reserved name that was saved before such names were refused. */
export function eventNameOf({ event_name: name }: Pick<SourceRow, "event_name">): string | null {
  return name !== null && isSystem(name) ? null : name;
}

export function sourceView(sealer: Sealer, baseUrl: string, scope: Scope, row: SourceRow): SourceView {
  const token = sealer.open(row.token_sealed, tokenPlace(row.id)).reveal();
  const scheme = row.signature_scheme as SignatureScheme;
  return {
    id: wireId("src", row.tag, row.id),
    object: "inbound_endpoint",
    name: row.name,
    description: row.description,
    preset: row.preset as PresetKey,
    url: `${baseUrl}/api/v1/inbound.php?t=${token}`,
    active: row.active,
    signature_scheme: scheme,
    signature_header: signatureHeader(scheme),
    ...mappingOf(row),
    event_name: row.event_name,
    ...scopeFields(scope),
    created_at: toRfc3339(fromDate(row.created_at)),
  };
}

export function mappingOf(row: SourceRow): Mapping {
  return {
    contact_email_path: row.contact_email_path,
    event_type_path: row.event_type_path,
    idempotency_key_path: row.idempotency_key_path,
    contact_name_path: row.contact_name_path,
    value_path: row.value_path,
    value_unit: row.value_unit === "minor" ? "minor" : "major",
    currency_path: row.currency_path,
    summary_path: row.summary_path,
    summary_template: row.summary_template,
    dedupe_by_body: row.dedupe_by_body,
    score: row.score as unknown as Score,
  };
}

export function secretPlace(id: string): string {
  return `inbound secret:${id}`;
}

export function tokenPlace(id: string): string {
  return `inbound token:${id}`;
}

export const sealedByInbound = [
  sealedColumn({ table: "inbound_source", column: "token_sealed", by: ["id"], place: ({ id }) => tokenPlace(id) }),
  ...["secret_sealed", "previous_secret_sealed"].map((column) =>
    sealedColumn({ table: "inbound_source", column, by: ["id"], place: ({ id }) => secretPlace(id) }),
  ),
];
