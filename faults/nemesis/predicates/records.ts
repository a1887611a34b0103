import type { Effect, Facts } from "../facts.ts";
import type { EndAuditRow, Operation } from "../history.ts";
import type { Predicate } from "./predicate.ts";

/** The names under which the audit has the operations of clients, and what is then its subject. */
const AUDITED: Partial<Readonly<Record<Operation["op"], string>>> = {
  create: "webhook_endpoints.create",
  change: "webhook_endpoints.update",
  toggle: "webhook_endpoints.toggle",
  rotate: "webhook_endpoints.secret.regenerate",
  delete: "webhook_endpoints.delete",
  "make-key": "keys.create",
  "revoke-key": "keys.revoke",
  "delete-tenant": "tenants.delete",
};

export const audit: Predicate = {
  name: "audit",
  promise: "The audit chain is whole, and has one entry for each answered change and none for others",
  broken(facts) {
    const { end } = facts;
    const counted = Map.groupBy(facts.effects.flatMap(subjectsOf), ({ key }) => key);
    const rows = Map.groupBy(end.audit, (row) => `${row.action} ${subjectIn(row)}`);
    const gap = end.audit.toReversed().findIndex(({ seq }, at) => seq !== at + 1);
    return [
      ...(end.auditIsWhole ? [] : ["the audit chain does not verify"]),
      ...(gap < 0 ? [] : [`the audit chain has a gap at ${gap + 1}`]),
      ...[...counted].flatMap(([key, effects]) => faultsOfCount(key, effects, rows.get(key)?.length ?? 0)),
    ];
  },
};

interface Audited {
  readonly key: string;
  readonly isSure: boolean;
}

function subjectsOf({ operation, outcome, body }: Effect): Audited[] {
  const action = AUDITED[operation.op];
  if (action === undefined || outcome === "refused") return [];
  const { id } = body;
  const subject = subjectOf(operation) ?? (typeof id === "string" ? id : undefined);
  return subject === undefined ? [] : [{ key: `${action} ${subject}`, isSure: outcome === "done" }];
}

function subjectOf(operation: Operation): string | undefined {
  if ("endpoint" in operation) return operation.endpoint;
  if (operation.op === "revoke-key") return operation.key;
  return operation.op === "delete-tenant" ? operation.tenant : undefined;
}

function subjectIn({ action, params_redacted: params, result_redacted: result }: EndAuditRow): string {
  return String(action === "tenants.delete" ? params?.["tenant"] : (result?.["id"] ?? params?.["id"]));
}

function faultsOfCount(key: string, effects: readonly Audited[], rows: number): string[] {
  const least = effects.filter(({ isSure }) => isSure).length;
  if (rows >= least && rows <= effects.length) return [];
  return [`the audit has ${rows} entries of ${key}, which was done ${least} to ${effects.length} times`];
}

export const usage: Predicate = {
  name: "usage",
  promise:
    "The usage counts each accepted event once; what a killed process counted in its last seconds may be missing",
  broken({ events, faults, end }) {
    const accepted = events.filter(({ effect }) => effect.outcome !== "refused");
    // Failures of deliveries and such are events of the service itself.
    const most = accepted.length + end.deliveries.length + end.proposals.length * 4;
    const sure = accepted.filter(({ effect, sent }) => effect.outcome === "done" && sent.deliverAtMs === undefined);
    const kills = faults.filter(
      ({ kind, strength }) => kind.startsWith("node-") || (kind === "failpoint" && strength === 2),
    );
    const isCounted = (endMs: number): boolean =>
      !kills.some(({ startMs, endMs: overMs }) => endMs > startMs - UNWRITTEN_MS && endMs < overMs + UNWRITTEN_MS);
    const least = sure.filter(({ effect }) => isCounted(effect.endMs)).length;
    if (end.usage.events >= least && end.usage.events <= most) return [];
    return [`the usage has ${end.usage.events} events, and ${least} to ${most} were accepted`];
  },
};

/** Counts are written every five seconds, and later while the database is away. */
const UNWRITTEN_MS = 30_000;

export const alive: Predicate = {
  name: "alive",
  promise: "No node ends by itself, and nothing is pending after a quiet end",
  broken: ({ end }) => [...end.ended, ...end.stuck.map((what) => `still pending after the quiet end: ${what}`)],
};

export const clear: Predicate = {
  name: "clear",
  promise:
    "Every refusal is a problem document with a code, none is an internal error, and those that can succeed later say so",
  broken({ calls }) {
    const refusals = calls.filter(({ status }) => status !== null && status >= 400);
    return [...new Set(refusals.flatMap((call) => faultsOfRefusal(call)))];
  },
};

function faultsOfRefusal({ status, body, operation }: Facts["calls"][number]): string[] {
  const { code, title, detail, retryable } = body ?? {};
  const what = `${operation.op} was answered ${status} ${String(code)}: ${String(detail ?? title)}`;
  if (typeof code !== "string" || typeof title !== "string") return [`${what}, which is no problem document`];
  if (status === 500) return [what];
  return status === 503 && retryable !== true ? [`${what}, without retryable`] : [];
}
