import { Client, DatabaseError } from "pg";

/** The reason why the database of `DATABASE_URL` cannot be used, in words for the operator. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  /** `settings`: the address names a database or role that does not exist. */
  readonly kind: "silent" | "refused" | "settings";

  constructor(message: string, kind: UnreachableError["kind"], cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

const PATIENCE_MS = 10_000;
const NO_DATABASE = "3D000";
/** Class 28 of PostgreSQL's errors. */
const INVALID_AUTHORIZATION = /^28/;

/** Connects once. Throws UnreachableError, which never repeats the password. */
export async function reach(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MS });
  // The error of the connection is the one that `connect` throws.
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw unreachable(client, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function unreachable({ host, port, user, database }: Client, error: unknown): UnreachableError {
  const place = `${host}:${port}`;
  const code = error instanceof DatabaseError ? (error.code ?? "") : "";
  const reason = reasonOf(error);
  if (code === NO_DATABASE)
    return new UnreachableError(
      `PostgreSQL at ${place} has no database "${database ?? ""}". Create it, or correct \`DATABASE_URL\`.`,
      "settings",
      error,
    );
  if (INVALID_AUTHORIZATION.test(code) || /password/.test(reason))
    return new UnreachableError(
      `PostgreSQL at ${place} refuses the user "${user ?? ""}" (${reason}). Correct the user or the password in \`DATABASE_URL\`.`,
      "refused",
      error,
    );
  return new UnreachableError(
    `The database of \`DATABASE_URL\` cannot be reached at ${place} (${reason}). Start it, or correct \`DATABASE_URL\`.`,
    "silent",
    error,
  );
}

/** Returns the message of an error. For a host with several addresses, each address has its own error. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : String(error);
}
