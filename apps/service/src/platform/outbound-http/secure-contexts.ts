import { createSecureContext, getCACertificates } from "node:tls";
import type { SecureContext, SecureContextOptions } from "node:tls";
import type { ClientIdentity } from "./client-certificate.ts";

/** The certificates that connections trust and present. */
export interface SecureContexts {
  readonly full: SecureContext;
  /** For connections that offer a session. */
  readonly resuming: SecureContext;
}

const MOST_IDENTITIES = 200;
/**
 * A resumed session takes its secrecy from the first handshake too, which used a post-quantum hybrid if the receiver
 * has one. Its own exchange can do without: a hybrid costs a quarter of a resumed connection.
 */
const RESUMED_GROUPS = "X25519:P-256:P-384";

/** Creates contexts that trust the system's certificates and `ca` (PEM). Those of the last 200 client certificates are kept. */
export function createSecureContexts(ca: readonly string[] | undefined) {
  const trusted = ca === undefined ? {} : { ca: [...getCACertificates("default"), ...ca] };
  const anonymous = pairOf(trusted);
  const identified = new Map<string, SecureContexts>();

  return (client?: ClientIdentity): SecureContexts => {
    if (client === undefined) return anonymous;
    const contexts = identified.get(client.id) ?? pairOf({ ...trusted, cert: client.cert, key: client.key });
    identified.delete(client.id);
    identified.set(client.id, contexts);
    const [oldest] = identified.keys();
    if (identified.size > MOST_IDENTITIES && oldest !== undefined) identified.delete(oldest);
    return contexts;
  };
}

function pairOf(options: SecureContextOptions): SecureContexts {
  return {
    full: createSecureContext(options),
    resuming: createSecureContext({ ...options, ecdhCurve: RESUMED_GROUPS }),
  };
}
