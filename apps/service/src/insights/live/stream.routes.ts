import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { sessionOf } from "../../access/access.ts";
import type { AccessChecks } from "../../access/access.ts";
import { ServiceError, t } from "../../lib/lib.ts";
import { callerOf, holderOf, readers, route } from "../../accounts/accounts.ts";
import type { ApiKey, App } from "../../accounts/accounts.ts";
import { KINDS } from "./listener.ts";
import type { Kind } from "./listener.ts";
import type { News } from "./live.ts";

const OPERATION = "stream.open";
const MOST_SECONDS = 3600;
/** The kinds of objects that can belong to a tenant. */
const OF_TENANTS: ReadonlySet<Kind> = new Set(["delivery", "receipt", "health"]);
const EXAMPLE =
  'event: delivery\ndata: {"id":"dlv_7k2m9qaw01m7w4q17jeay9df1b7sqp908g","object":"delivery","state":"delivered"}\n\nid: 81204:81207:81205\n\n';

const StreamQuery = t.Object(
  {
    kinds: t.Optional(
      t.StringExample("delivery,proposal", {
        maxLength: 100,
        description: `The kinds of events, separated by commas: ${KINDS.join(", ")}. Default: all kinds that the caller can read.`,
      }),
    ),
    last_event_id: t.Optional(
      t.StringExample("81204:81207:81205", {
        maxLength: 4000,
        description: "For clients that cannot send the `Last-Event-ID` header.",
      }),
    ),
    max_seconds: t.Optional(
      t.Integer({
        minimum: 0,
        maximum: MOST_SECONDS,
        default: MOST_SECONDS,
        description: "Seconds after which the stream ends. With 0, it ends as soon as all existing events are sent.",
      }),
    ),
    tenant: t.Optional(
      t.Tenant("Limits the stream to the deliveries, receipts and endpoints of one of your customers."),
    ),
  },
  t.strict,
);
const EventStream = t.Unsafe<Readable>({
  type: "string",
  description: "Server-sent events: docs/reference/stream.md.",
  examples: [EXAMPLE],
});

export function streamRoutes(
  app: App,
  { news, accessChecks }: { readonly news: News; readonly accessChecks: AccessChecks },
): void {
  const allowed = (key: ApiKey): Kind[] =>
    KINDS.filter((kind) => accessChecks.mayCall(key, news.readers()[kind].operation));

  function kindsOf(request: FastifyRequest, asked: string | undefined, tenant: string | undefined): ReadonlySet<Kind> {
    const { key } = callerOf(request);
    const may = allowed(key).filter((kind) => tenant === undefined || OF_TENANTS.has(kind));
    const kinds = new Set(asked === undefined ? may : named(asked));
    const forbidden = [...kinds].find((kind) => !may.includes(kind));
    if (forbidden === undefined && kinds.size > 0) return kinds;
    const names = forbidden === undefined ? "all kinds" : news.readers()[forbidden].operation;
    throw new ServiceError("scope_missing", {
      detail: `The stream contains only data that the caller can read. Not allowed: ${names}.`,
    });
  }

  route(app, "GET /v1/stream", {
    config: { callers: readers, operation: OPERATION, tenants: true, waits: true, errors: ["too_many_streams"] },
    operationId: "openStream",
    summary: "Stream events as they happen",
    description:
      "Server-sent events about deliveries, receipts, proposals and the health of endpoints. Each contains the object as its list shows it. `Last-Event-ID` resumes the stream without a gap for 10 minutes. After that, a `reset` message asks the client to read the lists again. The stream of a tenant's key contains only what is that tenant's. The stream ends when its key or session ends.",
    querystring: StreamQuery,
    produces: ["text/event-stream"],
    response: { 200: EventStream },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { query, headers } = request;
      const kinds = kindsOf(request, query.kinds, query.tenant);
      reply
        .type("text/event-stream; charset=utf-8")
        .header("Cache-Control", "no-store")
        // Without this header, a proxy would buffer the messages.
        .header("X-Accel-Buffering", "no");
      // A HEAD needs no place for a stream.
      if (request.method === "HEAD") return Readable.from([]);
      const header = headers["last-event-id"];
      const session = sessionOf(request);
      const stream = await news.listen({
        scope: { ...caller.scope, tenant: query.tenant ?? caller.scope.tenant ?? null },
        holder: holderOf(caller),
        kinds,
        lastEventId: query.last_event_id ?? (Array.isArray(header) ? header[0] : header),
        maxSeconds: query.max_seconds ?? MOST_SECONDS,
        recheck: async () => new Set(allowed(await accessChecks.recheck({ caller, session, operation: OPERATION }))),
      });
      stream.attach(reply.raw);
      return stream.readable;
    },
  });
}

function named(text: string): Kind[] {
  return text.split(",").map((word) => {
    const kind = KINDS.find((known) => known === word.trim());
    if (kind === undefined)
      throw new ServiceError("query_invalid", {
        detail: `kinds must be a comma-separated list of ${KINDS.join(", ")}; got ${word}.`,
      });
    return kind;
  });
}
