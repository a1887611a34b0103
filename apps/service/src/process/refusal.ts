import { DatabaseRefusedError, EmbeddedError, UnreachableError } from "../platform/db/db.ts";
import { CommandError, UsageError } from "../../../../packages/command-line/src/command-line.ts";
import { ConfigError, USAGE } from "../operator/operator.ts";
import { EXIT } from "./exit.ts";

/** The reason why the service does not start, as one line for the operator. */
export class StartRefusedError extends Error {
  override readonly name = "StartRefusedError";
  readonly exit: number;

  constructor(message: string, exit: number) {
    super(message);
    this.exit = exit;
  }
}

/**
 * Returns the text and the exit code for an error that ends the process. Only an unexpected error is printed with its
 * stack.
 */
export function processRefusal(error: unknown): { readonly message: string; readonly exit: number } {
  if (!(error instanceof Error)) return { message: String(error), exit: EXIT.failure };
  const { message } = error;
  if (error instanceof UsageError) return { message: `${message}\n\n${USAGE}`, exit: error.exit };
  const expected = expectedExit(error);
  if (expected !== undefined) return { message, exit: expected };
  const exit = systemExit(error);
  if (exit !== undefined) return { message: `${onOneLine(message)}. ${ADVICE[exit] ?? ""}`, exit };
  return error instanceof EmbeddedError
    ? { message: `${onOneLine(message)}.`, exit: EXIT.failure }
    : { message: error.stack ?? message, exit: EXIT.failure };
}

/** Returns the exit code of an error whose message is for the operator. */
function expectedExit(error: Error): number | undefined {
  if (error instanceof StartRefusedError) return error.exit;
  if (error instanceof ConfigError) return EXIT.config;
  if (error instanceof CommandError) return error.exit;
  if (error instanceof UnreachableError) return UNREACHABLE[error.kind];
  // The messages of these errors already say what to do.
  if (error instanceof EmbeddedError && error.cause !== undefined) return systemExit(error) ?? EXIT.failure;
  return error instanceof DatabaseRefusedError ? EXIT.failure : undefined;
}

/** Joins the lines of a message, because started programs print several. */
function onOneLine(message: string): string {
  return message.replaceAll(/\s+/g, " ").replace(/\.$/, "");
}

const UNREACHABLE = { silent: EXIT.unavailable, refused: EXIT.noPermission, settings: EXIT.config };

const ADVICE: Readonly<Record<number, string>> = {
  [EXIT.diskFull]: "Free space on the disk, or set `JUNCTION_DATA_DIR` to a folder on another disk.",
  [EXIT.noPermission]: "Give the file to the user that runs Junction, or start Junction as its owner.",
};

const SYSTEM: Readonly<Record<string, number>> = {
  ENOSPC: EXIT.diskFull,
  EDQUOT: EXIT.diskFull,
  // PostgreSQL's disk_full.
  "53100": EXIT.diskFull,
  EACCES: EXIT.noPermission,
  EPERM: EXIT.noPermission,
  EROFS: EXIT.noPermission,
};
const SQLITE_BUSY = 5;

/** Returns the exit code for a system error: that of the error, or of its cause. */
function systemExit(error: Error): number | undefined {
  const code = "code" in error && typeof error.code === "string" ? SYSTEM[error.code] : undefined;
  if (code !== undefined) return code;
  if (/No space left on device/.test(error.message)) return EXIT.diskFull;
  if ("errcode" in error && error.errcode === SQLITE_BUSY) return EXIT.inUse;
  return error.cause instanceof Error ? systemExit(error.cause) : undefined;
}
