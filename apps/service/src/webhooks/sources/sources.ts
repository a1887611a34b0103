import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { resultOf, rotateSecret, orNotFound, ServiceError, toDate, paginate } from "../../lib/lib.ts";
import type { Batcher, Clock, IdMaker, Page, Sealer, t } from "../../lib/lib.ts";
import type { EndIssues } from "../../issues/issues.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { assertSameTenant } from "../endpoints/tenant-patterns.ts";
import { isRead, readBody } from "./body.ts";
import { mapRequest } from "./map-request.ts";
import type { MappedList } from "./map-request.ts";
import { SENDERS_OWN } from "./mapping.ts";
import { NO_SCORE } from "./score.ts";
import type { ContactMode, Mapped, Mapping, Unmapped } from "./mapping.ts";
import { namedSchemes } from "./named-schemes.ts";
import type { Scheme } from "./scheme.ts";
import { mappingOfSender } from "./sender-mapping.ts";
import { senderOf } from "./senders.ts";
import { newSecretFor, signedHeadersOf } from "./verifier.ts";
import type { BodyWarning, ReadBody } from "./body.ts";
import type { Answer, Handshake } from "./handshake.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Trial } from "./mapping-trial.ts";
import { presets } from "./presets.ts";
import type { Preset, PresetKey } from "./presets.ts";
import {
  eventNameOf,
  hasSignedForStrangers,
  mappingColumns,
  mappingOf,
  newToken,
  ownHandshakesOf,
  placeOfToken,
  schemeOf,
  secretPlace,
  sourceOf,
  sourceView,
  tokenPlace,
} from "./source.ts";
import type { Source, SourceView } from "./source.ts";
import { assertAnswered, mappingFaults, overlaid, assertValidInput, assertSecretFits } from "./source-input.ts";
import type { MappingInput, SourceChangeInput, SourceInput } from "./source-input.ts";
import * as store from "./sources.store.ts";
import type { SourceChange, SourceRow, TokenPlace } from "./sources.store.ts";
import type * as shapes from "./inbound.schemas.ts";

export interface SourceWithSecret extends SourceView {
  readonly secret: string;
}

export type NewSecret = NonNullable<t.Static<typeof shapes.SecretBody>>;

export interface Preview {
  readonly outcome: Mapped | Unmapped | MappedList;
  readonly read: ReadBody;
  /** Faults of the request and its body. */
  readonly warnings: readonly BodyWarning[];
  /** The name of the events that would be fired; null to derive it from their types. */
  readonly eventName: string | null;
}

/** The sources of a workspace (contract, section 6). An own id without a source is 404. */
export interface Sources {
  create(scope: Scope, input: SourceInput): Promise<SourceWithSecret>;
  list(scope: Scope, page: { limit?: number; cursor?: string; tenant?: string }): Promise<Page<SourceView>>;
  get(scope: Scope, id: string): Promise<SourceView>;
  change(scope: Scope, id: string, input: SourceChangeInput): Promise<SourceView>;
  toggle(scope: Scope, id: string): Promise<SourceView>;
  remove(scope: Scope, id: string): Promise<void>;
  regenerateSecret(scope: Scope, id: string, wanted: NewSecret): Promise<SourceWithSecret>;
  /** Creates a new URL. The old one is unknown from then on. */
  regenerateToken(scope: Scope, id: string): Promise<SourceView>;
  /** Maps a request with the source's mapping and an optional change of it. Writes nothing. */
  preview(scope: Scope, id: string, trial: Trial, mapping: MappingInput): Promise<Preview>;
  /** Reads the source with this token from the database. Concurrent look-ups share a statement. */
  byToken(token: string): Promise<Source | undefined>;
}

export interface SourcesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Pick<Net, "vet">;
  readonly baseUrl: string;
  /** Ends the issues of a source that is deleted in this transaction. */
  readonly issuesEnded: EndIssues;
}

export function createSources(deps: SourcesDeps): Sources {
  const { db, sealer, clock } = deps;
  const view = (scope: Scope, row: SourceRow): SourceView => sourceView(sealer, deps.baseUrl, scope, row);
  const byToken = createLookup(deps);

  /** Reads, decides and writes in one transaction. */
  async function changing(scope: Scope, id: string, decide: (row: SourceRow) => SourceChange): Promise<SourceRow> {
    return await db.transaction(async (tx) => {
      const row = await held(tx, scope, id);
      return await store.changeSource(tx.query, scope, row.id, decide(row));
    });
  }

  return {
    create: async (scope, input) => await create(deps, scope, input),
    list: async (scope, { tenant, ...page }) =>
      await paginate(page, {
        binding: [scope.tag, "inbound endpoints", tenant ?? null],
        read: async (before, count) => await store.listSources(db.query, scope, { tenant, before }, count),
        view: (row) => view(scope, row),
      }),
    get: async (scope, id) => view(scope, await existing(db, scope, id)),
    async change(scope, id, input) {
      assertValidInput(input);
      await vetKeys(deps, input.scheme);
      return view(scope, await changing(scope, id, (row) => changeOf(sealer, row, input)));
    },
    toggle: async (scope, id) => view(scope, await changing(scope, id, (row) => ({ active: !row.active }))),
    async remove(scope, id) {
      const uuid = ownUuid(scope, "src", id);
      await db.transaction(async (tx) => {
        if (!(await store.deleteSource(tx.query, scope, uuid, toDate(clock.now()))))
          throw new ServiceError("not_found");
        await deps.issuesEnded(tx, scope, uuid);
      });
    },
    async regenerateSecret(scope, id, { secret: given, overlap_seconds: overlapSeconds = 0 }) {
      if (given !== undefined) assertValidInput({ secret: given });
      let secret = "";
      const row = await changing(scope, id, (old) => {
        secret = secretFor(schemeOf(old), given);
        const next = { secret, now: clock.now(), overlapSeconds };
        return rotateSecret(sealer, secretPlace(old.id), old.secret_sealed, next);
      });
      return { ...view(scope, row), secret };
    },
    regenerateToken: async (scope, id) =>
      view(scope, await changing(scope, id, (row) => tokenColumns(sealer, row, newToken(row.tag)))),
    async preview(scope, id, { body, header, warnings }, mapping) {
      const errors = mappingFaults(mapping, "/mapping");
      if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
      const row = await existing(db, scope, id);
      const read = await readBody({ body, header, charset: row.charset });
      const outcome = await mapRequest(overlaid(mappingOf(row), mapping), {
        body,
        header,
        read,
        tenant: row.tenant,
        isSigned: signedHeadersOf(schemeOf(row)),
      });
      return {
        outcome,
        read,
        warnings: [...warnings, ...(isRead(read) ? read.warnings : [])],
        eventName: eventNameOf(row),
      };
    },
    async byToken(token) {
      const place = placeOfToken(token);
      return place === undefined ? undefined : await byToken.add(place);
    },
  };
}

function createLookup({ db, sealer, clock }: SourcesDeps): Batcher<TokenPlace, Source | undefined> {
  return createShardBatcher<TokenPlace, Source | undefined>(db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: 500,
    concurrency: 2,
    run: async (places) => {
      const wanted = new Map(places.map((place) => [place.hash.toString("latin1"), place]));
      const rows = await store.sourcesByToken(db, [...wanted.values()]);
      const now = clock.now();
      const found = new Map(
        rows.map((row) => [row.token_hash.toString("latin1"), resultOf(() => sourceOf(sealer, row, now))]),
      );
      return places.map((place) => found.get(place.hash.toString("latin1")));
    },
  });
}

async function create(deps: SourcesDeps, scope: Scope, input: SourceInput): Promise<SourceWithSecret> {
  assertValidInput(input);
  await vetKeys(deps, input.scheme);
  const { sealer } = deps;
  const start = startOf(input);
  const scheme = schemeOf(start);
  const secret = secretFor(scheme, input.secret);
  const mapping = overlaid(start.mapping, input);
  const id = deps.ids.uuid();
  const row = await store.insertSource(deps.db.query, {
    bucket: scope.bucket,
    tag: scope.tag,
    id,
    workspace_id: scope.workspaceId,
    name: input.name ?? start.name,
    description: input.description ?? "",
    preset: start.preset,
    sender: start.sender,
    active: input.active ?? true,
    ...tokenColumns(sealer, { id }, newToken(scope.tag)),
    signature_scheme: start.signature_scheme,
    scheme: input.scheme === undefined ? null : JSON.stringify(input.scheme),
    secret_sealed: sealer.seal(secret, secretPlace(id)),
    ...mappingColumns(mapping),
    event_name: input.event_name ?? null,
    tenant: scope.tenant ?? input.tenant ?? null,
    ...respondColumns(input, start),
    ...handshakeColumns(scheme, input.handshakes),
  });
  return { ...sourceView(sealer, deps.baseUrl, scope, row), secret };
}

function respondColumns(
  { respond, charset = null }: SourceInput,
  start: Start,
): Pick<SourceRow, "charset"> & { respond: string | null } {
  return { respond: textOrNull(respond === undefined ? start.respond : respond), charset };
}

/** The values of a new source before the caller's own: those of its sender or preset. */
interface Start {
  readonly name: string;
  readonly preset: PresetKey;
  readonly sender: string | null;
  readonly signature_scheme: string;
  readonly scheme: Scheme | null;
  readonly mapping: Mapping;
  readonly respond: Answer | null;
}

/** Returns the members of a new source that its sender or preset sets, if the caller does not. */
export function sourceDefaults(input: SourceInput): Readonly<Record<string, unknown>> {
  const { mapping, signature_scheme, respond } = startOf(input);
  const { score, ...all } = mapping;
  const own = Object.entries(all).filter(([name]) => !Object.hasOwn(SENDERS_OWN, name));
  return { signature_scheme, ...Object.fromEntries(own), score: { ...NO_SCORE, ...(input.score ?? score) }, respond };
}

function startOf(input: SourceInput): Start {
  const { preset = "custom", signature_scheme: named, scheme = null } = input;
  const sender = senderOf(input.sender ?? null);
  const own = scheme === null ? named : "custom";
  if (sender === undefined) {
    const { name, mapping, signature_scheme: usual }: Preset = presets[preset];
    const contact = contactOf(input, mapping);
    return {
      name,
      preset,
      sender: null,
      signature_scheme: own ?? usual,
      scheme,
      mapping: { ...mapping, contact },
      respond: null,
    };
  }
  const { title, key, respond } = sender;
  const contact = (input.contact_email_path ?? null) === null ? sender.contact : "if_present";
  const mapping = { ...mappingOfSender(sender), contact };
  return { name: title, preset, sender: key, signature_scheme: own ?? "sender", scheme, mapping, respond };
}

/** A mapping that names the address of a contact needs it, so that one that cannot read it is noticed (contract, section 12). */
function contactOf({ contact_email_path: given }: SourceInput, { contact_email_path: usual }: Mapping): ContactMode {
  return (given === undefined ? usual : given) === null ? "if_present" : "required";
}

/** Returns the given secret, or a new one of the form that the scheme needs. Throws 422 if neither is possible. */
function secretFor(scheme: Scheme, given: string | undefined): string {
  const secret = given ?? newSecretFor(scheme);
  assertSecretFits(scheme, secret, "/secret");
  return secret;
}

/** Checks the address of a sender's keys, which the service will read. */
async function vetKeys({ net }: Pick<SourcesDeps, "net">, scheme: Scheme | undefined): Promise<void> {
  if (scheme?.kind === "jwt" && scheme.jwks_url !== undefined) await net.vet(scheme.jwks_url);
}

function textOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function changeOf(sealer: Sealer, row: SourceRow, input: SourceChangeInput): SourceChange {
  assertSameTenant(row, input.tenant);
  const { name, description, active, event_name: eventName, respond, charset } = input;
  return {
    ...mappingColumns(overlaid(mappingOf(row), input)),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(active === undefined ? {} : { active }),
    ...schemeChange(sealer, row, input),
    ...(respond === undefined ? {} : { respond: textOrNull(respond) }),
    ...handshakesChange(row, input),
    ...(eventName === undefined ? {} : { event_name: eventName }),
    ...(charset === undefined ? {} : { charset }),
  };
}

function schemeChange(
  sealer: Sealer,
  row: SourceRow,
  { signature_scheme: named, scheme: own }: SourceChangeInput,
): Pick<SourceChange, "signature_scheme" | "scheme"> {
  const scheme = own ?? (named === undefined ? undefined : namedSchemes[named]);
  if (scheme === undefined) return {};
  const pointer = own === undefined ? "/signature_scheme" : "/scheme";
  assertSecretFits(scheme, sealer.open(row.secret_sealed, secretPlace(row.id)).reveal(), pointer);
  return { signature_scheme: named ?? "custom", scheme: textOrNull(own ?? null) };
}

function handshakeColumns(
  scheme: Scheme,
  handshakes: readonly Handshake[] | null = null,
): Pick<store.SourceInsert, "handshakes" | "signed_for_strangers"> {
  assertAnswered(scheme, handshakes ?? []);
  return { handshakes: textOrNull(handshakes), signed_for_strangers: false };
}

/** Judges own handshakes by the scheme that the source will have. */
function handshakesChange(
  row: SourceRow,
  { handshakes, signature_scheme: named, scheme: own }: SourceChangeInput,
): Pick<SourceChange, "handshakes" | "signed_for_strangers"> {
  const scheme = own ?? (named === undefined ? schemeOf(row) : namedSchemes[named]);
  assertAnswered(scheme, (handshakes === undefined ? ownHandshakesOf(row) : handshakes) ?? []);
  if (handshakes === undefined) return {};
  return { handshakes: textOrNull(handshakes), signed_for_strangers: hasSignedForStrangers(row) };
}

function tokenColumns(
  sealer: Sealer,
  { id }: Pick<SourceRow, "id">,
  token: string,
): Pick<SourceRow, "token_hash" | "token_sealed"> {
  const place = placeOfToken(token);
  if (place === undefined) throw new Error("a new token does not have the form of a token");
  return { token_hash: place.hash, token_sealed: sealer.seal(token, tokenPlace(id)) };
}

async function existing(db: Db, scope: Scope, id: string): Promise<SourceRow> {
  return orNotFound(await store.findSource(db.query, scope, ownUuid(scope, "src", id)));
}

async function held(tx: Tx, scope: Scope, id: string): Promise<SourceRow> {
  return orNotFound(await store.holdSource(tx.query, scope, ownUuid(scope, "src", id)));
}
