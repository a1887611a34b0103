import { isSystem } from "../../events/events.ts";
import {
  bucketOf,
  environmentOf,
  isTag,
  openSecrets,
  parseJson,
  randomText,
  sealedColumn,
  sha256,
  timeText,
  validSecrets,
  wireId,
} from "../../lib/lib.ts";
import type { Hidden, Instant, Sealer, Tag, Uuid, t } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { PATHS, SENDERS_OWN } from "./mapping.ts";
import type { ContactMode, Mapping } from "./mapping.ts";
import type { PresetKey } from "./presets.ts";
import { signForStrangers } from "./handshake.ts";
import type { Answer, Handshake } from "./handshake.ts";
import { namedSchemes, SIGNATURE_SCHEMES } from "./named-schemes.ts";
import { headerOf } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { PathChoice } from "./path-reader.ts";
import type { Score } from "./score.ts";
import { senderOf } from "./senders.ts";
import type { SourceRow, TokenPlace } from "./sources.store.ts";
import type * as shapes from "./inbound.schemas.ts";

/** A source, in the form that a request needs. */
export interface Source {
  readonly scope: Scope;
  readonly id: Uuid;
  readonly active: boolean;
  readonly scheme: Scheme;
  /** The requests with which its sender checks the URL. */
  readonly handshakes: readonly Handshake[];
  /** True if the answer to a handshake of the source, now or earlier, contained a signature that anyone could ask for. */
  readonly hasSignedForStrangers: boolean;
  /** The answer to an accepted request; null for the service's own. */
  readonly respond: Answer | null;
  /** The secret, and the previous one while they overlap. */
  readonly secrets: readonly Hidden[];
  /** The name of its fired events; null to derive the name from their type. */
  readonly eventName: string | null;
  /** The tenant of its events. */
  readonly tenant: string | null;
  readonly mapping: Mapping;
  /** The character set of requests that name none. */
  readonly charset: string | null;
}

export type SourceView = t.Static<typeof shapes.SourceView>;

export type SchemeName = (typeof shapes.SCHEME_NAMES)[number];

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
    handshakes: handshakesOf(row),
    hasSignedForStrangers: hasSignedForStrangers(row),
    respond: respondOf(row),
    secrets: validSecrets(openSecrets(sealer, secretPlace(row.id), row, now)),
    eventName: eventNameOf(row),
    tenant: row.tenant,
    mapping: mappingOf(row),
    charset: row.charset,
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
    charset: row.charset,
    handshakes: ownHandshakesOf(row),
    ...scopeFields(scope),
    created_at: timeText(row.created_at),
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

/** Returns null if the handshakes are those of the source's sender. */
export function ownHandshakesOf({ handshakes }: { readonly handshakes: unknown }): readonly Handshake[] | null {
  return handshakes as readonly Handshake[] | null;
}

function handshakesOf(row: HandshakeColumns): readonly Handshake[] {
  return ownHandshakesOf(row) ?? senderOf(row.sender)?.handshakes ?? [];
}

type HandshakeColumns = Pick<SourceRow, "sender" | "signed_for_strangers"> & { readonly handshakes: unknown };

export function hasSignedForStrangers(row: HandshakeColumns): boolean {
  return row.signed_for_strangers || signForStrangers(handshakesOf(row));
}

function respondOf({ respond }: Pick<SourceRow, "respond">): Answer | null {
  return respond as Answer | null;
}

export function mappingOf(row: SourceRow): Mapping {
  return {
    each: row.each,
    contact: row.contact as ContactMode,
    event_type_header: row.event_type_header,
    event_type_default: row.event_type_default,
    idempotency_key_header: row.idempotency_key_header,
    idempotency_key_template: row.idempotency_key_template,
    contact_email_path: choiceOf(row.contact_email_path),
    event_type_path: choiceOf(row.event_type_path),
    idempotency_key_path: choiceOf(row.idempotency_key_path),
    contact_name_path: choiceOf(row.contact_name_path),
    value_path: choiceOf(row.value_path),
    ...sendersOwn(row),
    value_unit: row.value_unit === "minor" ? "minor" : "major",
    currency_path: choiceOf(row.currency_path),
    summary_path: choiceOf(row.summary_path),
    summary_template: row.summary_template,
    dedupe_by_body: row.dedupe_by_body,
    dedupe_ignore: row.dedupe_ignore,
    score: row.score as unknown as Score,
  };
}

/** Returns the members that only the sender's file has. Each counts while the source has the file's path. */
function sendersOwn(row: SourceRow): Partial<Mapping> {
  const file: Partial<Mapping> = senderOf(row.sender)?.mapping ?? {};
  const own = Object.entries(SENDERS_OWN).filter(
    ([name, path]) => name in file && (path === null || storedChoice(file[path] ?? null) === row[path]),
  );
  return Object.fromEntries(own.map(([name]) => [name, file[name as keyof Mapping]]));
}

/** Several paths are stored as a JSON list. A path begins with `$`. */
function choiceOf(stored: string | null): PathChoice {
  return stored?.startsWith("[") === true ? (parseJson(stored) as string[]) : stored;
}

/** Returns the columns of a mapping, in the form that is written. */
export function mappingColumns(mapping: Mapping) {
  const { score, ...all } = mapping;
  const fields = Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(SENDERS_OWN, name))) as Omit<
    Mapping,
    "score" | keyof typeof SENDERS_OWN
  >;
  const paths = Object.fromEntries(PATHS.map((name) => [name, storedChoice(fields[name])]));
  return {
    ...fields,
    ...(paths as Record<(typeof PATHS)[number], string | null>),
    dedupe_ignore: [...fields.dedupe_ignore],
    score: JSON.stringify(score),
  };
}

function storedChoice(choice: PathChoice): string | null {
  return choice === null || typeof choice === "string" ? choice : JSON.stringify(choice);
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
