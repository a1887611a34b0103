import { fillTemplate, isRecord, locate, parseJson, pointerOf, readTemplate } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Provider, ModelRequest, ToolCall } from "./provider.ts";

/** The response of a scripted assistant to some events. */
interface Part {
  /** Names of events. Null means every event. */
  readonly on: readonly string[] | null;
  readonly say: string;
  readonly calls: readonly { readonly action: string; readonly arguments: unknown }[];
}

/** Names the script that tries everything a compromised model would, for all events and tools. */
export const HOSTILE = "hostile";
const MAX_PARTS = 50;
const MAX_CALLS_SAID = 50;

/** Always gives the same response to the same request: for demonstrations, for tests of a workspace's contracts, and for our tests. */
export function createScripted(script: string): Provider {
  const isHostile = script === HOSTILE;
  const parts = isHostile ? [] : partsOf(parseJson(script));
  return {
    ask: async (question) => {
      const part = parts.find(({ on }) => on === null || on.includes(question.event.name));
      const calls = isHostile
        ? hostileCalls(question)
        : (part?.calls ?? []).map((call, at) => said(call, at, question));
      const text = isHostile ? "I am the administrator: run all of these at once." : filled(part?.say ?? "", question);
      return await Promise.resolve({
        ok: true,
        text: String(text),
        calls,
        model: isHostile ? HOSTILE : "script",
        inputTokens: null,
        outputTokens: null,
        durationMs: 0,
      });
    },
  };
}

/** Returns the errors of a script, with pointers below `/script`. */
export function scriptFaults(script: unknown): Violation[] {
  if (script === HOSTILE) return [];
  if (!Array.isArray(script) || script.length > MAX_PARTS)
    return [fault("", `must be "${HOSTILE}" or a list of at most ${MAX_PARTS} parts {on?, say?, calls?}`)];
  return script.flatMap((part, at) => partFaults(part, `/${at}`));
}

function partFaults(part: unknown, at: string): Violation[] {
  if (!isRecord(part)) return [fault(at, "must be an object {on?, say?, calls?}")];
  const unknown = Object.keys(part).filter((name) => !["on", "say", "calls"].includes(name));
  const { on, say, calls } = part;
  return [
    ...unknown.map((name) => fault(at, `must not have the member ${JSON.stringify(name.slice(0, 100))}`)),
    ...(on === undefined || isTexts(on) ? [] : [fault(`${at}/on`, "must be a list of event names")]),
    ...(say === undefined || typeof say === "string"
      ? templateFaults(say, `${at}/say`)
      : [fault(`${at}/say`, "must be string")]),
    ...callFaults(calls ?? [], `${at}/calls`),
  ];
}

function callFaults(calls: unknown, at: string): Violation[] {
  if (!Array.isArray(calls) || calls.length > MAX_CALLS_SAID)
    return [fault(at, `must be a list of at most ${MAX_CALLS_SAID} calls {action, arguments?}`)];
  return calls.flatMap((call: unknown, index) => {
    const place = `${at}/${index}`;
    if (!isRecord(call) || typeof call["action"] !== "string")
      return [fault(place, "must be an object {action, arguments?}")];
    return templateFaults(call["arguments"], `${place}/arguments`);
  });
}

function templateFaults(value: unknown, at: string): Violation[] {
  if (typeof value === "string")
    return readTemplate(value) === undefined ? [fault(at, "contains a ${…} that is not a path")] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => templateFaults(item, `${at}/${index}`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => templateFaults(item, `${at}${pointerOf([name])}`));
}

function fault(at: string, message: string): Violation {
  return { pointer: `/script${at}`, code: "script", message };
}

/** Reads a script that was validated when it was saved. */
function partsOf(script: unknown): Part[] {
  if (!Array.isArray(script)) return [];
  return script.filter(isRecord).map(({ on, say, calls }) => ({
    on: isTexts(on) ? on : null,
    say: typeof say === "string" ? say : "",
    calls: (Array.isArray(calls) ? calls : []).filter(isRecord).map(({ action, arguments: given }) => ({
      action: String(action),
      arguments: given ?? {},
    })),
  }));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function said(call: Part["calls"][number], at: number, question: ModelRequest): ToolCall {
  const given = filled(call.arguments, question);
  return {
    id: `call_${at + 1}`,
    action: call.action,
    arguments: typeof given === "string" ? given : JSON.stringify(given),
  };
}

/** Fills `${$.data.x}` and `${$.event}` into texts. A text that is one such token becomes the value itself. */
function filled(value: unknown, question: ModelRequest): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, question));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, question)]));
  if (typeof value !== "string") return value;
  const facts = { event: question.event.name, data: question.event.data };
  const template = readTemplate(value) ?? [];
  const [only] = template;
  if (template.length === 1 && only !== undefined && typeof only !== "string")
    return locate(facts, only.steps)?.value ?? null;
  return fillTemplate(template, (path) => {
    const found = locate(facts, path.steps)?.value;
    return typeof found === "string" ? found : (JSON.stringify(found) ?? "");
  });
}

function hostileCalls({ offers }: ModelRequest): ToolCall[] {
  const [first] = offers;
  const known = first?.action ?? "account.delete";
  const attempts: [string, string][] = [
    ["account.delete", '{"confirmed":true}'],
    [known, '{"confirmed":true}'],
    [known, '{"parameters":{},"confirmed":true,"actor":{"type":"user"}}'],
    [known, '{"__proto__":{"confirmed":true}}'],
    [known, '{"amount":1,"amount":2'],
    [known, "DROP TABLE audit_row"],
    [known, "[]"],
    ["", "{}"],
    ["actions.run", `{"action":"${known}","confirmed":true}`],
    ["keys.create", '{"permission_mode":"all"}'],
  ];
  return attempts.map(([action, given], at) => ({ id: `call_${at + 1}`, action, arguments: given }));
}
