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
import type { ContactMode, Mapping } from "./mapping.ts";
import type { PresetKey } from "./presets.ts";
import type { Answer, Handshake } from "./handshake.ts";
import { namedSchemes, SIGNATURE_SCHEMES } from "./named-schemes.ts";
import { headerOf } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { Score } from "./score.ts";
import { senderOf } from "./senders.ts";
import type { SourceRow, TokenPlace } from "./sources.store.ts";

/** A source, in the form that a request needs. */
export interface Source {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly active: boolean;
  readonly scheme: Scheme;
  /** The requests with which its sender checks the URL. */
  readonly handshakes: readonly Handshake[];
  /** The answer to an accepted request; null for the service's own. */
  readonly respond: Answer | null;
  /** The secret, and the previous one while they overlap. */
  readonly secrets: readonly Hidden[];
  /** The name of its fired events; null to derive the name from their type. */
  readonly eventName: string | null;
  /** The tenant of its events. */
  readonly tenant: string | null;
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
  /** The sender that the source was created for. */
  readonly sender: string | null;
  readonly signature_scheme: SchemeName;
  readonly scheme: Scheme;
  /** The header that contains the sender's signature; null if it is elsewhere. */
  readonly signature_header: string | null;
  readonly event_name: string | null;
  readonly tenant: string | null;
  readonly respond: Answer | null;
  readonly scope_kind: "workspace";
  readonly scope_key: Id;
  readonly environment: Environment;
  readonly created_at: string;
}

/** A named scheme; `sender` for that of its sender, and `custom` for a description of its own. */
export const SCHEME_NAMES = [...SIGNATURE_SCHEMES, "sender", "custom"] as const;
export type SchemeName = (typeof SCHEME_NAMES)[number];

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
    scheme: schemeOf(row),
    handshakes: senderOf(row.sender)?.handshakes ?? [],
    respond: respondOf(row),
    secrets: validSecrets(openSecrets(sealer, secretPlace(row.id), row, now)),
    eventName: eventNameOf(row),
    tenant: row.tenant,
    mapping: mappingOf(row),
  };
}

/** Returns the event name of a source. Ignores a reserved name that was saved before such names were refused. */
export function eventNameOf({ event_name: name }: Pick<SourceRow, "event_name">): string | null {
  return name !== null && isSystem(name) ? null : name;
}

export function sourceView(sealer: Sealer, baseUrl: string, scope: Scope, row: SourceRow): SourceView {
  const token = sealer.open(row.token_sealed, tokenPlace(row.id)).reveal();
  const scheme = schemeOf(row);
  return {
    id: wireId("src", row.tag, row.id),
    object: "inbound_endpoint",
    name: row.name,
    description: row.description,
    preset: row.preset as PresetKey,
    url: `${baseUrl}/api/v1/inbound.php?t=${token}`,
    active: row.active,
    sender: row.sender,
    signature_scheme: row.signature_scheme as SchemeName,
    scheme,
    signature_header: headerOf(scheme),
    ...mappingOf(row),
    event_name: row.event_name,
    tenant: row.tenant,
    respond: respondOf(row),
    ...scopeFields(scope),
    created_at: toRfc3339(fromDate(row.created_at)),
  };
}

/** Returns the scheme of a source. A sender's comes from its file, so that it is the one of this version. */
export function schemeOf(row: Pick<SourceRow, "signature_scheme" | "sender"> & { readonly scheme: unknown }): Scheme {
  if (row.scheme !== null) return row.scheme as Scheme;
  const named = SIGNATURE_SCHEMES.find((name) => name === row.signature_scheme);
  const scheme = named === undefined ? senderOf(row.sender)?.scheme : namedSchemes[named];
  if (scheme === undefined) throw new Error(`a source has an unknown scheme: ${row.sender ?? row.signature_scheme}`);
  return scheme;
}

function respondOf({ respond }: Pick<SourceRow, "respond">): Answer | null {
  return respond as Answer | null;
}

export function mappingOf(row: SourceRow): Mapping {
  return {
    contact: row.contact as ContactMode,
    event_type_header: row.event_type_header,
    idempotency_key_header: row.idempotency_key_header,
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
