import type { FastifyReply, FastifyRequest } from "fastify";
import { hash } from "node:crypto";
import { contractOf, nearest, operation, runOperation, withBody } from "../../access/access.ts";
import type {
  AccessChecks,
  Bound,
  MultiOperationRoute,
  Operation,
  OperationEntry,
  OperationTable,
} from "../../access/access.ts";
import { ServiceError, t } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import { readers, unscoped } from "../../accounts/accounts.ts";
import type { App, Caller } from "../../accounts/accounts.ts";
import { actionView, bind, contractActionView, CONTRACTS, envelope } from "./general.ts";
import type { CallableContract } from "./general.ts";
import { serviceErrorOf } from "../answers/problem.ts";

export const GENERAL_PATH = "/api/v1.php";

export interface GeneralDeps {
  readonly accessChecks: AccessChecks;
  /** Returns the registered contracts that a caller may run. */
  contractsFor(caller: Caller): Promise<readonly CallableContract[]>;
}

const CATALOGUE = "meta.actions";
/** The most bytes of a body that is read to see whether it asks for the catalogue, and so needs no credential. */
const MAX_KEYLESS_BYTES = 16 * 1024;
/**
 * The operation of a body that names none. Any key may call it. A reused idempotency key is refused first, because the
 * caller may have meant a write.
 */
const UNKNOWN: Operation = operation({ name: "meta.unknown", access: "read", callers: readers, ownIdempotency: true });
const NO_QUERY = t.Object({}, t.strict);

const GeneralBody = t.Object(
  {
    action: t.StringExample("events.fire", {
      minLength: 1,
      maxLength: 200,
      description: "The dotted name of an operation, or the key of a contract.",
    }),
    parameters: t.Optional(
      t.Unsafe<Record<string, unknown>>({
        description: "The arguments. You can also send them at the top level, next to `action`.",
        examples: [{ event: "order.created", data: { order: { external_id: "10482" } } }],
      }),
    ),
    confirmed: t.Optional(t.Boolean({ description: "Whether an action is confirmed, so that it can run at once." })),
  },
  { additionalProperties: true, title: "GeneralCall" },
);
const GeneralView = t.Unsafe<object>({
  title: "GeneralAnswer",
  type: "object",
  additionalProperties: true,
  required: ["ok", "action", "result", "request_id"],
  properties: {
    ok: { type: "boolean", enum: [true] },
    action: { type: "string", examples: ["events.fire"] },
    result: { description: "The response of the operation's route under `/v1`.", examples: [{ object: "event" }] },
    request_id: { type: "string", examples: ["req_0000000001m7w4q17jeay9df1b7sqp908g"] },
  },
});

/**
 * Serves every operation by its name (contract, section 7, last paragraph): the same access checks, handler and
 * response as under /v1, in one envelope.
 */
export function generalRoutes(app: App, deps: GeneralDeps, table: OperationTable): void {
  let everybodys: Catalogue | undefined;
  const catalogueFor = async (caller: Caller | null): Promise<Catalogue> => {
    const contracts =
      caller === null ? [] : await deps.accessChecks.within(caller.scope, async () => await deps.contractsFor(caller));
    if (contracts.length > 0) return catalogueOf(deps.accessChecks, table, contracts);
    return (everybodys ??= catalogueOf(deps.accessChecks, table, []));
  };
  app.post(
    GENERAL_PATH,
    {
      config: { callers: "by operation", switchboard: switchboardOf(table) },
      schema: {
        operationId: "callAction",
        summary: "Call an operation by its name",
        querystring: NO_QUERY,
        body: GeneralBody,
        description:
          "Runs the operation with the same access checks, effects and status codes as its route under `/v1`, and returns the result in one envelope. Arguments are next to `action`, or in `parameters`; an argument that is itself called `action` is in `parameters`. `meta.actions` lists the operations that can be called, and needs no key.",
        response: { 200: GeneralView, 201: GeneralView, 202: GeneralView, 204: t.Null(), 304: t.Null() },
      },
    },
    async function call(request, reply) {
      reply.type("application/json; charset=utf-8");
      if (request.body.action === CATALOGUE)
        return await sendCatalogue(request, reply, await catalogueFor(request.admitted));
      const bound = bind(table, request.scanned ?? undefined);
      if (bound === undefined) throw unknownAction(table, request.body.action);
      const { action } = request.body;
      return await inName(
        { bound, table, name: action },
        async () => await dispatch(this, bound, { request, reply, name: action }),
      );
    },
  );
}

function switchboardOf(table: OperationTable): MultiOperationRoute {
  return {
    open: operation({ name: CATALOGUE, access: "read", callers: unscoped(readers) }),
    // The length and a text search rule out most bodies, so that they are not parsed before the credential is known.
    keyless: (body, scan) => body.length <= MAX_KEYLESS_BYTES && body.includes(CATALOGUE) && isCatalogue(scan()),
    asked(scanned) {
      const bound = bind(table, scanned);
      if (bound === undefined) return { operation: UNKNOWN, contract: null, ids: () => [] };
      const { entry, params, query, body } = bound;
      const ids = (): unknown[] => [...Object.values({ ...params, ...query }), ...idsOf(body)];
      return { operation: withBody(entry.operation, body), contract: contractOf(entry.operation, body), ids };
    },
  };
}

function isCatalogue(scanned: ScannedJson | undefined): boolean {
  const value = scanned?.value;
  return typeof value === "object" && value !== null && "action" in value && value.action === CATALOGUE;
}

function idsOf(body: unknown): unknown[] {
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) => (name.endsWith("_id") ? [value] : []));
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The name that was called. */
  readonly name: string;
}

/** Runs the operation's own handler on the request as it would be under /v1. */
async function dispatch(app: App, bound: Bound<OperationEntry>, { request, reply, name }: Exchange): Promise<unknown> {
  if (bound.fault !== undefined) throw bound.fault;
  const { entry, params, query, body, scanned } = bound;
  const wrapBody = envelope(name, request.id);
  return await runOperation(app, entry, { params, query, body, scanned, wrapBody }, { request, reply });
}

interface Called {
  readonly bound: Bound<OperationEntry>;
  readonly table: OperationTable;
  readonly name: string;
}

/** Runs the operation. The pointers of its refusals refer to the caller's own body. */
async function inName({ bound, table, name }: Called, run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    const refusal = serviceErrorOf(error);
    const { errors } = refusal.details;
    // An unknown operation name was treated as a contract's key. The caller may have meant either.
    if (refusal.code === "action_unknown" && name !== bound.entry.operation.name)
      throw unknownAction(table, name, refusal);
    if (errors === undefined) throw error;
    throw new ServiceError(refusal.code, {
      ...refusal.details,
      errors: errors.map((one) => ({ ...one, pointer: bound.pointer(one.pointer) })),
    });
  }
}

function unknownAction(table: OperationTable, name: string, refusal?: ServiceError): ServiceError {
  const contracts = refusal?.details.extra?.["did_you_mean"];
  const names = Array.isArray(contracts) ? contracts.map(String) : [];
  return new ServiceError("action_unknown", {
    extra: { did_you_mean: nearest(name, [...table.keys(), CATALOGUE, ...names]) },
  });
}

interface Catalogue {
  readonly text: string;
  readonly etag: string;
}

/** Returns the operations for all callers, and the contracts that this caller may run. */
function catalogueOf(
  accessChecks: AccessChecks,
  table: OperationTable,
  contracts: readonly CallableContract[],
): Catalogue {
  const running = table.get(CONTRACTS);
  const perMinute = running === undefined ? 0 : accessChecks.perMinute(running.operation);
  const operations = [...table.values()].map((entry) => actionView(entry, accessChecks.perMinute(entry.operation)));
  const data = [...operations, ...contracts.map((one) => contractActionView(one, perMinute))].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const text = JSON.stringify({ object: "list", data, has_more: false, next_cursor: null });
  // The ETag is weak, because the request_id in each response is different.
  return { text, etag: `W/"${hash("sha256", text, "base64url").slice(0, 27)}"` };
}

async function sendCatalogue(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, etag }: Catalogue,
): Promise<FastifyReply> {
  reply.header("ETag", etag).header("Cache-Control", "private, no-cache").header("Vary", "Authorization, Cookie");
  const known = request.headers["if-none-match"]?.split(",").map((one) => one.trim());
  if (known?.some((one) => one === "*" || one === etag || `W/${one}` === etag) === true)
    return await reply.code(304).send();
  request.wrapBody = envelope(CATALOGUE, request.id);
  return await reply.send(text);
}
