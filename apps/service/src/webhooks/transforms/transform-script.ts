import { isRecord, JsonError, scanJson, ServiceError } from "../../lib/lib.ts";
import type { Tag } from "../../lib/lib.ts";
import { sentHeaderFaults } from "./transform.ts";
import { inputText } from "./transform-template.ts";
import type { Transformed, TransformInput } from "./transform-template.ts";

/** A script, and whose it is. */
export interface OwnedScript {
  readonly tag: Tag;
  /** The tenant that it belongs to; null for the workspace itself. */
  readonly tenant: string | null;
  readonly source: string;
}

/**
 * Runs scripts of endpoints, apart from this process and from other workspaces. Never throws for anything that the script does, only
 * ScriptsBusyError if its turn does not come.
 */
export interface ScriptRunner {
  /** Runs a script once. `input` is JSON text. */
  run(script: OwnedScript, input: string): Promise<ScriptResult>;
  /** Returns why a script cannot be run; undefined if it can. */
  fault(script: OwnedScript): Promise<string | undefined>;
}

/** Nothing was run: other scripts had all turns. */
export class ScriptsBusyError extends ServiceError {
  constructor() {
    super("service_unavailable", {
      detail: "The workspace's scripts are busy. Nothing was changed. Try again.",
      headers: { "Retry-After": "2" },
    });
  }
}

export type ScriptResult = (
  | {
      readonly kind: "request";
      /** JSON text. */
      readonly body: string;
      /** JSON text of an object of strings. */
      readonly headers: string;
    }
  | { readonly kind: "filtered" }
  | {
      readonly kind: "failed";
      readonly message: string;
      /** True if it took too long. */
      readonly stopped?: boolean;
    }
) & {
  /** The lines that the script wrote to the console. */
  readonly lines: readonly string[];
};

const MAX_BYTES = 262_144;

/** Runs a script, and checks what it returns. */
export async function runScript(
  runner: ScriptRunner,
  script: OwnedScript,
  input: TransformInput,
): Promise<Transformed> {
  const result = await runner.run(script, inputText(input));
  const log = result.lines;
  if (result.kind === "filtered") return { kind: "filtered", log };
  if (result.kind === "failed")
    return { kind: "failed", message: result.message, stopped: result.stopped === true, log };
  const headers = headersOf(result.headers);
  const fault = headers === undefined ? "The headers are not strings." : scriptAnswerFault(headers, result.body);
  if (headers === undefined || fault !== undefined) return { kind: "failed", message: fault ?? "", log };
  return { kind: "request", request: { method: "POST", headers, body: result.body }, log };
}

function headersOf(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = scanJson(Buffer.from(text)).value;
    const isStrings = isRecord(value) && Object.values(value).every((one) => typeof one === "string");
    return isStrings ? (value as Record<string, string>) : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function scriptAnswerFault(headers: Readonly<Record<string, string>>, body: string): string | undefined {
  const [fault] = sentHeaderFaults(headers);
  if (fault !== undefined) return `${fault.pointer} ${fault.message}.`;
  if (Buffer.byteLength(body) > MAX_BYTES) return `The body would be larger than ${MAX_BYTES} bytes.`;
  try {
    scanJson(Buffer.from(body));
    return undefined;
  } catch (error) {
    if (error instanceof JsonError) return "The body would be nested too deeply.";
    throw error;
  }
}
