import { assertAllowed, operation } from "../../access/access.ts";
import { keepers, readStanding } from "../../accounts/accounts.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";

/** Where a secret may be sent. */
export interface SecretHosts {
  readonly hosts: readonly string[] | null;
  /** Stored by a version that knew no hosts. */
  readonly any_host: boolean;
}

/**
 * The author of what is saved, or the rights of the caller of a test, who lets a secret be sent. Null: settings that only
 * owners and admins can save.
 */
export type SecretUser = Author | Parameters<typeof assertAllowed>[0] | null;

export interface SecretUse {
  /** Every URL that gets the secret, or what the secret was exchanged for. */
  readonly urls: readonly string[];
  readonly by: SecretUser;
}

export const MOST_HOSTS = 20;
const MOST_LENGTH = 253;
const HOST = /^(?:(?:\*\.(?=[^.]+\.))?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;
/** The permission to send a secret without hosts anywhere: that to set secrets, as an owner or an admin. */
const WIDE = operation({ name: "secrets.put", access: "write", callers: keepers });

export function hostFaults(hosts: readonly string[]): Violation[] {
  return hosts.flatMap((host, at) =>
    host.length <= MOST_LENGTH && HOST.test(host)
      ? []
      : [
          {
            pointer: `/hosts/${at}`,
            code: "host",
            message:
              "must be a host name in lower case, without scheme, port and path, such as api.example.com, or *.example.com for all hosts below it",
          },
        ],
  );
}

/** Returns the reason why the secret may not be sent; undefined if it may. */
export async function hostRefusal(
  { db }: { readonly db: Db },
  scope: Scope,
  { name, ...secret }: SecretHosts & { readonly name: string },
  { urls, by }: SecretUse,
): Promise<string | undefined> {
  const { hosts } = secret;
  if (hosts === null) {
    if (await mayGoAnywhere(db, scope, secret, by)) return undefined;
    return `The secret ${name} names no hosts, so that only owners and admins may use it. Set it again with PUT /v1/secrets/${name} and the hosts that it may go to. Nothing was sent.`;
  }
  const refused = urls.map((url) => new URL(url).hostname).find((host) => !hosts.some((one) => covers(one, host)));
  if (refused === undefined) return undefined;
  return `The secret ${name} may go to ${hosts.join(", ")}, not to ${refused}. To allow it, set the secret again with PUT /v1/secrets/${name}. Nothing was sent.`;
}

function covers(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}

async function mayGoAnywhere(db: Db, scope: Scope, { any_host: isOld }: SecretHosts, by: SecretUser): Promise<boolean> {
  // The sandbox has no credentials of production.
  if (by === null || scope.environment === "sandbox") return true;
  if (!("kind" in by)) return isAllowed(by);
  if (isOld) return true;
  const standing = await readStanding(db, scope.workspaceId, by);
  return standing !== undefined && isAllowed(standing);
}

function isAllowed(rights: Exclude<SecretUser, Author | null>): boolean {
  try {
    assertAllowed(rights, WIDE);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
