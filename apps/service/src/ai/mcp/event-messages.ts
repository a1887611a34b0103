import { pageOfWhole } from "../../lib/lib.ts";
import type { PooledStream } from "../../lib/lib.ts";
import { holderOf } from "../../accounts/accounts.ts";
import { inputSchemaOf, payloadSchemaOf } from "./callbacks/type-schemas.ts";
import type { Exchange } from "./exchange.ts";
import { eventText } from "./event-feed.ts";
import { eventCursorOf, integerOf, selectionOf } from "./event-params.ts";
import { cursorOf as cursorOfPosition, positionOf } from "./event-position.ts";

const TYPES_SHOWN = 50;
const POLL_SECONDS = 5;
const MOST_EVENTS = { most: 100, usual: 50 };
const MOST_SECONDS = { most: 3600, usual: 300 };
/** The operation that lets a caller read events. */
export const READ_EVENTS = "events.list";

/** Returns the whole response to `events/list`: the types of events, with the schemas of their data. */
export async function listEventTypes({ mcp, question, caller, message }: Exchange): Promise<string> {
  const { scope } = caller;
  const types = await mcp.events.types(scope);
  const page = pageOfWhole(
    types,
    { limit: TYPES_SHOWN, ...cursorMember(eventCursorOf(message)) },
    { binding: [scope.tag, "mcp event types"], nameOf: ({ name }) => name },
  );
  const events = page.data.map((type) => ({
    name: type.name,
    title: type.title,
    description: type.description,
    version: type.version,
    deprecated: type.deprecated,
    delivery: DELIVERY,
    inputSchema: inputSchemaOf(type),
    payloadSchema: payloadSchemaOf(type),
  }));
  const nextCursor = page.next_cursor ?? undefined;
  return question.frame(JSON.stringify({ events, nextCursor }).slice(1, -1));
}

/** The ways of the dialect in which a client subscribes to one type. The capability lists those of the experimental one. */
const DELIVERY = ["webhook"];

function cursorMember(cursor: string | undefined): { readonly cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}

/** Returns the whole response to `events/poll`. Without a cursor, it contains no events and the position of now. */
export async function pollEvents(exchange: Exchange): Promise<string> {
  const { mcp, question, caller, message } = exchange;
  const { scope } = caller;
  const selection = selectionOf(exchange);
  const limit = integerOf(message, "limit", MOST_EVENTS);
  const cursor = eventCursorOf(message);
  const { feed } = mcp.events;
  const page =
    cursor === undefined
      ? { events: [], position: await feed.begin(scope), hasMore: false }
      : await feed.read(scope, selection, positionOf(cursor), limit);
  const rest = JSON.stringify({
    cursor: cursorOfPosition(page.position),
    hasMore: page.hasMore,
    nextPollSeconds: page.hasMore ? 0 : POLL_SECONDS,
  });
  return question.frame(
    `"events":[${page.events.map((event) => eventText(scope, event)).join(",")}],${rest.slice(1, -1)}`,
  );
}

/** Opens the stream of `events/stream`. */
export function streamEvents(exchange: Exchange): PooledStream {
  const { mcp, question, caller, message, session } = exchange;
  const { scope } = caller;
  const cursor = eventCursorOf(message);
  const from = cursor === undefined ? undefined : positionOf(cursor);
  return mcp.events.streams.open({
    scope,
    holder: holderOf(caller),
    selection: selectionOf(exchange),
    from,
    seconds: integerOf(message, "maxSeconds", MOST_SECONDS),
    question,
    recheck: async () => await mcp.accessChecks.recheck({ caller, session, operation: READ_EVENTS }),
    within: async (work) => await mcp.accessChecks.within(scope, work),
  });
}
