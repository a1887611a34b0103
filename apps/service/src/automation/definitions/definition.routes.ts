import { RegenerateBody, RevealedWebhooks, SecretView } from "../../webhooks/webhooks.ts";
import { sendText } from "../../access/access.ts";
import { PromotionBody, PromotionView, t } from "../../lib/lib.ts";
import type { IdPrefix, Promotion, PromotionRequest } from "../../lib/lib.ts";
import { callerOf, keepers, live, owners, route, writers } from "../../accounts/accounts.ts";
import type { App, Caller } from "../../accounts/accounts.ts";
import type { createDefinitionOperations } from "./definition.ts";

type Operations = Pick<ReturnType<typeof createDefinitionOperations>, "reveal" | "revealHeaders" | "regenerate"> & {
  promote(caller: Caller, id: string, request: PromotionRequest): Promise<Promotion>;
};

interface Described {
  readonly what: "rule" | "workflow";
  readonly prefix: IdPrefix;
  /** The sentence of the documentation about the references of a promotion. */
  readonly references: string;
  readonly withSecret: t.TSchema;
}

/** Registers the promotion, and the secrets of the webhooks, of rules or workflows. */
export function definitionRoutes(
  app: App,
  operations: Operations,
  { what, prefix, references, withSecret }: Described,
): void {
  const name = what === "rule" ? "Rule" : "Workflow";
  const params = t.Object({ id: t.WireId(prefix) });
  route(app, `POST /v1/${what}s/:id/promote`, {
    config: {
      operation: `${what}s.promote`,
      callers: live(keepers),
      audit: what,
      errors: ["url_blocked", "conflict"],
    },
    operationId: `promote${name}`,
    summary: `Promote a ${what} to live`,
    description: `Copies a ${what} of the sandbox to live: as a new ${what}, or as a new version of the ${what} in \`promotes_to\`. The caller becomes its author. With \`dry_run\`, only returns the difference. ${references}`,
    params,
    body: PromotionBody,
    response: { 200: PromotionView },
    handler: async (request) => await operations.promote(callerOf(request), request.params.id, request.body ?? {}),
  });

  route(app, `GET /v1/${what}s/:id/secret`, {
    config: { operation: `${what}s.secret`, callers: owners, audit: what },
    operationId: `get${name}Secret`,
    summary: `Show a ${what}'s signing secret`,
    description:
      "For owners only, and audited. While a regenerated secret overlaps with the previous one, the response contains both.",
    params,
    response: { 200: SecretView },
    handler: async (request) => await operations.reveal(callerOf(request).scope, request.params.id),
  });

  route(app, `GET /v1/${what}s/:id/headers`, {
    config: { operation: `${what}s.headers`, audit: what, callers: owners, errors: ["conflict"] },
    operationId: `reveal${name}Headers`,
    summary: `Show the values of a ${what}'s headers`,
    description: "For owners only, and audited. Other responses show `[redacted]` instead of the values.",
    params,
    response: { 200: RevealedWebhooks },
    handler: async (request) => await operations.revealHeaders(callerOf(request).scope, request.params.id),
  });

  route(app, `POST /v1/${what}s/:id/secret/regenerate`, {
    config: { operation: `${what}s.secret.regenerate`, callers: writers, audit: what },
    operationId: `regenerate${name}Secret`,
    summary: `Regenerate a ${what}'s signing secret`,
    description:
      "With `overlap_seconds`, both secrets sign for that time, so that receivers can change to the new one without a failure.",
    params,
    body: RegenerateBody,
    response: { 200: withSecret },
    handler: async (request, reply) => {
      const { scope } = callerOf(request);
      const overlapSeconds = request.body?.overlap_seconds ?? 0;
      return await sendText(reply, await operations.regenerate(scope, request.params.id, overlapSeconds));
    },
  });
}
