import { readFile } from "node:fs/promises";
import type { Context, Options } from "./command.ts";
import { CommandError, UsageError } from "../../../packages/command-line/src/command-line.ts";
import { EXIT } from "./exit.ts";

/** Options of a command that sends a body. */
export const DATA: Options = {
  data: { type: "string", value: "<file>", about: "A JSON object from a file, or - for standard input." },
  set: {
    type: "string",
    multiple: true,
    value: "<a.b=value>",
    about: "A member of the object. Repeatable. The value is parsed as JSON if possible, and is text otherwise.",
  },
};

type Data = Record<string, unknown>;

/** Returns the data of `--data`, changed by `--set`; undefined if neither was given. Throws `CommandError`. */
export async function readData(context: Context, from?: Data): Promise<Data | undefined> {
  const file = context.text("data");
  const sets = context.texts("set");
  const base = file === undefined ? from : objectIn(await textOf(context, file), file);
  if (base === undefined && sets.length === 0) return undefined;
  const data = base ?? {};
  for (const set of sets) setMember(data, set);
  return data;
}

/** Returns the text of a file, or of standard input for `-`. */
export async function textOf(context: Context, file: string): Promise<string> {
  return file === "-" ? await context.io.input() : (await bytesOf(file)).toString("utf8");
}

export async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, EXIT.data);
  }
}

/** Returns a JSON object whose numbers are written unchanged: 10.50 and 12345678901234567890 keep their digits. */
export function objectIn(text: string, where: string): Data {
  const value = exactly(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Data;
  throw new CommandError(`${where === "-" ? "Standard input" : where} must contain a JSON object.`, EXIT.data);
}

/** Returns undefined if the text is not JSON. */
function exactly(text: string): unknown {
  try {
    return JSON.parse(text, asWritten);
  } catch {
    return undefined;
  }
}

/** `rawJSON` is part of ECMAScript 2026, which TypeScript does not know yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

function asWritten(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
}

const CLIMBING = new Set(["__proto__", "constructor", "prototype"]);

function setMember(data: Data, set: string): void {
  const at = set.indexOf("=");
  const names = set.slice(0, Math.max(0, at)).split(".");
  if (at < 1 || names.some((name) => name === "" || CLIMBING.has(name)))
    throw new UsageError(
      "--set must have the form <name>=<value>, with dots between nested names: --set order.currency=EUR",
    );
  const text = set.slice(at + 1);
  const last = names.pop() ?? "";
  let place = data;
  for (const name of names) {
    const within = place[name];
    const next: Data = typeof within === "object" && within !== null && !Array.isArray(within) ? (within as Data) : {};
    place[name] = next;
    place = next;
  }
  const value = exactly(text);
  place[last] = value === undefined ? text : value;
}
