import type { Db } from "../../platform/db/db.ts";
import { sealDocument, shownDocument } from "../../webhooks/webhooks.ts";
import type { RevealedWebhook } from "../../webhooks/webhooks.ts";
import { assertOwnEnvironment, ServiceError, paginate } from "../../lib/lib.ts";
import type { Environment, Page, Promotion, PromotionRequest, RevealedSecret } from "../../lib/lib.ts";
import { ownUuid, scopeIn } from "../../accounts/accounts.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import { saveSchedule, showSchedule } from "../schedules/schedules.ts";
import type { ScheduleView } from "../schedules/schedules.ts";
import { accepted, addVersion, check, lookedUpBy } from "./checks.ts";
import type { DefinitionsDeps, NewVersion, Writer } from "./checks.ts";
import type { DefinitionText } from "./definition.ts";
import { dryRun } from "./dry-run.ts";
import type { TriedEvent } from "./dry-run.ts";
import { promoteWorkflow } from "./promotion.ts";
import { endRunsOf } from "./runs.store.ts";
import { channelOf } from "./steps.ts";
import { workflowText } from "./views.ts";
import { keptBy, revealedOf, versionPlace, WORKFLOW } from "./workflow-headers.ts";
import * as store from "./workflows.store.ts";
import type { WorkflowRow } from "./workflows.store.ts";

/** A caller's changes to a workflow. Trigger and steps are JSON text as they were written. */
export interface WorkflowInput {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly max_runs_per_minute?: number | undefined;
  readonly trigger?: string | undefined;
  readonly steps?: string | undefined;
}

export interface WorkflowQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly environment?: Environment;
}

/** Manages the definitions of a workspace, of both environments. Returns them as JSON text. */
export interface Definitions {
  /** Throws 422 `validation_failed` and `url_blocked`. Only this response has the `signing_secret`. */
  create(
    scope: Scope,
    author: Author,
    input: WorkflowInput & DefinitionText & { readonly name: string },
  ): Promise<string>;
  list(scope: Scope, page: WorkflowQuery): Promise<Page<string>>;
  get(scope: Scope, id: string): Promise<string>;
  /** Saves a changed definition as a new version. Current runs keep theirs. Throws 403 for a workflow of the other environment. */
  change(scope: Scope, author: Author, id: string, input: WorkflowInput): Promise<string>;
  /** Copies a workflow of the sandbox to live. */
  promote(scope: Scope, author: Author, id: string, request: PromotionRequest): Promise<Promotion>;
  /** Cancels its runs. Throws 403 for a sandbox credential if the workflow is live. */
  remove(scope: Scope, id: string): Promise<void>;
  /** Throws 404 if an event starts the workflow. */
  schedule(scope: Scope, id: string): Promise<ScheduleView>;
  reveal(scope: Scope, id: string): Promise<RevealedSecret>;
  /** Returns the values of its webhooks' headers, for owners. Throws 409 `conflict` if they cannot be decrypted. */
  revealHeaders(scope: Scope, id: string): Promise<{ readonly webhooks: RevealedWebhook[] }>;
  /** Replaces the secret. The old one also signs for `overlapSeconds`. The response has the new `signing_secret`. */
  regenerate(scope: Scope, id: string, overlapSeconds: number): Promise<string>;
  /** Returns the steps that an event would run. Writes and sends nothing. */
  test(scope: Scope, id: string, event: TriedEvent): Promise<string>;
}

export function createDefinitions(deps: DefinitionsDeps): Definitions {
  const { db } = deps;
  return {
    create: async (scope, author, input) => await create(deps, { scope, author }, input),
    list: async (scope, page) =>
      await paginate(page, {
        binding: [scope.workspaceId, "workflows", page.environment ?? null],
        read: async (before, limit) =>
          await store.listWorkflows(db.query, scope.workspaceId, { before, limit, environment: page.environment }),
        view: (row) => workflowText(scope, row),
      }),
    get: async (scope, id) => workflowText(scope, await existing(db, scope, id)),
    change: async (scope, author, id, input) => await change(deps, { scope, author }, id, input),
    promote: async (scope, author, id, request) => await promoteWorkflow(deps, { scope, author }, { id, request }),
    async remove(scope, id) {
      const row = await existing(db, scope, id);
      assertSameEnvironment(scope, row);
      await db.transaction(async (tx) => {
        const isGone = await store.deleteWorkflow(tx.query, scope.workspaceId, row.id);
        if (!isGone) throw new ServiceError("not_found");
        await saveSchedule(tx, scope, row, null);
      });
      // A run that a crash leaves here is cancelled when it is due.
      for (const environment of ["live", "sandbox"] as const) {
        const place = scopeIn(scope, environment);
        await db.at(place.bucket, async () => await endRunsOf(db.query, place, row.id));
      }
      deps.wake();
    },
    schedule: async (scope, id) => await showSchedule(db, scope, (await existing(db, scope, id)).id),
    async reveal(scope, id) {
      const row = await existing(db, scope, id);
      assertSameEnvironment(scope, row);
      return await deps.ownedDeliveries.revealSecret({ ...channelOf(row.id), workspaceId: scope.workspaceId });
    },
    async revealHeaders(scope, id) {
      const row = await existing(db, scope, id);
      assertSameEnvironment(scope, row);
      return revealedOf(deps.sealer, row);
    },
    async regenerate(scope, id, overlapSeconds) {
      const row = await existing(db, scope, id);
      assertOwnEnvironment(scope.environment, row.author_environment, "workflow");
      const channel = { ...channelOf(row.id), workspaceId: scope.workspaceId };
      const secret = await db.transaction(
        async (tx) => await deps.ownedDeliveries.regenerateSecret(tx, channel, overlapSeconds),
      );
      return workflowText(scope, row, secret);
    },
    async test(scope, id, event) {
      return await dryRun(deps, scope, await existing(db, scope, id), event);
    },
  };
}

/** Returns the workflow, also for its list of runs. Throws 404 if there is none. */
export async function existing(db: Db, scope: Scope, id: string): Promise<WorkflowRow> {
  const row = await store.findWorkflow(db.query, scope.workspaceId, ownUuid(scope, "wf", id));
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

async function create(
  deps: DefinitionsDeps,
  { scope, author }: Writer,
  {
    name,
    enabled = true,
    max_runs_per_minute: perMinute,
    trigger,
    steps,
  }: WorkflowInput & DefinitionText & { readonly name: string },
): Promise<string> {
  const definition = await accepted(deps, scope, { trigger, steps });
  const id = deps.ids.uuid();
  const { text, sealed } = sealDocument({ ...deps, kind: WORKFLOW, place: versionPlace(id, 1) }, steps);
  const isSandbox = scope.environment === "sandbox";
  return await deps.db.transaction(async (tx) => {
    await store.insertWorkflow(tx.query, {
      workspace_id: scope.workspaceId,
      id,
      name,
      enabled,
      version: 1,
      event: lookedUpBy(definition),
      max_runs_per_minute: perMinute ?? store.DEFAULT_RUNS_PER_MINUTE,
      promotes_to: isSandbox ? await store.replaceableWorkflow(tx.query, scope.workspaceId, name) : null,
      promoted_from: null,
      promoted_version: null,
    });
    await addVersion(tx, { scope, author, id, version: 1 }, { trigger, steps: text, sealed });
    const secret = await deps.ownedDeliveries.openChannel(tx, { ...channelOf(id), workspaceId: scope.workspaceId });
    const row = await store.findWorkflow(tx.query, scope.workspaceId, id);
    if (row === undefined) throw new Error("a workflow that was just made is not there");
    if (definition.schedule !== null) await saveSchedule(tx, scope, row, definition.schedule);
    return workflowText(scope, row, secret);
  });
}

async function change(
  deps: DefinitionsDeps,
  { scope, author }: Writer,
  id: string,
  input: WorkflowInput,
): Promise<string> {
  const before = await existing(deps.db, scope, id);
  assertOwnEnvironment(scope.environment, before.author_environment, "workflow");
  // Target addresses are resolved before any row is locked.
  await accepted(deps, scope, overlaid(before, input));
  return await deps.db.transaction(async (tx) => {
    const held = await store.holdWorkflow(tx.query, scope.workspaceId, before.id);
    if (held === undefined) throw new ServiceError("not_found");
    assertOwnEnvironment(scope.environment, held.author_environment, "workflow");
    const text = overlaid(held, input);
    const { definition } = check(deps, text);
    const next = definesAnew(input) ? nextVersion(deps, { scope, author }, { held, text }) : undefined;
    const version = held.version + Number(next !== undefined);
    if (next !== undefined) await addVersion(tx, { scope, author, id: held.id, version }, next);
    const { name = held.name, enabled = held.enabled, max_runs_per_minute: perMinute } = input;
    await store.changeWorkflow(tx.query, scope.workspaceId, held.id, {
      name,
      enabled,
      version,
      event: lookedUpBy(definition),
      max_runs_per_minute: perMinute ?? held.max_runs_per_minute,
    });
    const row = (await store.findWorkflow(tx.query, scope.workspaceId, held.id)) ?? held;
    await saveSchedule(tx, scope, row, definition.schedule);
    return workflowText(scope, row);
  });
}

/** Returns the next version. Undefined if the definition and its author are unchanged. Throws 422 for a redacted header value that no stored value matches. */
function nextVersion(
  { sealer }: DefinitionsDeps,
  writer: Writer,
  { held, text: { trigger, steps } }: { readonly held: WorkflowRow; readonly text: DefinitionText },
): NewVersion | undefined {
  const place = versionPlace(held.id, held.version + 1);
  const { text, sealed, isSame } = sealDocument({ sealer, kind: WORKFLOW, place, before: keptBy(held) }, steps);
  const isUnchanged = isSame && trigger === held.trigger && text === shownDocument(WORKFLOW, held.steps);
  return isUnchanged && isWrittenBy(held, writer) ? undefined : { trigger, steps: text, sealed };
}

/** Keeps sandbox credentials from live workflows. */
function assertSameEnvironment(scope: Scope, row: WorkflowRow): void {
  if (row.author_environment === "live") assertOwnEnvironment(scope.environment, "live", "workflow");
}

function isWrittenBy(row: WorkflowRow, { scope, author }: Writer): boolean {
  return row.author_environment === scope.environment && row.author_kind === author.kind && row.author_id === author.id;
}

function definesAnew({ trigger, steps }: WorkflowInput): boolean {
  return trigger !== undefined || steps !== undefined;
}

function overlaid(row: WorkflowRow, { trigger = row.trigger, steps = row.steps }: WorkflowInput): DefinitionText {
  return { trigger, steps };
}
