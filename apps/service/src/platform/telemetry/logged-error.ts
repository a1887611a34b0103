/** The part of an error that the log shows. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  /** The code of the system, the database or our own: `ECONNRESET`, `57P01`. */
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

const MAX_DEPTH = 4;
const MAX_ERRORS = 10;

/**
 * Returns an error by its own text. Properties that libraries attach are left out, such as the database client with its
 * connection parameters, or the rows that a constraint rejected.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack } = error;
  const code: unknown = "code" in error ? error.code : undefined;
  return {
    type: name,
    message,
    ...(typeof code === "string" || typeof code === "number" ? { code: String(code) } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(depth < MAX_DEPTH ? behind(error, depth + 1) : {}),
  };
}

function behind(error: Error, depth: number): Pick<LoggedError, "cause" | "errors"> {
  return {
    ...(error.cause === undefined ? {} : { cause: loggedError(error.cause, depth) }),
    ...(error instanceof AggregateError
      ? { errors: error.errors.slice(0, MAX_ERRORS).map((one) => loggedError(one, depth)) }
      : {}),
  };
}
