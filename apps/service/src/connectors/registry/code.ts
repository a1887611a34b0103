import { Ajv } from "ajv";
import { HookError } from "../sandbox/hosts.ts";
import type { Hosts, Program } from "../sandbox/hosts.ts";
import type { Clock, Json } from "../../lib/lib.ts";
import { once, ServiceError, t, toRfc3339 } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Listener } from "./connectors.store.ts";
import { handledActions } from "./connector-backend.ts";
import { shownSettings } from "./connector-settings.ts";
import type { Values } from "./connector-settings.ts";
import type { Version } from "./version.ts";

const Names = t.Array(t.String({ maxLength: 200 }), { maxItems: 200 });
const CodeForm = t.Object(
  {
    key: t.String({ maxLength: 200 }),
    subscribers: t.Unsafe<Record<string, { readonly name: string; readonly priority: number | null }[]>>({
      type: "object",
      maxProperties: 101,
      additionalProperties: t.Array(
        t.Object(
          {
            name: t.String({ minLength: 1, maxLength: 200 }),
            priority: t.Nullable(t.Integer({ minimum: 1, maximum: 99 })),
          },
          t.strict,
        ),
        { maxItems: 50 },
      ),
    }),
    identity: Names,
    context: Names,
    actions: Names,
    webhook: t.Boolean(),
  },
  t.strict,
);
/** The class's own description: the result of its hooks. */
type CodeDescription = t.Static<typeof CodeForm>;

const DEADLINE_MS = 5000;
const form = once(() => new Ajv({ strict: false }).compile(CodeForm));

/** Returns the id of the child process of a connector in one workspace and environment. */
export function programId({ tag }: Pick<Scope, "tag">, key: string): string {
  return `${tag}/${key}`;
}

export function programOf(
  id: string,
  version: Version,
  files: (version: Version) => ReturnType<Program["files"]>,
): Program {
  const { digest, key, description } = version;
  return { id, digest, runtime: description.runtime, key, files: async () => await files(version) };
}

export interface CodeDeps {
  readonly hosts: Pick<Hosts, "call" | "end">;
  readonly clock: Clock;
  readonly files: (version: Version) => ReturnType<Program["files"]>;
}

/**
 * Asks the code for its description, in a separate child process, and returns the events with their handlers. Throws
 * 409 if the code cannot return one, or if it differs from `connector.json` and `actions.json`, because an
 * administrator has reviewed those.
 */
export async function describeCode(
  { hosts, clock, files }: CodeDeps,
  scope: Scope,
  { version, values }: { readonly version: Version; readonly values: Values },
): Promise<Listener[]> {
  const id = `${programId(scope, version.key)}/describe/${version.digest}`;
  let told: Json;
  try {
    told = await hosts.call(programOf(id, version, files), {
      hook: "describe",
      name: "",
      args: [],
      deadlineMs: DEADLINE_MS,
      facts: {
        event: null,
        settings: shownSettings(version.settings, values),
        environment: scope.environment,
        now: toRfc3339(clock.now()),
      },
      service: async () => await Promise.reject(new Error("describe asks for nothing")),
      log: () => undefined,
    });
  } catch (error) {
    throw codeRefusal(error);
  } finally {
    await hosts.end(id);
  }
  if (!form()(told)) throw mismatch(["The connector's hooks returned invalid values."]);
  const code = told as unknown as CodeDescription;
  const faults = differences(version, code);
  if (faults.length > 0) throw mismatch(faults);
  return listenersOf(code, version.description.priority);
}

function codeRefusal(error: unknown): unknown {
  if (!(error instanceof HookError)) return error;
  const isThere = error.kind !== "unavailable" && error.kind !== "start";
  return new ServiceError("conflict", {
    detail: isThere
      ? `The connector's code cannot be used: ${error.message}`
      : `The connector's code could not be started on this node: ${error.message}`,
    extra: { reason: isThere ? "code_failed" : "runtime_unavailable" },
  });
}

function mismatch(faults: readonly string[]): ServiceError {
  return new ServiceError("conflict", {
    detail: `The connector's code does not match its files. ${faults.join(" ")}`,
    extra: { reason: "code_mismatch" },
  });
}

function differences({ key, description, actions }: Version, code: CodeDescription): string[] {
  return [
    ...(code.key === key ? [] : [`key() is ${JSON.stringify(code.key)}.`]),
    ...compared("subscribers()", Object.keys(code.subscribers), description.events),
    ...compared("identityProviders()", code.identity, description.identity_providers),
    ...compared("contextProviders()", code.context, description.context_providers),
    ...compared("registerActions()", code.actions, handledActions(actions)),
    ...(code.webhook === (description.webhook !== null)
      ? []
      : [code.webhook ? "handleWebhook() exists, but webhook is not declared." : "handleWebhook() is missing."]),
  ];
}

function compared(hook: string, said: readonly string[], declared: readonly string[]): string[] {
  const more = said.filter((name) => !declared.includes(name));
  const missing = declared.filter((name) => !said.includes(name));
  return [
    ...(more.length === 0 ? [] : [`${hook} has ${more.join(", ")}, which is not declared.`]),
    ...(missing.length === 0 ? [] : [`${hook} lacks ${missing.join(", ")}.`]),
  ];
}

/** Returns one listener for each event and priority, with its handlers in the order of the class. */
function listenersOf({ subscribers }: CodeDescription, usual: number): Listener[] {
  return Object.entries(subscribers).flatMap(([event, handlers]) => {
    const byPriority = Map.groupBy(handlers, ({ priority }) => priority ?? usual);
    return [...byPriority].map(([priority, ones]) => ({
      event,
      priority,
      handlers: [...new Set(ones.map(({ name }) => name))],
    }));
  });
}
