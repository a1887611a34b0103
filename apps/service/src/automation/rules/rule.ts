import { EVENT_ROOTS, readCondition } from "../../events/events.ts";
import type { Condition } from "../../events/events.ts";
import { shownDocument } from "../../webhooks/webhooks.ts";
import { actsIn, scanJson, fromDate, tagOf, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { readActions } from "./actions.ts";
import type { Action } from "./actions.ts";
import { promotedFrom } from "../definitions/promotion.ts";
import { RULE_WEBHOOKS } from "./rule-headers.ts";
import type { RuleHead, RuleRow, RuleTexts } from "./rules.store.ts";

/** One compiled version of a rule. */
export interface Program {
  readonly condition: Condition;
  readonly actions: readonly Action[];
  /** The sealed values of its webhooks' headers. They are decrypted only when they are sent. */
  readonly headersSealed: Buffer | null;
}

export interface Rule {
  readonly head: RuleHead;
  readonly program: Program;
}

/** The maximum number of compiled rules in memory. A full cache is emptied, and its rules are compiled again. */
const KEPT = 50_000;

/** Compiles rules and keeps the results by id and version. A version never changes, so no result is stale. */
export interface Programs {
  of(rule: RuleTexts): Program;
  kept(rule: Pick<RuleHead, "id" | "version">): Program | undefined;
}

export function createPrograms(): Programs {
  const compiled = new Map<string, Program>();
  const name = ({ id, version }: Pick<RuleHead, "id" | "version">): string => `${id} ${version}`;
  return {
    kept: (rule) => compiled.get(name(rule)),
    of(rule) {
      const program = compiled.get(name(rule)) ?? compile(rule);
      if (compiled.size >= KEPT) compiled.clear();
      compiled.set(name(rule), program);
      return program;
    },
  };
}

/** Compiles texts that were validated when they were saved. */
export function compile({
  condition,
  actions,
  headers_sealed: headersSealed,
}: Pick<RuleRow, "condition" | "actions" | "headers_sealed">): Program {
  const when = readWhen(condition).condition;
  const then = readActions(scanJson(Buffer.from(actions))).actions;
  return { condition: when, actions: then, headersSealed };
}

/** Compiles `when`. Faults have pointers relative to it. */
export function readWhen(text: string): ReturnType<typeof readCondition> {
  return readCondition({ scan: scanJson(Buffer.from(text)), place: [], roots: EVENT_ROOTS });
}

export function ruleWireId(scope: Pick<Scope, "tag">, id: Uuid): Id {
  return wireId("rule", tagOf(scope.tag, "live"), id);
}

/** Returns a rule as JSON text. `when` and `then` keep their spelling with all digits, except for the values of headers. Rules of both environments have live ids. `secret` is only in the response that creates it. */
export function ruleText(scope: Scope, row: RuleRow, secret?: string): string {
  const environment = row.author_environment as Environment;
  const prefix = row.author_kind === "key" ? "key" : "mem";
  const head = {
    id: ruleWireId(scope, row.id),
    object: "rule",
    name: row.name,
    on: row.events,
    priority: row.priority,
    enabled: row.enabled,
    max_runs_per_minute: row.max_runs_per_minute,
    version: row.version,
    ...(secret === undefined ? {} : { signing_secret: secret }),
    author: {
      kind: row.author_kind,
      id: wireId(prefix, tagOf(scope.tag, prefix === "key" ? environment : "live"), row.author_id),
      environment,
    },
    ...scopeFields(scope),
    environment,
    acts_in: actsIn(row),
    promotes_to: row.promotes_to === null ? null : ruleWireId(scope, row.promotes_to),
    promoted_from: promotedFrom(row, (id) => ruleWireId(scope, id)),
    created_at: toRfc3339(uuidTime(row.id)),
    updated_at: toRfc3339(fromDate(row.updated_at)),
  };
  return `${JSON.stringify(head).slice(0, -1)},"when":${row.condition},"then":${shownDocument(RULE_WEBHOOKS, row.actions)}}`;
}
