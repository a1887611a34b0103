import { compileFill, EVENT_ROOTS, readText, firingFault } from "../../events/events.ts";
import type { Fill } from "../../events/events.ts";
import { isRecipient } from "../notifications/notifications.ts";
import { PROVIDED_ACTIONS } from "../definitions/step-port.ts";
import type { ProvidedActionType } from "../definitions/step-port.ts";
import { HTTP_MEMBERS, readHttpCall } from "../../http-calls/http-calls.ts";
import type { HttpTemplate } from "../../http-calls/http-calls.ts";
import type { Operation } from "../../access/access.ts";
import { operation } from "../../access/access.ts";
import { isRecord } from "../../lib/lib.ts";
import type { ScannedJson, Template, Violation } from "../../lib/lib.ts";
import { operators, writers } from "../../accounts/accounts.ts";

/** A compiled action of a rule. */
export type Action = LocalAction | ProvidedAction;

/** An action that runs in one transaction with the run. A webhook becomes a delivery in that transaction. */
export type LocalAction =
  | {
      readonly type: "post_webhook";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Null: the event itself is delivered. */
      readonly body: Fill | null;
    }
  | { readonly type: "fire_event"; readonly event: string; readonly data: Fill }
  | { readonly type: "notify"; readonly to: Fill; readonly message: Fill }
  | { readonly type: "adjust_score"; readonly by: number }
  | { readonly type: "add_tag"; readonly tag: Template };

/** An action of another module. See `StepPort`. */
export type ProvidedAction =
  | { readonly type: Exclude<ProvidedActionType, "http">; readonly arguments: Fill }
  | { readonly type: "http"; readonly call: HttpTemplate };

export const ACTION_TYPES = [
  "fire_event",
  "post_webhook",
  "adjust_score",
  "add_tag",
  "notify",
  ...PROVIDED_ACTIONS,
] as const;

export function isProvided(action: Action): action is ProvidedAction {
  return PROVIDED_ACTIONS.some((type) => type === action.type);
}

const MAX_TAG = 64;
const MAX_SCORE = 1_000_000;
const MAX_RECIPIENTS = 20;
const MAX_TEXT = 2000;
const MAX_URL = 2048;

/** The permissions that the rule's author needs at the time of the run: to write rules, and to call what the rule calls. */
export const WRITING = operation({ name: "rules.update", access: "write", callers: writers });
const OPERATIONS: Readonly<Record<Action["type"], Operation>> = {
  fire_event: operation({ name: "events.fire", access: "write", callers: writers }),
  notify: operation({ name: "events.fire", access: "write", callers: writers }),
  adjust_score: operation({ name: "contacts.update", access: "write", callers: operators }),
  add_tag: operation({ name: "contacts.update", access: "write", callers: operators }),
  post_webhook: operation({ name: "webhook_endpoints.create", access: "write", callers: writers }),
  run_action: operation({ name: "actions.run", access: "write", callers: operators }),
  start_workflow: operation({ name: "workflows.start", access: "write", callers: operators }),
  http: operation({ name: "http_calls.test", access: "write", callers: writers }),
};

export function operationsOf(actions: readonly Action[]): readonly Operation[] {
  return [WRITING, ...actions.map(({ type }) => OPERATIONS[type])];
}

export function actsOnContact({ type }: Action): boolean {
  return type === "adjust_score" || type === "add_tag";
}

/** Compiles `then`: a list of objects, each with a type. Faults have pointers below `/then`. */
export function readActions(scan: ScannedJson): { actions: readonly Action[]; faults: readonly Violation[] } {
  const faults: Violation[] = [];
  const list: readonly unknown[] = Array.isArray(scan.value) ? scan.value : [];
  const actions = list.flatMap((value, at): Action[] => {
    const input = value as Record<string, unknown>;
    const type = ACTION_TYPES.find((known) => known === input["type"]);
    const reading = readingAt(scan, faults, { input, at });
    if (type === undefined) {
      reading.refuse("type", "type", `must be one of ${ACTION_TYPES.join(", ")}`);
      return [];
    }
    for (const name of Object.keys(input))
      if (name !== "type" && !MEMBERS[type].includes(name))
        reading.refuse(name, "unknown", `is not a member of ${type}`);
    return [READERS[type](reading)];
  });
  return { actions, faults };
}

/** The members of each type besides `type`. */
export const MEMBERS: Readonly<Record<Action["type"], readonly string[]>> = {
  fire_event: ["event", "data"],
  post_webhook: ["url", "headers", "body"],
  adjust_score: ["by"],
  add_tag: ["tag"],
  notify: ["to", "message"],
  run_action: ["action", "parameters"],
  start_workflow: ["workflow_id", "input"],
  http: [...HTTP_MEMBERS.required, ...HTTP_MEMBERS.optional],
};

interface Reading {
  readonly input: Readonly<Record<string, unknown>>;
  refuse(member: string, code: string, message: string): void;
  /** Compiles the member, or the whole action, with its templates. */
  fill(member?: string): Fill;
  http(): HttpTemplate;
}

const READERS: Readonly<Record<Action["type"], (reading: Reading) => Action>> = {
  fire_event({ input, refuse, fill }) {
    const { event, data } = input;
    const fault = firingFault(event, "must be an event name such as order.created, without values of the event");
    if (fault !== undefined) refuse("event", fault.code, fault.message);
    if (!isRecord(data)) refuse("data", "type", "must be an object");
    return { type: "fire_event", event: String(event), data: fill("data") };
  },
  post_webhook({ input, refuse, fill }) {
    const { url, headers = {}, body } = input;
    if (typeof url !== "string" || url.length > MAX_URL || url.includes("${"))
      refuse("url", "url", "must be a URL without values of the event: it is checked when it is saved");
    if (!isRecord(headers) || Object.values(headers).some((value) => typeof value !== "string" || value.includes("${")))
      refuse("headers", "type", "must be an object of strings, without values of the event");
    if (body !== undefined && !isRecord(body)) refuse("body", "type", "must be an object: it is the delivery's data");
    return {
      type: "post_webhook",
      url: String(url),
      headers: headers as Record<string, string>,
      body: body === undefined ? null : fill("body"),
    };
  },
  adjust_score({ input: { by }, refuse }) {
    if (!Number.isInteger(by) || Math.abs(Number(by)) > MAX_SCORE || by === 0)
      refuse("by", "range", `must be a whole number from -${MAX_SCORE} to ${MAX_SCORE}, and not 0`);
    return { type: "adjust_score", by: Number(by) };
  },
  add_tag({ input: { tag }, refuse }) {
    const template =
      typeof tag === "string" && tag !== "" && tag.length <= MAX_TEXT ? readText(tag, EVENT_ROOTS) : undefined;
    if (template === undefined)
      refuse("tag", "template", `must be a string of at most ${MAX_TAG} characters after it is filled in`);
    return { type: "add_tag", tag: template ?? [] };
  },
  notify({ input: { to, message }, refuse, fill }) {
    const list: readonly unknown[] = Array.isArray(to) ? to : [];
    if (list.length === 0 || list.length > MAX_RECIPIENTS || list.some((one) => typeof one !== "string" || one === ""))
      refuse("to", "type", `must be a list of 1 to ${MAX_RECIPIENTS} strings`);
    else if (!list.every((one) => isRecipient(String(one))))
      refuse("to", "recipient", "must contain roles (owner, admin, …), ids (mem_…) or e-mail addresses of members");
    if (typeof message !== "string" || message === "" || message.length > MAX_TEXT)
      refuse("message", "type", `must be a string of 1 to ${MAX_TEXT} characters`);
    return { type: "notify", to: fill("to"), message: fill("message") };
  },
  run_action({ input: { action, parameters = {} }, refuse, fill }) {
    if (typeof action !== "string" || action.includes("${"))
      refuse("action", "type", "must be the key of an action contract");
    if (!isRecord(parameters)) refuse("parameters", "type", "must be an object");
    return { type: "run_action", arguments: fill() };
  },
  start_workflow({ input: { workflow_id: id, input = {} }, refuse, fill }) {
    if (typeof id !== "string" || id.includes("${")) refuse("workflow_id", "type", "must be the id of a workflow");
    if (!isRecord(input)) refuse("input", "type", "must be an object");
    return { type: "start_workflow", arguments: fill() };
  },
  http: ({ http }) => ({ type: "http", call: http() }),
};

function readingAt(
  scan: ScannedJson,
  faults: Violation[],
  { input, at }: { input: Record<string, unknown>; at: number },
): Reading {
  return {
    input,
    refuse: (member, code, message) => void faults.push({ pointer: `/then/${at}/${member}`, code, message }),
    fill(member) {
      const place = member === undefined ? [at] : [at, member];
      const { fill, faults: found } = compileFill({ scan, place, roots: EVENT_ROOTS });
      faults.push(...found.map((fault) => ({ ...fault, pointer: `/then${fault.pointer}` })));
      return fill;
    },
    http() {
      const { call, faults: found } = readHttpCall({ scan, place: [at], roots: EVENT_ROOTS });
      faults.push(...found.map((fault) => ({ ...fault, pointer: `/then${fault.pointer}` })));
      return call;
    },
  };
}
