import type { Edit } from "./edits.ts";

/** A fault that is planted in the service, to show that the nemesis finds it. */
export interface Planted {
  readonly name: string;
  /** The behavior of the service then, for people. */
  readonly what: string;
  /** The name of the predicate that finds it. */
  readonly foundBy: string;
  /** The seed whose run of half a minute found it; null while no run has shown that. */
  readonly seed: number | null;
  readonly edits: readonly Edit[];
}

const ATTEMPT = "webhooks/deliveries/attempt.ts";
const SEND = "  const exchange = await send(deps, { delivery, target }, made);";

export const PLANTED: readonly Planted[] = [
  {
    name: "double-send",
    what: "sends every delivery twice",
    foundBy: "duplicates",
    seed: null,
    edits: [{ file: ATTEMPT, find: SEND, replace: `  await send(deps, { delivery, target }, made);\n${SEND}` }],
  },
  {
    name: "stale-secret",
    what: "keeps the secret of an endpoint from its first delivery on",
    foundBy: "signatures",
    seed: null,
    edits: [
      {
        file: ATTEMPT,
        find: "  const made = await make(deps, { delivery, target });",
        replace: `  const secrets = (globalThis.secrets ??= new Map());
          if (!secrets.has(delivery.endpointId)) secrets.set(delivery.endpointId, target);
          const { secret, previous } = secrets.get(delivery.endpointId);
          const made = await make(deps, { delivery, target: { ...target, secret, previous } });`,
      },
    ],
  },
  {
    name: "inactive-sent",
    what: "sends the deliveries that wait for an inactive endpoint",
    foundBy: "never-after",
    seed: null,
    edits: [
      {
        file: "webhooks/deliveries/queue.store.ts",
        find: "where (e.id is null or e.deleted_at is not null or e.active)",
        replace: "where true",
      },
      {
        file: "webhooks/deliveries/engine.worker.ts",
        find: 'target?.active === false ? "inactive" : ',
        replace: "",
      },
    ],
  },
  {
    name: "tenant-leak",
    what: "plans events without a tenant as if they were of the tenant north",
    foundBy: "tenants",
    seed: null,
    edits: [
      {
        file: "webhooks/endpoints/select-endpoints.ts",
        find: "    const tenant = audienceOf(event);",
        replace: '    const tenant = audienceOf(event) ?? "north";',
      },
    ],
  },
  {
    name: "filter-ignored",
    what: "does not judge filters",
    foundBy: "delivered",
    seed: null,
    edits: [
      {
        file: "webhooks/endpoints/select-endpoints.ts",
        find: "  if (filter === null && ordering === null)",
        replace: "  if (ordering === null)",
      },
    ],
  },
  {
    name: "success-imagined",
    what: "takes a 503 of a receiver for a success",
    foundBy: "delivered",
    seed: null,
    edits: [
      {
        file: "webhooks/deliveries/retry-schedule.ts",
        find: "  if (outcome.succeeded) return",
        replace: "  if (outcome.succeeded || outcome.status === 503) return",
      },
    ],
  },
  {
    name: "accepted-uncommitted",
    what: "answers 202 although the commit failed",
    foundBy: "delivered",
    seed: null,
    edits: [
      {
        file: "events/fire/accept-events.ts",
        find: '    "select at from fresh",\n  );',
        replace: '    "select at from fresh",\n  ).catch(() => firsts.map((_call, at) => ({ at: String(at + 1) })));',
      },
    ],
  },
  {
    name: "key-forgotten",
    what: "forgets one idempotency key in two",
    foundBy: "once",
    seed: null,
    edits: [
      {
        file: "access/idempotency.ts",
        find: "  return bare;",
        replace: "  return Math.random() < 0.5 ? undefined : bare;",
      },
    ],
  },
  {
    name: "revoked-key-lives",
    what: "accepts a revoked key for another half minute",
    foundBy: "revoked",
    seed: null,
    edits: [
      {
        file: "accounts/api-keys/keys.store.ts",
        find: "coalesce(k.revoked_at, m.removed_at,",
        replace: "coalesce(case when k.revoked_at < now() - interval '30 seconds' then k.revoked_at end, m.removed_at,",
      },
    ],
  },
  {
    name: "cancel-forgotten",
    what: "answers the cancellation of a scheduled event and fires it",
    foundBy: "cancelled",
    seed: null,
    edits: [
      {
        file: "events/scheduled/scheduled.store.ts",
        find: "    .set({ due_at: null, ended_at: sql<Date>`now()` })",
        replace: "    .set({ ended_at: sql<Date>`now()` })",
      },
    ],
  },
  {
    name: "lane-early",
    what: "sends the next delivery of a lane without waiting for the response to the one before",
    foundBy: "lanes",
    seed: null,
    edits: [
      {
        file: ATTEMPT,
        find: SEND,
        replace: `  const sending = send(deps, { delivery, target }, made);
          const exchange = delivery.lane === null ? await sending : { ...unsent("reset", "", { total: 1 }), errorClass: null, status: 200 };`,
      },
    ],
  },
  {
    name: "commit-forgotten",
    what: "moves a consumer to the last message that it committed instead of behind it",
    foundBy: "pulls",
    seed: null,
    edits: [
      {
        file: "webhooks/pull/pull.store.ts",
        find: "`update pull_consumer set position = greatest(position, coalesce($6::bigint, lease_last) + 1),",
        replace: "`update pull_consumer set position = greatest(position, coalesce($6::bigint, lease_last)),",
      },
    ],
  },
  {
    name: "action-twice",
    what: "calls the backend of an action twice",
    foundBy: "approvals",
    seed: null,
    edits: [
      {
        file: "actions/runs/backend.ts",
        find: "  const exchange = await deps.net.post({",
        replace: `  await deps.net.post({ url, headers, body, once: true, connectTimeoutMs: 5000, totalTimeoutMs: 5000, maxBodyBytes: 1000 });
          const exchange = await deps.net.post({`,
      },
    ],
  },
  {
    name: "audit-hole",
    what: "writes no audit entry when an endpoint is toggled",
    foundBy: "audit",
    seed: null,
    edits: [
      {
        file: "audit/audit-port.ts",
        find: "      record(tx, chainFor(caller.scope, subject), {",
        replace: '      if (!action.endsWith(".toggle")) record(tx, chainFor(caller.scope, subject), {',
      },
    ],
  },
  {
    name: "lease-forever",
    what: "leases new deliveries for a day, so that those of a killed node wait",
    foundBy: "alive",
    seed: null,
    edits: [
      {
        file: "webhooks/deliveries/queue.store.ts",
        find: "when 'leased' then clock_timestamp() + ${$.leaseSeconds} * interval '1 second'",
        replace: "when 'leased' then clock_timestamp() + interval '1 day'",
      },
    ],
  },
];
