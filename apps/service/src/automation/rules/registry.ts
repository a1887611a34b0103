import type { Contacts } from "../../contacts/contacts.ts";
import type { Db, Query } from "../../platform/db/db.ts";
import { headerFaults } from "../../webhooks/webhooks.ts";
import type { Posting, RevealedWebhook } from "../../webhooks/webhooks.ts";
import type { Events } from "../../events/events.ts";
import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { assertAllowed } from "../../access/access.ts";
import { pageText, scanJson, ServiceError, paginate } from "../../lib/lib.ts";
import type { IdMaker, RevealedSecret, ScannedJson, Sealer, Violation } from "../../lib/lib.ts";
import { authorOf, ownUuid } from "../../accounts/accounts.ts";
import type { ApiKey, Caller, Scope } from "../../accounts/accounts.ts";
import { operationsOf, readActions } from "./actions.ts";
import type { Action, CapabilityType } from "./actions.ts";
import type { Capabilities } from "./calls.ts";
import { channelOf, readWhen, ruleText } from "./rule.ts";
import { actionColumns, revealedOf } from "./rule-headers.ts";
import * as store from "./rules.store.ts";
import type { RuleChange, RuleRow } from "./rules.store.ts";

/** A caller's changes to a rule. `condition` and `actions` are the source texts of `when` and `then`, so that no digit is lost. */
export interface RuleInput {
  readonly name?: string;
  readonly on?: readonly string[];
  readonly condition?: string | undefined;
  readonly actions?: string | undefined;
  readonly priority?: number;
  readonly enabled?: boolean;
  readonly max_runs_per_minute?: number;
}

/** Manages rules, which are returned as JSON texts. An id of the workspace that has no rule is 404. */
export interface Registry {
  /** Throws 422 with all faults, 422 `url_blocked`, and 403 for actions that the caller may not call directly. */
  create(caller: Caller, input: RuleInput): Promise<string>;
  list(scope: Scope, page: { limit?: number; cursor?: string }): Promise<string>;
  get(scope: Scope, id: string): Promise<string>;
  /** Makes the caller the rule's author. Throws 403 for a sandbox credential if a live one wrote the rule. */
  change(caller: Caller, id: string, input: RuleInput): Promise<string>;
  /** Deletes the rule. Its runs are kept until their retention ends, but can no longer be listed. */
  remove(caller: Caller, id: string): Promise<void>;
  /** Returns the secret that signs the rule's webhooks. Throws 404 for a rule that has no secret yet. */
  reveal(scope: Scope, id: string): Promise<RevealedSecret>;
  /** Returns the values of its webhooks' headers, for owners. Throws 409 `conflict` if they cannot be decrypted. */
  revealHeaders(scope: Scope, id: string): Promise<{ readonly webhooks: RevealedWebhook[] }>;
  /** Replaces the secret. The old one also signs for `overlapSeconds`. The response has the new `signing_secret`. */
  regenerate(scope: Scope, id: string, overlapSeconds: number): Promise<string>;
  /** Returns the row of the rule. */
  find(query: Query, scope: Scope, id: string): Promise<RuleRow>;
}

export interface RegistryDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly posting: Posting;
  readonly sealer: Sealer;
  readonly capabilities: () => Capabilities;
  readonly contacts: Contacts;
  readonly events: Events;
}

const DEFAULTS = { priority: 100, enabled: true, max_runs_per_minute: 600 };
const ALWAYS = '{"all":[]}';

export function createRegistry(deps: RegistryDeps): Registry {
  const { db } = deps;
  const find = async (query: Query, scope: Scope, id: string): Promise<RuleRow> =>
    present(await store.findRule(query, scope, ownUuid(scope, "rule", id)));
  return {
    find,
    async create({ key, scope }, input) {
      await assertValidInput(deps, { key, scope }, input);
      const id = deps.ids.uuid();
      return await db.transaction(async (tx) => {
        const row = await store.insertRule(tx, {
          bucket: scope.bucket,
          workspace_id: scope.workspaceId,
          id,
          name: input.name ?? "",
          events: [...new Set(input.on)],
          condition: input.condition ?? ALWAYS,
          ...actionColumns(deps.sealer, { id }, input.actions ?? "[]"),
          priority: input.priority ?? DEFAULTS.priority,
          enabled: input.enabled ?? DEFAULTS.enabled,
          max_runs_per_minute: input.max_runs_per_minute ?? DEFAULTS.max_runs_per_minute,
          ...authorColumns(key),
        });
        const secret = await deps.posting.openChannel(tx, { ...channelOf(id), workspaceId: scope.workspaceId });
        return ruleText(scope, row, secret);
      });
    },
    list: async (scope, page) =>
      pageText(
        await paginate(page, {
          binding: [scope.workspaceId, "rules"],
          read: async (before, count) => await store.listRules(db.query, scope, before, count),
          view: (row) => ruleText(scope, row),
        }),
      ),
    get: async (scope, id) => ruleText(scope, await find(db.query, scope, id)),
    async change({ key, scope }, id, input) {
      const uuid = ownUuid(scope, "rule", id);
      await assertValidInput(deps, { key, scope }, input);
      return await db.transaction(async (tx) => {
        const row = present(await store.holdRule(tx, scope, uuid));
        assertSameEnvironment(scope, row);
        // The caller becomes the author of the whole rule, so all of its actions are checked, not only the changed part.
        assertMayRun(key, readActions(scanOf(input.actions ?? row.actions)).actions);
        const then =
          input.actions === undefined ? {} : actionColumns(deps.sealer, { id: uuid, before: row }, input.actions);
        return ruleText(scope, await store.changeRule(tx, scope, uuid, { ...changeOf(key, input), ...then }));
      });
    },
    ...createSecrets(deps, find),
    async remove({ scope }, id) {
      const uuid = ownUuid(scope, "rule", id);
      await db.transaction(async (tx) => {
        assertSameEnvironment(scope, present(await store.holdRule(tx, scope, uuid)));
        await store.deleteRule(tx, scope, uuid);
      });
    },
  };
}

function createSecrets(
  { db, posting, sealer }: RegistryDeps,
  find: Registry["find"],
): Pick<Registry, "reveal" | "revealHeaders" | "regenerate"> {
  return {
    async reveal(scope, id) {
      const row = await find(db.query, scope, id);
      assertSameEnvironment(scope, row);
      return await posting.revealSecret({ ...channelOf(row.id), workspaceId: scope.workspaceId });
    },
    async revealHeaders(scope, id) {
      const row = await find(db.query, scope, id);
      assertSameEnvironment(scope, row);
      return revealedOf(sealer, row);
    },
    async regenerate(scope, id, overlapSeconds) {
      const row = await find(db.query, scope, id);
      assertSameEnvironment(scope, row);
      const channel = { ...channelOf(row.id), workspaceId: scope.workspaceId };
      const secret = await db.transaction(async (tx) => await posting.regenerateSecret(tx, channel, overlapSeconds));
      return ruleText(scope, row, secret);
    },
  };
}

function present(row: RuleRow | undefined): RuleRow {
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** Keeps sandbox credentials from changing rules that act on live events. */
function assertSameEnvironment(scope: Scope, row: RuleRow): void {
  if (scope.environment === "sandbox" && row.author_environment === "live")
    throw new ServiceError("environment_mismatch", {
      detail:
        "This rule was written with a live credential and acts on live events. Use a live credential to change it.",
    });
}

function changeOf(key: ApiKey, input: RuleInput): RuleChange {
  const { name, on, condition, priority, enabled, max_runs_per_minute: perMinute } = input;
  return {
    ...(name === undefined ? {} : { name }),
    ...(on === undefined ? {} : { events: [...new Set(on)] }),
    ...(condition === undefined ? {} : { condition }),
    ...(priority === undefined ? {} : { priority }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(perMinute === undefined ? {} : { max_runs_per_minute: perMinute }),
    ...authorColumns(key),
  };
}

function authorColumns(key: ApiKey): Pick<RuleRow, "author_kind" | "author_id" | "author_environment"> {
  const { kind, id } = authorOf(key);
  return { author_kind: kind, author_id: id, author_environment: key.environment };
}

async function assertValidInput(deps: RegistryDeps, { key, scope }: Caller, input: RuleInput): Promise<void> {
  const faults = eventFaults(input.on ?? []);
  if (input.condition !== undefined)
    faults.push(...readWhen(input.condition).faults.map((fault) => ({ ...fault, pointer: `/when${fault.pointer}` })));
  const then = input.actions === undefined ? undefined : scanOf(input.actions);
  const { actions, faults: bad } = then === undefined ? { actions: [], faults: [] } : readActions(then);
  faults.push(...bad);
  if (faults.length === 0 && then !== undefined) faults.push(...(await actionFaults(deps, scope, { actions, then })));
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  assertMayRun(key, actions);
  for (const action of actions)
    if (action.type === "post_webhook") await deps.posting.vet(scope, action.url, action.headers);
}

function assertMayRun(key: ApiKey, actions: readonly Action[]): void {
  for (const operation of operationsOf(actions)) assertAllowed(key, operation);
}

function scanOf(text: string): ScannedJson {
  return scanJson(Buffer.from(text));
}

function eventFaults(names: readonly string[]): Violation[] {
  return names.flatMap((name, at): Violation[] =>
    isEventPattern(name) ? [] : [{ pointer: `/on/${at}`, code: "event_name", message: EVENT_PATTERN_FAULT }],
  );
}

/** Returns the faults that other modules find in an action. */
async function actionFaults(
  { capabilities }: RegistryDeps,
  scope: Scope,
  { actions, then }: { readonly actions: readonly Action[]; readonly then: ScannedJson },
): Promise<Violation[]> {
  const faults: Violation[] = [];
  const inputs = then.value as readonly Readonly<Record<string, unknown>>[];
  for (const [at, action] of actions.entries()) {
    const found = (violations: readonly Violation[]): void => {
      for (const one of violations) faults.push({ ...one, pointer: `/then/${at}${one.pointer}` });
    };
    if (action.type === "post_webhook") found(headerFaults(action.headers));
    if (!("arguments" in action) && action.type !== "http") continue;
    const capability = capabilities()[action.type];
    found(capability === undefined ? [unavailable(action.type)] : await capability.check(scope, inputs[at] ?? {}));
  }
  return faults;
}

function unavailable(type: CapabilityType): Violation {
  const what = { run_action: "actions", start_workflow: "workflows", http: "HTTP calls" }[type];
  return {
    pointer: "/type",
    code: "unavailable",
    message: `cannot be used: ${what} are not part of this installation`,
  };
}
