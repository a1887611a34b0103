import { createHash } from "node:crypto";
import { isRecord, rememberByText } from "../../lib/lib.ts";
import type { Json, Tag } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { ScriptResult, ScriptRunner } from "../../webhooks/webhooks.ts";
import { createHosts, HookError } from "../sandbox/hosts.ts";
import type { FailureKind, HookCall, Program } from "../sandbox/hosts.ts";
import { scriptBackend } from "./script-backend.ts";

/** Runs the scripts of endpoints in processes of their own, one for each workspace and environment. */
export interface Scripts extends ScriptRunner {
  stop(): Promise<void>;
}

export interface ScriptsDeps {
  readonly log: Log;
  /** The folder for running processes. */
  readonly directory: string;
}

/** Together with an attempt, these are shorter than the lease of a delivery. */
const WAIT_MS = 5000;
const DEADLINE_MS = 4000;
const MOST_CHILDREN = 16;
const UNKNOWN = "unknown";
/** How many digests are kept of scripts, by their source. */
const MOST_DIGESTS = 1000;

const MESSAGES: Readonly<Record<FailureKind, string>> = {
  threw: "The script could not be run.",
  deadline: "The script took longer than 100 ms.",
  memory: "The script used more than 32 MiB of memory.",
  crashed: "The script ended its process.",
  protocol: "The script ended its process.",
  start: "The process for scripts could not be started. It is tried again with the next attempt.",
  unavailable: "The workspace's scripts were busy for too long. It is tried again with the next attempt.",
};

export function createScripts({ log, directory }: ScriptsDeps): Scripts {
  const hosts = createHosts({
    log,
    directory,
    backends: [scriptBackend()],
    maxChildren: MOST_CHILDREN,
    waitMs: WAIT_MS,
  });
  const digestOf = rememberByText((source) => createHash("sha256").update(source).digest("hex"), {
    results: MOST_DIGESTS,
  });

  async function called(tag: Tag, source: string, input: string | null): Promise<ScriptResult> {
    const program = programOf(tag);
    const name = digestOf(source);
    try {
      const first = await hosts.call(program, callOf(name, [input]));
      // The process is new, or has dropped the script.
      const value = kindOf(first) === UNKNOWN ? await hosts.call(program, callOf(name, [input, source])) : first;
      return resultOf(value);
    } catch (error) {
      if (error instanceof HookError) return { kind: "failed", message: MESSAGES[error.kind], lines: [] };
      throw error;
    }
  }

  return {
    run: async (tag, source, input) => await called(tag, source, input),
    async fault(tag, source) {
      const result = await called(tag, source, null);
      return result.kind === "failed" ? result.message : undefined;
    },
    stop: async () => await hosts.stop(),
  };
}

function programOf(tag: Tag): Program {
  return {
    id: `scripts:${tag}`,
    digest: "",
    runtime: "ts",
    key: "transforms",
    files: async () => await Promise.resolve(new Map()),
  };
}

function callOf(name: string, args: readonly Json[]): HookCall {
  return {
    hook: "action",
    name,
    args,
    deadlineMs: DEADLINE_MS,
    facts: { event: null, settings: {}, environment: "live", now: "" },
    service: async () => await Promise.reject(new Error("scripts have no services")),
    log: () => undefined,
  };
}

function kindOf(value: Json): unknown {
  return isRecord(value) ? value["kind"] : undefined;
}

/** Reads a result. The process is not trusted: another form is a failure. */
function resultOf(value: Json): ScriptResult {
  const { kind, body, headers, message, lines } = isRecord(value) ? value : {};
  const log = Array.isArray(lines) ? lines.map(String) : [];
  if (kind === "filtered") return { kind, lines: log };
  if (kind === "request" && typeof body === "string" && typeof headers === "string")
    return { kind, body, headers, lines: log };
  return { kind: "failed", message: typeof message === "string" ? message : MESSAGES.protocol, lines: log };
}
