import { operation } from "../../access/access.ts";
import type { Gate } from "../../access/access.ts";
import { readers } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { once } from "../../lib/lib.ts";
import { describedCatalogue } from "../../events/events.ts";
import type { DescribedType } from "../../events/events.ts";
import { asyncApiDocument } from "./asyncapi.ts";
import { openApiDocument } from "./openapi.ts";
import { openApi31 } from "./openapi31.ts";
import type { App } from "../../accounts/accounts.ts";

export interface DocumentsDeps {
  readonly gate: Gate;
  readonly version: string;
  /** Returns the types of a workspace, its own ones included. */
  described(scope: Scope): Promise<readonly DescribedType[]>;
}

/** The list of event types, which needs no key here and returns more to a caller with one. */
const OPEN = operation({ name: "event_types.list", access: "read", callers: readers });

/** Adds the descriptions of the API and of the events for tools of others. */
export function documentRoutes(app: App, { gate, version, described }: DocumentsDeps): void {
  // All routes are registered before the first request.
  const document31 = once(() => openApi31(openApiDocument(app)));
  app.get("/openapi-3.1.json", { config: PUBLIC, schema: hidden("getOpenApi31") }, (_request, reply) =>
    reply.type(JSON_TYPE).send(document31()),
  );
  app.get(
    "/asyncapi.json",
    {
      config: { ...PUBLIC, switchboard: { open: OPEN, keyless: () => true, asked: () => ASKED } },
      schema: hidden("getAsyncApi"),
    },
    async ({ admitted }, reply) => {
      const types =
        admitted === null
          ? describedCatalogue()
          : await gate.within(admitted.scope, async () => await described(admitted.scope));
      return await reply.type(JSON_TYPE).send(asyncApiDocument(types, version));
    },
  );
}

const PUBLIC = { callers: "public" } as const;
const ASKED = { operation: OPEN, contract: null, ids: () => [] };
const JSON_TYPE = "application/json; charset=utf-8";

function hidden(operationId: string): { operationId: string; hide: true } {
  return { operationId, hide: true };
}
