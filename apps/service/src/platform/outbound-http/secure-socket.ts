import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { checkServerIdentity, connect } from "node:tls";
import type { TLSSocket } from "node:tls";
import { after, fromDate, instant } from "../../lib/lib.ts";
import type { Clock, Instant } from "../../lib/lib.ts";
import type { SecureContexts } from "./secure-contexts.ts";
import type { Sessions } from "./sessions.ts";

export interface SecureSocketDeps {
  readonly clock: Clock;
  readonly address: string;
  readonly port: number;
  /** The name in the URL, for SNI and the certificate. */
  readonly tlsName: string;
  readonly contexts: SecureContexts;
  readonly sessions: Sessions;
  /** The key of the receiver's sessions. */
  readonly peer: string;
  /** False: the connection speaks another protocol than HTTP. */
  readonly isHttp?: boolean;
  /** The tunnel; absent for a direct connection. */
  readonly socket?: Socket;
  /** Called when the connection is ready, with the time from which the certificate must be verified again. */
  verified(until: Instant): void;
}

const VERIFY_AGAIN_MS = 86_400_000;

/** Opens a TLS connection, which resumes the receiver's session if there is one. */
export function openSecureSocket(deps: SecureSocketDeps): TLSSocket {
  const { clock, address, port, tlsName, contexts, sessions, peer, socket: tunnel } = deps;
  const session = sessions.of(peer);
  let verifiedUntil = session?.verifiedUntil ?? instant(0);
  let isReady = false;
  let early: Buffer | undefined;
  const keep = (ticket: Buffer): void => sessions.keep(peer, { ticket, verifiedUntil });
  const socket = connect({
    host: address,
    port,
    // An IP literal has no SNI. The certificate is then checked against `host`.
    servername: tlsName === address ? "" : tlsName,
    secureContext: session === undefined ? contexts.full : contexts.resuming,
    ...(deps.isHttp === false ? {} : { ALPNProtocols: ["http/1.1"] }),
    // The default is set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes it.
    rejectUnauthorized: true,
    // Called in full handshakes only: a resumed one has no certificate to check.
    checkServerIdentity(name, certificate) {
      const end = fromDate(new X509Certificate(certificate.raw).validToDate);
      verifiedUntil = instant(Math.min(end, after(clock.now(), VERIFY_AGAIN_MS)));
      return checkServerIdentity(name, certificate);
    },
    ...(session === undefined ? {} : { session: session.ticket }),
    ...(tunnel === undefined ? {} : { socket: tunnel }),
  });
  // For that check Node makes objects of the whole chain, of which it reads the first.
  const peerCertificate = socket.getPeerCertificate.bind(socket);
  Object.assign(socket, { getPeerCertificate: () => peerCertificate(false) });
  socket.once("secureConnect", () => {
    isReady = true;
    if (early !== undefined) keep(early);
    deps.verified(verifiedUntil);
  });
  // A session from before the name was checked must not be resumed, because a resumed connection has nothing to check.
  socket.on("session", (ticket: Buffer) => {
    if (isReady) keep(ticket);
    else early = ticket;
  });
  // The session may be what the receiver could not bear: the next connection starts without one.
  socket.once("close", () => {
    if (!isReady) sessions.drop(peer);
  });
  return socket;
}
