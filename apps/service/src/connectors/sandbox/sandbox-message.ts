import { isRecord, scanJson } from "../../lib/lib.ts";
import { HOST_ERRORS, RUNTIMES } from "./program.ts";
import type { HostErrorCode, LogLine, Runtime } from "./program.ts";
import type { Json } from "../../lib/lib.ts";

/** A message of a child: docs/reference/connector-protocol.md. */
export type Message =
  | { readonly t: "ready"; readonly protocol: 1; readonly runtime: Runtime; readonly version: string }
  | { readonly t: "service"; readonly id: number; readonly call: number; readonly name: string; readonly args: Json[] }
  | ({ readonly t: "log"; readonly call: number } & LogLine)
  | { readonly t: "done"; readonly id: number; readonly value: Json }
  | { readonly t: "failed"; readonly id: number; readonly error: HookFailure };

export interface HookFailure {
  readonly message: string;
  readonly stack?: string;
  readonly code?: HostErrorCode;
}

const MAX_MESSAGE = 2000;
const MAX_STACK = 8000;
const LEVELS = ["debug", "info", "warning", "error"] as const;

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;
type Form = Readonly<Record<string, { readonly is: Check; readonly optional?: true }>>;

/** Reads a line. Returns undefined if it is not a valid message of a child. */
export function readMessage(line: Uint8Array): Message | undefined {
  const value = parse(line);
  if (!isRecord(value)) return undefined;
  const kind = value["t"];
  if (typeof kind !== "string" || !Object.hasOwn(FORMS, kind)) return undefined;
  return fits(value, FORMS[kind] ?? {}) ? (value as Message) : undefined;
}

function parse(line: Uint8Array): unknown {
  try {
    return scanJson(line).value;
  } catch {
    return undefined;
  }
}

function fits(value: Fields, form: Form): boolean {
  for (const name of Object.keys(value)) if (!Object.hasOwn(form, name)) return false;
  return Object.entries(form).every(([name, { is, optional }]) =>
    Object.hasOwn(value, name) ? is(value[name]) : optional === true,
  );
}

const isId: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isText =
  (longest: number): Check =>
  (value) =>
    typeof value === "string" && value.length <= longest;
const isOneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const ERROR: Form = {
  message: { is: isText(MAX_MESSAGE) },
  stack: { is: isText(MAX_STACK), optional: true },
  code: { is: isOneOf(HOST_ERRORS), optional: true },
};

const FORMS: Readonly<Record<string, Form>> = {
  ready: {
    t: { is: isOneOf(["ready"]) },
    protocol: { is: isOneOf([1]) },
    runtime: { is: isOneOf(RUNTIMES) },
    version: { is: isText(40) },
  },
  service: {
    t: { is: isOneOf(["service"]) },
    id: { is: isId },
    call: { is: isId },
    name: { is: isText(64) },
    args: { is: Array.isArray },
  },
  log: {
    t: { is: isOneOf(["log"]) },
    call: { is: isId },
    level: { is: isOneOf(LEVELS) },
    message: { is: (value) => typeof value === "string" },
    fields: { is: isRecord, optional: true },
  },
  done: { t: { is: isOneOf(["done"]) }, id: { is: isId }, value: { is: () => true } },
  failed: {
    t: { is: isOneOf(["failed"]) },
    id: { is: isId },
    error: { is: (value) => isRecord(value) && fits(value, ERROR) },
  },
};
