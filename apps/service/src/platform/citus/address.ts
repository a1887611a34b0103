import type { NodeAddress } from "./layout.store.ts";

/** Returns `DATABASE_URL` with the address of another machine: user, password, database and settings are the same. */
export function addressOf(databaseUrl: string, { host, port }: NodeAddress): string {
  const url = new URL(databaseUrl);
  url.hostname = host.includes(":") ? `[${host}]` : host;
  url.port = String(port);
  url.searchParams.delete("host");
  return url.href;
}
