import {
  assertExpectedVersions,
  assertPromotable,
  differenceOf,
  parseJson,
  REDACTED,
  resultOf,
  ServiceError,
  wireId,
  tagOf,
} from "../../lib/lib.ts";
import type { Id, Promotion, PromotionRequest, Sealer, Uuid, Violation } from "../../lib/lib.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { revealDocument } from "../../webhooks/webhooks.ts";
import type { RevealedWebhook } from "../../webhooks/webhooks.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { findExisting, present } from "./definition.ts";
import type { DefinitionKind, DefinitionRow, DefinitionTexts } from "./definition.ts";
import { portOf } from "./step-port.ts";
import type { Members, StepPort } from "./step-port.ts";

/** A rule or workflow of the sandbox, and the live one that it replaces. */
export interface PromotionPair<Row> {
  readonly source: Row;
  readonly live: Row | undefined;
  /** The texts of the source for live, which `check` returned. */
  readonly texts: DefinitionTexts;
}

interface PromotionSteps<Row> {
  readonly kind: DefinitionKind<Row & DefinitionRow>;
  /** Returns the texts of the source with the ids of live objects. Throws 422 for a text that live does not accept. */
  check(source: Row): Promise<DefinitionTexts>;
  /** Saves the source as a new live one, or as the next version of the live one. */
  save(tx: Tx, pair: PromotionPair<Row>): Promise<Row>;
}

/**
 * Copies a rule or workflow of the sandbox to live, as a new one or as the next version of the one that it replaces. The caller becomes
 * the author. A live one stays enabled or disabled. Throws 409 if it is not in the sandbox or was changed since, and 422 for a reference
 * that live does not have.
 */
export async function promote<Row extends DefinitionRow>(
  deps: { readonly db: Db; readonly sealer: Sealer },
  scope: Scope,
  { id, request }: { readonly id: string; readonly request: PromotionRequest },
  { kind, check, save }: PromotionSteps<Row>,
): Promise<Promotion> {
  const seen = await findExisting(deps.db.query, kind, scope, id);
  assertPromotable(seen.author_environment, kind.what);
  // The addresses are checked before the transaction, which never waits for the network.
  const texts = await check(seen);
  return await deps.db.transaction(async (tx) => {
    // The live one is locked first, as its deletion does.
    const live = seen.promotes_to === null ? undefined : await kind.hold(tx.query, scope, seen.promotes_to);
    const source = present(await kind.hold(tx.query, scope, seen.id));
    assertExpectedVersions(request, {
      source: source.version,
      isAsChecked: source.version === seen.version && source.promotes_to === seen.promotes_to,
      live: live?.version ?? null,
    });
    const pair = { source, live, texts };
    const plan = comparison(deps.sealer, kind, pair);
    const isDryRun = request.dry_run === true;
    const now = isDryRun || plan.effect === "none" ? live : await save(tx, pair);
    const wireIdOf = (row: Row): Id => wireId(kind.prefix, tagOf(scope.tag, "live"), row.id);
    return {
      object: "promotion",
      dry_run: isDryRun,
      effect: plan.effect,
      source_id: wireIdOf(source),
      source_version: source.version,
      live_id: now === undefined ? null : wireIdOf(now),
      live_version: now?.version ?? null,
      difference: plan.difference,
      warnings: warningsOf(texts, plan),
    };
  });
}

function comparison<Row extends DefinitionRow>(
  sealer: Sealer,
  kind: DefinitionKind<Row>,
  { source, live, texts }: PromotionPair<Row>,
): Pick<Promotion, "effect" | "difference"> {
  const after = { ...kind.settingsOf(source), ...parsed(texts) };
  if (live === undefined) return { effect: "create", difference: differenceOf({}, after) };
  const before = kind.textsOf(live);
  const headers = headerDifference(
    () => revealDocument(sealer, kind.webhooks, kind.sealedOf(live)),
    () => revealDocument(sealer, kind.webhooks, kind.sealedOf(source)),
  );
  const isSame =
    headers.length === 0 &&
    Object.entries(texts).every(([name, text]) => text === before[name]) &&
    differenceOf(kind.settingsOf(live), kind.settingsOf(source)).length === 0;
  const difference = [...differenceOf({ ...kind.settingsOf(live), ...parsed(before) }, after), ...headers];
  return { effect: isSame ? "none" : "update", difference };
}

function parsed(texts: DefinitionTexts): object {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, parseJson(text)]));
}

/**
 * Returns the headers that both documents have with different values, which are shown as `[redacted]`. Values that
 * cannot be decrypted count as different.
 */
function headerDifference(live: () => RevealedWebhook[], source: () => RevealedWebhook[]): Promotion["difference"] {
  const [before, after] = [valuesOf(live), valuesOf(source)];
  return [...after].flatMap(([path, value]) =>
    before.has(path) && before.get(path) !== value ? [{ path, from: REDACTED, to: REDACTED }] : [],
  );
}

function valuesOf(reveal: () => RevealedWebhook[]): ReadonlyMap<string, string> {
  const webhooks = resultOf(reveal);
  return revealedHeaders({ webhooks: webhooks instanceof Error ? [] : webhooks });
}

/** Returns the values of headers by their pointers in the document. */
export function revealedHeaders({ webhooks }: { readonly webhooks: readonly RevealedWebhook[] }): Map<string, string> {
  return new Map(
    webhooks.flatMap(({ path, headers }) =>
      Object.entries(headers).map(([name, value]): [string, string] => [`${path}/headers/${name}`, value]),
    ),
  );
}

/** Returns what to know before a promotion of a document with webhooks. */
function warningsOf(
  { then, steps = then }: DefinitionTexts,
  { effect, difference }: Pick<Promotion, "effect" | "difference">,
): string[] {
  const warnings: string[] = [];
  if (steps?.includes(JSON.stringify(REDACTED)) === true)
    warnings.push("The values of webhook headers are copied from the sandbox. Check that they are valid in live.");
  if (effect === "update" && difference.length === 0)
    warnings.push("The definitions differ only in their spelling, such as spaces or the digits of a number.");
  return warnings;
}

/** Returns the text of actions or steps with the ids of live objects. Throws 422 for references that live does not have. */
export async function withLiveIds(
  ports: readonly StepPort[],
  scope: Scope,
  text: string,
  items: readonly { readonly type: string; readonly members: Members; readonly pointer: string }[],
): Promise<string> {
  const errors: Violation[] = [];
  let out = text;
  for (const { type, members, pointer } of items) {
    const found = await portOf(ports, type)?.references?.(scope, members);
    errors.push(...(found?.faults ?? []).map((one) => ({ ...one, pointer: pointer + one.pointer })));
    // An id in the text is a whole string, so that its quotation marks delimit it.
    for (const [from, to] of found?.replaced ?? []) out = out.replaceAll(JSON.stringify(from), JSON.stringify(to));
  }
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
  return out;
}

interface PromotedColumns {
  readonly promoted_from: Uuid | null;
  readonly promoted_version: number | null;
}

/** Returns the sandbox object, and its version, that a live object was promoted from last. */
export function promotedFrom(
  { promoted_from: id, promoted_version: version }: PromotedColumns,
  idOf: (id: Uuid) => Id,
): { readonly id: Id; readonly version: number } | null {
  return id === null || version === null ? null : { id: idOf(id), version };
}
