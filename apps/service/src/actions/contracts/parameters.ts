import { isRecord, pointerOf } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Contract } from "./contract.ts";
import type { ParameterSpec, ParameterValue } from "./parameter-specs.ts";
import { isOfType } from "./parameter-specs.ts";

/** The parameters of a call. A missing `parameters` counts as empty. */
export type Parameters = Readonly<Record<string, ParameterValue>>;

/**
 * Returns all faults of a call's parameters, with pointers below `/parameters`; empty if they are `Parameters`. Values
 * are never converted, and no message repeats one.
 */
export function checkParameters({ params }: Pick<Contract, "params">, value: unknown): Violation[] {
  const given: unknown = value ?? {};
  if (!isRecord(given) || value === null) return [{ pointer: "/parameters", code: "type", message: "must be object" }];
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(params, name));
  return [
    ...unknown.map((name) => violation(name, "unknown", "is not a parameter of this action")),
    ...Object.entries(params).flatMap(([name, spec]) => {
      if (!Object.hasOwn(given, name)) return spec.required ? [violation(name, "required", "is required")] : [];
      return valueFaults(spec, given[name]).map(([code, message]) => violation(name, code, message));
    }),
  ];
}

/** Returns the JSON Schema of the parameters, for lists of callable actions. */
export function parametersSchema({ params }: Pick<Contract, "params">): object {
  const entries = Object.entries(params);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, spec]) => [name, schemaOf(spec)])),
    required: entries.flatMap(([name, { required }]) => (required ? [name] : [])),
    additionalProperties: false,
  };
}

type Fault = readonly [code: string, message: string];

function violation(name: string, code: string, message: string): Violation {
  return { pointer: pointerOf(["parameters", name]), code, message };
}

function valueFaults(spec: ParameterSpec, value: unknown): Fault[] {
  if (!isOfType(spec.type, value)) {
    const isBadText = spec.type === "string" && typeof value === "string";
    return [isBadText ? ["text", "must be text without NUL and lone surrogates"] : ["type", TYPE_MESSAGES[spec.type]]];
  }
  const faults = typeof value === "string" ? textFaults(spec, value) : numberFaults(spec, value);
  if (spec.enum !== null && !spec.enum.includes(value))
    faults.push(["enum", `must be one of ${spec.enum.map((one) => JSON.stringify(one)).join(", ")}`]);
  return faults;
}

const TYPE_MESSAGES: Readonly<Record<ParameterSpec["type"], string>> = {
  int: "must be a whole number from -9007199254740991 to 9007199254740991",
  number: "must be within the range of a double",
  string: "must be string",
  boolean: "must be boolean",
};

function textFaults({ min, max }: ParameterSpec, value: string): Fault[] {
  const faults: Fault[] = [];
  const length = codePoints(value);
  if (max !== null && length > max) faults.push(["max", `must have at most ${max} characters; got ${length}`]);
  if (min !== null && length < min) faults.push(["min", `must have at least ${min} characters; got ${length}`]);
  return faults;
}

function numberFaults({ min, max }: ParameterSpec, value: ParameterValue): Fault[] {
  const faults: Fault[] = [];
  if (max !== null && Number(value) > max) faults.push(["max", `must be at most ${max}`]);
  if (min !== null && Number(value) < min) faults.push(["min", `must be at least ${min}`]);
  return faults;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _point of text) count += 1;
  return count;
}

function schemaOf({ type, min, max, enum: values, description }: ParameterSpec): object {
  const isText = type === "string";
  return {
    type: type === "int" ? "integer" : type,
    ...(description === "" ? {} : { description }),
    ...(min === null ? {} : { [isText ? "minLength" : "minimum"]: min }),
    ...(max === null ? {} : { [isText ? "maxLength" : "maximum"]: max }),
    ...(values === null ? {} : { enum: values }),
  };
}
