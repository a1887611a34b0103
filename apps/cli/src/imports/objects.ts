import { CommandError } from "../../../../packages/command-line/src/command-line.ts";
import { EXIT } from "../exit.ts";

/** The objects that `junction import` reads from another product, in the form of POST /v1/imports. */
export interface Imported {
  readonly event_types: ImportedType[];
  readonly applications: ImportedApplication[];
  readonly endpoints: ImportedEndpoint[];
  /** The parts that cannot come along, and why. */
  readonly notes: Note[];
}

export interface ImportedType {
  readonly name: string;
  readonly description?: string;
  readonly schema?: object | null;
  readonly deprecated?: boolean;
}

export interface ImportedApplication {
  readonly ref: string;
  readonly uid: string | null;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly rate_limit_per_second?: number | null;
}

export interface ImportedEndpoint {
  readonly ref: string;
  readonly application?: string;
  readonly tenant?: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string;
  readonly active?: boolean;
  readonly channels?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly uid?: string | null;
  readonly rate_limit_per_second?: number | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly wire?: "service" | "svix";
}

export interface Note {
  readonly kind: "event_type" | "tenant" | "endpoint";
  readonly name: string;
  readonly reason: string;
}

export function nothing(): Imported {
  return { event_types: [], applications: [], endpoints: [], notes: [] };
}

/** The members of an object that another product answers. */
export type Answer = Readonly<Record<string, unknown>>;

export function answerOf(value: unknown): Answer {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): Answer[] {
  return Array.isArray(value) ? value.map(answerOf) : [];
}

/** Returns a member that every object of this kind has. Throws `CommandError` for an object of another form. */
export function memberOf(answer: Answer, ...names: readonly [string, ...string[]]): string {
  const found = names.map((name) => textOf(answer[name])).find((one) => one !== undefined);
  if (found !== undefined) return found;
  throw new CommandError(`The other product answered an object without ${names.join(" or ")}: ${FORM}`, EXIT.data);
}

/** Returns the objects of a list. Some servers write `null` for an empty one. Throws `CommandError` for any other answer. */
export function wholeListOf(value: unknown, path: string): Answer[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.map(answerOf);
  throw new CommandError(`The other product answered no list for ${path.split("?", 1)[0]}: ${FORM}`, EXIT.data);
}

const FORM = "check the address, and that its version is one that this command reads. Nothing was imported.";

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export function valuesOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(answerOf(value)).map(([name, one]) => [name, String(one)]));
}

export function rateOf(value: unknown): number | null {
  return typeof value === "number" && value >= 1 ? Math.min(10_000, Math.ceil(value)) : null;
}
