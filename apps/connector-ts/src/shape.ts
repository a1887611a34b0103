import { AbstractConnector } from "./connector.ts";
import type { Handler, Json } from "./types.ts";

export type ConnectorClass = new () => AbstractConnector;
type Callable = (...args: readonly unknown[]) => unknown;

interface NamedHandler {
  readonly name: string;
  readonly priority: number | null;
  readonly handler: Callable;
}

/** Returns the only class among a module's exports that extends AbstractConnector. */
export function classOf(exports: Readonly<Record<string, unknown>>): ConnectorClass {
  const classes = new Set(
    Object.values(exports).filter(
      (value) => typeof value === "function" && value.prototype instanceof AbstractConnector,
    ),
  );
  const [only, another] = classes;
  if (only === undefined) throw new Error("connector.ts exports no class that extends AbstractConnector.");
  if (another !== undefined)
    throw new Error("connector.ts exports more than one class that extends AbstractConnector.");
  return only as ConnectorClass;
}

/** Returns the class's description. Throws if it is invalid. */
export function describe(connector: AbstractConnector): Json {
  const key: unknown = connector.key();
  if (typeof key !== "string") throw new Error("key() must return a text.");
  const subscribers: [string, Json][] = Object.keys(mapOf(connector, "subscribers")).map((event) => [
    event,
    handlersOf(connector, event).map(({ name, priority }) => ({ name, priority })),
  ]);
  return {
    key,
    subscribers: Object.fromEntries(subscribers),
    identity: namesOf(connector, "identityProviders"),
    context: namesOf(connector, "contextProviders"),
    actions: namesOf(connector, "registerActions"),
    webhook: connector.handleWebhook !== AbstractConnector.prototype.handleWebhook,
  };
}

/** Returns the function for a hook call. Throws if the class has none of that name. */
export function findHook(connector: AbstractConnector, hook: string, name: string): Callable {
  switch (hook) {
    case "describe":
      return () => describe(connector);
    case "subscriber":
      return findHandler(connector, name);
    case "identity":
      return memberOf(connector, "identityProviders", name);
    case "context":
      return memberOf(connector, "contextProviders", name);
    case "action":
      return memberOf(connector, "registerActions", name);
    case "webhook":
      return async (body, request) => {
        await connector.handleWebhook(body as never, request as never);
        return null;
      };
    case "test":
      return methodOf(connector, name);
    default:
      throw new Error(`There is no hook ${hook}.`);
  }
}

function findHandler(connector: AbstractConnector, name: string): Callable {
  for (const event of Object.keys(mapOf(connector, "subscribers"))) {
    const found = handlersOf(connector, event).find((one) => one.name === name);
    if (found === undefined) continue;
    return async () => {
      await found.handler(connector.event);
      return null;
    };
  }
  throw new Error(`subscribers() names no handler "${name}".`);
}

function handlersOf(connector: AbstractConnector, event: string): NamedHandler[] {
  const listed = mapOf(connector, "subscribers")[event];
  const list: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
  return list.map((one, place) => {
    const given = one as Handler;
    const { handler, priority } = typeof given === "object" && given !== null ? given : { handler: given };
    if (priority !== undefined && !Number.isInteger(priority)) {
      throw new Error(`subscribers(): the priority of a handler of ${event} must be a whole number.`);
    }
    return {
      name: typeof handler === "string" ? handler : `${event}#${place}`,
      priority: priority ?? null,
      handler: callableOf(connector, handler, `subscribers(): a handler of ${event}`),
    };
  });
}

type MapHook = "subscribers" | "identityProviders" | "contextProviders" | "registerActions";

function mapOf(connector: AbstractConnector, hook: MapHook): Readonly<Record<string, unknown>> {
  const map: unknown = connector[hook]();
  if (typeof map !== "object" || map === null || Array.isArray(map))
    throw new Error(`${hook}() must return an object.`);
  return map as Record<string, unknown>;
}

function namesOf(connector: AbstractConnector, hook: MapHook): string[] {
  return Object.keys(mapOf(connector, hook)).map((name) => {
    memberOf(connector, hook, name);
    return name;
  });
}

function memberOf(connector: AbstractConnector, hook: MapHook, name: string): Callable {
  const map = mapOf(connector, hook);
  if (!Object.hasOwn(map, name)) throw new Error(`${hook}() does not name "${name}".`);
  return callableOf(connector, map[name], `${hook}(): "${name}"`);
}

function callableOf(connector: AbstractConnector, given: unknown, what: string): Callable {
  if (typeof given === "string") return methodOf(connector, given);
  if (typeof given === "function") return (...args) => Reflect.apply(given, connector, args) as unknown;
  throw new Error(`${what} must be a method's name or a function.`);
}

function methodOf(connector: AbstractConnector, name: string): Callable {
  // Inherited methods cannot be handlers: `fire` as a handler is a mistake.
  const method: unknown = name in AbstractConnector.prototype ? undefined : Reflect.get(connector, name);
  if (typeof method !== "function") throw new Error(`The class has no method "${name}".`);
  return (...args) => Reflect.apply(method, connector, args) as unknown;
}
