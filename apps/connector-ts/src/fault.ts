import { HostError } from "./host-error.ts";

export interface Told {
  readonly message: string;
  /** The stack trace of the connector's own code. */
  readonly stack?: string;
  readonly code?: string;
}

const MAX_MESSAGE = 2000;
const MAX_TRACE = 8000;

/**
 * Describes any thrown value, with a limited length and without paths of the machine. `hidden` contains folders and
 * URLs, the runtime's URL first.
 */
export function tell(thrown: unknown, hidden: readonly string[]): Told {
  const message = clean(
    read(() => messageOf(thrown), "Something was thrown that cannot be shown."),
    hidden,
  );
  const stack = read(() => stackOf(thrown), "");
  const code = read(() => (thrown instanceof HostError ? thrown.code : ""), "");
  return {
    message: message.slice(0, MAX_MESSAGE),
    ...(stack === "" ? {} : { stack: clean(ownFrames(stack, hidden), hidden).slice(0, MAX_TRACE) }),
    ...(code === "" ? {} : { code }),
  };
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `Thrown: ${String(thrown)}`;
  const { name, message } = thrown;
  return name === "Error" || name === "HostError" ? message : `${name}: ${message}`;
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? "") : "";
}

/** Removes stack frames of Node and of this runtime, which do not help the connector's author. */
function ownFrames(stack: string, hidden: readonly string[]): string {
  const [runtime = ""] = hidden;
  const foreign = (line: string) => /^ {4}at /.test(line) && (line.includes("node:") || line.includes(runtime));
  return stack
    .split("\n")
    .filter((line) => !foreign(line))
    .join("\n");
}

function clean(text: string, hidden: readonly string[]): string {
  return hidden.reduce((rest, path) => rest.replaceAll(path, ""), text);
}

/** Reads a value from foreign code. A getter or `toString` may throw, or return any type. */
function read(get: () => unknown, otherwise: string): string {
  try {
    const value = get();
    return typeof value === "string" ? value : otherwise;
  } catch {
    return otherwise;
  }
}
