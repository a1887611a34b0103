import { parseId, ServiceError } from "../lib/lib.ts";
import { networkOf } from "../accounts/accounts.ts";
import type { ApiKey } from "../accounts/accounts.ts";
import { assertKeyValid } from "./permission-checks.ts";
import type { Token } from "./rate.ts";
import { verifyRequest } from "./signature.ts";
import type { StepContext } from "./types.ts";

const FAILURES_PER_ADDRESS = 100;
const FAILURES_PER_KEY = 30;

/**
 * Authenticates the caller: finds the key and checks its validity and the signature. Only failures count against the
 * address and the key.
 */
export async function authenticate(context: StepContext): Promise<void> {
  let suspect: ApiKey | undefined;
  try {
    const { key, bearer } = await findKey(context);
    suspect = key;
    assertKeyValid(key, context.deps.clock.now());
    checkSignature(context, key, bearer);
    context.access.key = key;
  } catch (error) {
    if (error instanceof ServiceError && error.kind.status === 401) await countFailure(context, suspect);
    throw error;
  }
}

interface FoundCredential {
  readonly key: ApiKey;
  readonly bearer: string | undefined;
}

/**
 * Prefers a Bearer key to a key's id, and both to a session cookie, because a browser sends the cookie without the
 * caller's doing.
 */
async function findKey(context: StepContext): Promise<FoundCredential> {
  const { deps, request } = context;
  const { authorization, keyId } = request;
  if (authorization !== undefined) {
    const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (bearer === undefined)
      throw new ServiceError("key_invalid", { detail: "Send Authorization: Bearer <API key>." });
    const key = knownKey(await deps.workspaces.keys.byText(bearer));
    // A token was issued for one resource (RFC 8707), with what its person was shown there.
    if (key.audience !== undefined && !request.takesTokens)
      throw new ServiceError("key_invalid", { detail: `${tokensLike(key)} are only for /mcp.` });
    return { key, bearer };
  }
  if (keyId !== undefined) return await findKeyById(context, keyId);
  const session = await deps.sessions.admit(request.session);
  if (session !== undefined) return { key: session, bearer: undefined };
  throw new ServiceError("credentials_missing", { detail: "Send Authorization: Bearer <API key>." });
}

function tokensLike({ portalMaker }: Pick<ApiKey, "portalMaker">): string {
  return portalMaker === undefined ? "Access tokens of connected apps" : "MCP tokens";
}

async function findKeyById({ deps, request }: StepContext, keyId: string): Promise<FoundCredential> {
  const id = parseId(keyId);
  if (id?.prefix !== "key")
    throw new ServiceError("key_invalid", { detail: "X-Service-Key must be the id of a key (key_…)." });
  const key = knownKey(await deps.workspaces.keys.byId(id.uuid));
  if (key.signingSecret === null || key.tag !== id.tag) {
    throw new ServiceError("key_invalid", {
      detail: "Only a key with a signing secret can be used without its bearer text.",
    });
  }
  if (request.signature === undefined)
    throw new ServiceError("signature_required", { detail: "X-Service-Key requires a signature. Sign the request." });
  return { key, bearer: undefined };
}

function knownKey(key: ApiKey | undefined): ApiKey {
  if (key === undefined)
    throw new ServiceError("key_invalid", { detail: "Unknown key. Check that you copied it completely." });
  return key;
}

function checkSignature({ deps, request, access }: StepContext, key: ApiKey, bearer: string | undefined): void {
  if (request.signature === undefined) {
    if (key.requireSignature)
      throw new ServiceError("signature_required", { detail: "Send X-Service-Signature and X-Service-Timestamp." });
    return;
  }
  const secret = key.signingSecret?.reveal() ?? bearer;
  if (secret === undefined) throw new ServiceError("signature_invalid");
  access.scheme = verifyRequest({ signature: request.signature, timestamp: request.timestamp }, request, {
    secret,
    allowBody: key.acceptBodySignature && bearer !== undefined,
    now: deps.clock.now(),
  });
}

async function countFailure(context: StepContext, suspect: ApiKey | undefined): Promise<void> {
  const address = await failure(context, `ip:${networkOf(context.request.ip)}`, FAILURES_PER_ADDRESS);
  const key = suspect === undefined ? undefined : await failure(context, `key:${suspect.id}`, FAILURES_PER_KEY);
  context.access.rate = address.state;
  const blocking = [address, key].find((token) => token?.granted === false);
  if (blocking === undefined) return;
  throw new ServiceError("too_many_auth_failures", {
    detail: "Correct the credential before you try again. Requests with a valid credential still succeed.",
    headers: { "Retry-After": String(blocking.retrySeconds) },
  });
}

async function failure(context: StepContext, subject: string, perMinute: number): Promise<Token> {
  return await context.rates.take({ bucket: 0, subject, operation: "auth.failed", perMinute });
}
