import { StringExample, Type } from "../../lib/lib.ts";
import { callerOf, writers } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import * as shapes from "./secrets.schemas.ts";
import type { Secrets } from "./secrets.ts";

const NameParams = Type.Object({
  name: StringExample("billing_token", { description: "The name that contracts use." }),
});
export function secretRoutes(app: App, secrets: Secrets): void {
  app.put(
    "/v1/secrets/:name",
    {
      config: { operation: "secrets.put", callers: writers, audit: "secret" },
      schema: {
        operationId: "putSecret",
        summary: "Set a secret",
        description:
          "Sets a credential for a backend, under the name that a contract uses as `secret_ref`. The value is stored encrypted and never returned. `hosts` names the hosts that it may be sent to: without them, a live secret is only for what owners and admins configure. A request without `hosts` keeps those that the secret has. Live and sandbox have separate secrets. The status is 201 if the secret was created.",
        params: NameParams,
        body: shapes.SecretBody,
        response: { 200: shapes.SecretView, 201: shapes.SecretView },
      },
    },
    async (request, reply) => {
      const { secret, isNew } = await secrets.put(callerOf(request), request.params.name, request.body);
      return await reply.code(isNew ? 201 : 200).send(secret);
    },
  );

  app.get(
    "/v1/secrets",
    {
      config: { operation: "secrets.list", callers: writers },
      schema: {
        operationId: "listSecrets",
        summary: "List secrets",
        description: "Newest first, with their names and the contracts that use them.",
        querystring: shapes.SecretListQuery,
        response: { 200: shapes.SecretListView },
      },
    },
    async (request) => await secrets.list(callerOf(request).scope, request.query),
  );

  app.delete(
    "/v1/secrets/:name",
    {
      config: { operation: "secrets.delete", callers: writers, audit: "secret", errors: ["conflict"] },
      schema: {
        operationId: "deleteSecret",
        summary: "Delete a secret",
        description: "Refused while a contract uses the secret.",
        params: NameParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await secrets.remove(callerOf(request), request.params.name);
      return await reply.code(204).send(null);
    },
  );
}
