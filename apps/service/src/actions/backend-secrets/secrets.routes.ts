import { t } from "../../lib/lib.ts";
import { callerOf, writers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import * as shapes from "./secrets.schemas.ts";
import type { Secrets } from "./secrets.ts";

const NameParams = t.Object({
  name: t.StringExample("billing_token", { description: "The name that contracts use." }),
});
export function secretRoutes(app: App, secrets: Secrets): void {
  route(app, "PUT /v1/secrets/:name", {
    config: { operation: "secrets.put", callers: writers, audit: "secret" },
    operationId: "putSecret",
    summary: "Set a secret",
    description:
      "Sets a credential for a backend, under the name that a contract uses as `secret_ref`. The value is stored encrypted and never returned. `hosts` names the hosts that it may be sent to: without them, a live secret is only for what owners and admins configure. A request without `hosts` keeps those that the secret has. Live and sandbox have separate secrets. The status is 201 if the secret was created.",
    params: NameParams,
    body: shapes.SecretBody,
    response: { 200: shapes.SecretView, 201: shapes.SecretView },
    handler: async (request, reply) => {
      const { secret, isNew } = await secrets.put(callerOf(request), request.params.name, request.body);
      return await reply.code(isNew ? 201 : 200).send(secret);
    },
  });

  route(app, "GET /v1/secrets", {
    config: { operation: "secrets.list", callers: writers },
    operationId: "listSecrets",
    summary: "List secrets",
    description: "Newest first, with their names and the contracts that use them.",
    querystring: shapes.SecretListQuery,
    response: { 200: shapes.SecretListView },
    handler: async (request) => await secrets.list(callerOf(request).scope, request.query),
  });

  route(app, "DELETE /v1/secrets/:name", {
    config: { operation: "secrets.delete", callers: writers, audit: "secret", errors: ["conflict"] },
    operationId: "deleteSecret",
    summary: "Delete a secret",
    description: "Refused while a contract uses the secret.",
    params: NameParams,
    response: { 204: t.Null() },
    handler: async (request) => {
      await secrets.remove(callerOf(request), request.params.name);
    },
  });
}
