import { pointerOf } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";

export const PARAMETER_TYPES = ["int", "string", "number", "boolean"] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];
export type ParameterValue = string | number | boolean;

export interface ParameterSpec {
  readonly type: ParameterType;
  readonly required: boolean;
  /** The minimum of a number, or the minimum number of code points of a string. */
  readonly min: number | null;
  /** The maximum of a number, or the maximum number of code points of a string. */
  readonly max: number | null;
  readonly enum: readonly ParameterValue[] | null;
  /** Sensitive values are left out of audit entries and logs. */
  readonly sensitive: boolean;
  readonly description: string;
}

/** A parameter as it was declared. Omitted members have their defaults. */
export type ParameterInput = { readonly type: ParameterType } & {
  readonly [Name in Exclude<keyof ParameterSpec, "type">]?: NonNullable<ParameterSpec[Name]>;
};

/** Returns a parameter with its defaults. */
export function specOf({ type, ...given }: ParameterInput): ParameterSpec {
  const { required = false, min = null, max = null, sensitive = false, description = "" } = given;
  return { type, required, min, max, enum: given.enum ?? null, sensitive, description };
}

/** Names that are valid in every language and form field. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** Returns the faults of the parameters that a contract declares. Their shapes were checked before. */
export function parameterFaults(params: Readonly<Record<string, ParameterInput>>): Violation[] {
  return Object.entries(params).flatMap(([name, spec]) =>
    [...nameFaults(name), ...boundFaults(spec), ...enumFaults(spec)].map((fault) => ({
      ...fault,
      pointer: pointerOf(["params", name]) + fault.pointer,
    })),
  );
}

/**
 * Returns true if a value is of the type, without conversion. `int` is any JSON number without a fraction that a double
 * holds exactly (docs/decisions/0060).
 */
export function isOfType(type: ParameterType, value: unknown): value is ParameterValue {
  if (type === "int") return Number.isSafeInteger(value);
  if (type === "number") return Number.isFinite(value);
  if (type === "string") return typeof value === "string" && isText(value);
  return typeof value === "boolean";
}

/** Returns true for text that the database and every receiver accept. */
function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes("\u0000");
}

function nameFaults(name: string): Violation[] {
  if (NAME.test(name) && name !== "__proto__") return [];
  return [
    {
      pointer: "",
      code: "name",
      message: "must have a name of letters, digits and _ . - only, with at most 64 characters",
    },
  ];
}

function boundFaults({ type, min, max }: ParameterInput): Violation[] {
  const faults = [...boundFault(type, "/min", min), ...boundFault(type, "/max", max)];
  if (min !== undefined && max !== undefined && min > max)
    faults.push({ pointer: "/max", code: "bound", message: "must not be less than min" });
  return faults;
}

function boundFault(type: ParameterType, pointer: string, bound: number | undefined): Violation[] {
  if (bound === undefined) return [];
  if (type === "boolean") return [{ pointer, code: "unused", message: "has no effect for a boolean: omit it" }];
  if (type === "string")
    return isOfType("int", bound) && bound >= 0
      ? []
      : [{ pointer, code: "bound", message: "must be a whole number of characters" }];
  return isOfType(type, bound) ? [] : [{ pointer, code: "bound", message: `must also be ${type}` }];
}

function enumFaults({ type, enum: values }: ParameterInput): Violation[] {
  if (values === undefined) return [];
  if (type === "boolean")
    return [{ pointer: "/enum", code: "unused", message: "has no effect for a boolean: omit it" }];
  const faults = values.flatMap((value, at) =>
    isOfType(type, value) ? [] : [{ pointer: `/enum/${at}`, code: "type", message: `must be ${type}` }],
  );
  if (new Set(values).size < values.length)
    faults.push({ pointer: "/enum", code: "duplicate", message: "must not repeat a value" });
  return faults;
}
