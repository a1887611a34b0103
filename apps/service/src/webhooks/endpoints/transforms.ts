import { authorOf } from "../../accounts/accounts.ts";
import type { ApiKey, Author, Scope } from "../../accounts/accounts.ts";
import { numberAsId, numberOfId, paginate, ServiceError, timeText, wireId } from "../../lib/lib.ts";
import type { Page, PageInput, t } from "../../lib/lib.ts";
import type { Tx } from "../../platform/db/db.ts";
import { storedEndpoint } from "./endpoint.ts";
import type { EndpointsDeps } from "./endpoint.ts";
import type { EndpointRow } from "./endpoints.store.ts";
import type { EventInQuestion } from "./explain.ts";
import { ownTransform } from "./wire.ts";
import { assertCasesPass, TEST_EVENT } from "../transforms/cases.ts";
import type { OwnedTransform, TransformRunner } from "../transforms/run-transform.ts";
import { inputText } from "../transforms/transform-template.ts";
import type { TransformInput } from "../transforms/transform-template.ts";
import { transformFaults } from "../transforms/transform.ts";
import { insertTransformVersion, listTransformVersions } from "./transform-versions.store.ts";
import type { TransformVersionRow } from "./transform-versions.store.ts";
import type * as shapes from "./transforms.schemas.ts";

/** The transformations of endpoints: tests, cases and versions (contract, section 10). */
export type Transforms = ReturnType<typeof createTransforms>;

export interface TransformTest {
  readonly event: EventInQuestion;
  /** JSON text of a transformation that is not saved; undefined for the endpoint's. */
  readonly transform: string | undefined;
}

export type TransformTestView = t.Static<typeof shapes.TransformTestView>;

type Deps = Pick<EndpointsDeps, "db" | "events"> & { readonly runner: TransformRunner };

export function createTransforms(deps: Deps) {
  return {
    /**
     * Returns what the endpoint's transformation, or the given one, makes of an event. Nothing is sent. Throws 422 for a
     * faulty transformation, and if there is none; 404 for an event of others.
     */
    async testTransform(scope: Scope, id: string, { event, transform }: TransformTest): Promise<TransformTestView> {
      const row = await storedEndpoint(deps, scope, id);
      const text = transform ?? ownTransform(row);
      if (text === null) throw without();
      const owned = { tag: scope.tag, tenant: row.tenant, text };
      await assertValid(deps.runner, owned);
      const input = await inputOf(deps, { scope, endpoint: row }, event);
      const result = await deps.runner.run(owned, input);
      return {
        before: inputText(input),
        after: result.kind === "request" ? result.request : null,
        filtered: result.kind === "filtered",
        error: result.kind === "failed" ? result.message : null,
        log: [...result.log],
      };
    },
    /** Returns the versions as JSON text, newest first. */
    async transformVersions(scope: Scope, id: string, page: PageInput): Promise<Page<string>> {
      const { id: endpointId } = await storedEndpoint(deps, scope, id);
      return await paginate(page, {
        binding: [scope.tag, "transform versions", endpointId],
        async read(last, limit) {
          const before = last === undefined ? undefined : numberOfId(last);
          const rows = await listTransformVersions(deps.db.query, scope, { endpointId, before, limit });
          return rows.map((row) => ({ id: numberAsId(row.version), row }));
        },
        view: ({ row }) => versionText(scope, row),
      });
    },
  };
}

function without(): ServiceError {
  const message = "must be present, because the endpoint has no transformation";
  return new ServiceError("validation_failed", { errors: [{ pointer: "/transform", code: "required", message }] });
}

async function assertValid(runner: TransformRunner, transform: OwnedTransform): Promise<void> {
  const errors = [...transformFaults(transform.text)];
  const fault = errors.length === 0 ? await runner.fault(transform) : undefined;
  if (fault !== undefined) errors.push({ pointer: "/transform/source", code: "script", message: fault });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

async function inputOf(
  { events }: Deps,
  { scope, endpoint }: { readonly scope: Scope; readonly endpoint: EndpointRow },
  event: EventInQuestion,
): Promise<TransformInput> {
  if (!("event_id" in event)) return { ...TEST_EVENT, ...event, tenant: event.tenant ?? endpoint.tenant };
  const { row, occurredAt } = await events.get(scope, event.event_id);
  return {
    event: row.name,
    data: row.data,
    id: wireId("evt", scope.tag, row.id),
    timestamp: occurredAt,
    tenant: row.tenant,
    attempt: 1,
  };
}

function versionText(scope: Scope, row: TransformVersionRow): string {
  const head = {
    object: "transform_version",
    version: row.version,
    author: authorView(scope, row),
    created_at: timeText(row.created_at),
  };
  return `${JSON.stringify(head).slice(0, -1)},"transform":${row.transform ?? "null"}}`;
}

/** Returns the author of a version. The people and the keys of a workspace are not shown to its customers. */
function authorView(scope: Scope, { author_kind: kind, author_id: id, ...author }: TransformVersionRow) {
  const { author_name: name, author_tenant: tenant } = author;
  const reader = scope.tenant ?? null;
  if (kind === null || id === null || (reader !== null && reader !== tenant)) return null;
  return { kind, id: reader === null ? wireId(kind === "key" ? "key" : "mem", scope.tag, id) : null, name };
}

/** The author of a version, with what it was called then. */
export interface NamedAuthor extends Author {
  readonly name?: string;
  /** The tenant of the author's key, or of its session of the portal. */
  readonly tenant?: string | null;
}

export function namedAuthorOf(key: Pick<ApiKey, "display" | "tenant"> & Parameters<typeof authorOf>[0]): NamedAuthor {
  return { ...authorOf(key), name: key.display, tenant: key.tenant };
}

/** Throws 422 for a transformation that cannot be run, and 409 unless its cases pass, before it is saved. */
export async function assertSavable(
  runner: TransformRunner,
  { tag, tenant = null }: Scope,
  transform: string | null | undefined,
): Promise<void> {
  if (typeof transform !== "string") return;
  const owned = { tag, tenant, text: transform };
  await assertValid(runner, owned);
  await assertCasesPass(runner, owned);
}

/** Records the version of an endpoint that was made or changed. */
export async function recordVersion(tx: Tx, row: EndpointRow, author: NamedAuthor | undefined): Promise<void> {
  const { bucket, tag, id, transform_version: version } = row;
  if (version === null) return;
  await insertTransformVersion(tx.query, {
    bucket,
    tag,
    endpoint_id: id,
    version,
    transform: ownTransform(row),
    author_kind: author?.kind ?? null,
    author_id: author?.id ?? null,
    author_name: author?.name ?? null,
    author_tenant: author?.tenant ?? null,
  });
}
