import { operation } from "../../access/access.ts";
import type { AccessChecks } from "../../access/access.ts";
import { readers } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { once } from "../../lib/lib.ts";
import { describedCatalogue } from "../../events/events.ts";
import type { DescribedTypes } from "../../events/events.ts";
import { asyncApiText } from "./asyncapi.ts";
import { documentOf, sendDocument } from "../answers/sent-document.ts";
import type { SentDocument } from "../answers/sent-document.ts";
import { openApiDocument } from "./openapi.ts";
import { openApi31 } from "./openapi31.ts";
import type { App } from "../../accounts/accounts.ts";

export interface DocumentsDeps {
  readonly accessChecks: AccessChecks;
  readonly version: string;
  /** Returns the types of a workspace, its own ones included. */
  described(scope: Scope): Promise<DescribedTypes>;
}

/** The list of event types, which needs no key here and returns more to a caller with one. */
const OPEN = operation({ name: "event_types.list", access: "read", callers: readers, tenants: true });

/** Adds the descriptions of the API. Each is made for the first request, when all routes are registered, and kept as bytes. */
export function openApiRoutes(app: App, baseUrl: string): void {
  const document = once(() => documentOf(JSON_TYPE, JSON.stringify(openApiDocument(app, baseUrl))));
  const document31 = once(() => documentOf(JSON_TYPE, JSON.stringify(openApi31(openApiDocument(app, baseUrl)))));
  app.get("/openapi.json", { schema: HIDDEN }, (request, reply) => sendDocument(request, reply, document()));
  app.get("/openapi-3.1.json", { schema: HIDDEN }, (request, reply) => sendDocument(request, reply, document31()));
}

/** Adds the description of the events for tools of others. */
export function asyncApiRoutes(app: App, { accessChecks, version, described }: DocumentsDeps): void {
  const open = once(async () => documentOf(JSON_TYPE, await asyncApiText(describedCatalogue(), version)));
  const own = createKeptDocuments();
  app.get(
    "/asyncapi.json",
    {
      config: { callers: "public", switchboard: { open: OPEN, keyless: () => true, asked: () => ASKED } },
      schema: HIDDEN,
    },
    async (request, reply) => {
      const { admitted } = request;
      if (admitted === null) return await sendDocument(request, reply, await open(), VARIES);
      const { scope } = admitted;
      const types = await accessChecks.within(scope, async () => await described(scope));
      const make = async (): Promise<string> =>
        await asyncApiText(await accessChecks.within(scope, async () => await types.read()), version);
      return await sendDocument(request, reply, await own(types.state, make), VARIES);
    },
  );
}

/** The size of the documents of workspaces that are kept. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Returns a function that makes the document of a state once, for everyone who asks then or later, if there is room for it. */
function createKeptDocuments(): (state: string, make: () => Promise<string>) => Promise<SentDocument> {
  const kept = new Map<string, Promise<SentDocument>>();
  let bytes = 0;
  return async (state, make) => {
    const known = kept.get(state);
    if (known !== undefined) return await known;
    const making = make().then((text) => documentOf(JSON_TYPE, text));
    kept.set(state, making);
    try {
      const made = await making;
      bytes += made.bytes.length;
      if (bytes > KEPT_BYTES) {
        kept.clear();
        bytes = 0;
      }
      return made;
    } catch (error) {
      kept.delete(state);
      throw error;
    }
  };
}

const VARIES = { Vary: "Accept-Encoding, Authorization" };
const ASKED = { operation: OPEN, contract: null, ids: () => [] };
/** The descriptions are not in the contract. */
const HIDDEN = { hide: true };
const JSON_TYPE = "application/json; charset=utf-8";
