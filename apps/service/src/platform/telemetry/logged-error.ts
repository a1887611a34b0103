/** What the log shows of an error. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  /** Of the system, the database or ourselves: `ECONNRESET`, `57P01`. */
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
  readonly errors?: readonly LoggedError[];
}

const MAX_DEPTH = 4;
const MAX_ERRORS = 10;

/**
 * An error by its own words alone. What libraries hang on their errors is left out: the database client among it, with
 * its connection's parameters, and the rows that a constraint refused.
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
