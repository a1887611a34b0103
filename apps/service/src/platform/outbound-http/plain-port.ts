import { connect } from "node:net";

interface PortAddress {
  /** The name and port for `Host`. */
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

const TIMEOUT_MS = 2000;
/** Ports of TLS answer plain HTTP with 400, so that it says nothing. */
const PLAIN_ANSWER = /^HTTP\/1\.\d (?!400)\d{3}/;

/**
 * Returns true if a port answers plain HTTP. A server that waits for the end of a line takes the beginning of TLS for one,
 * and stays silent. `OPTIONS *` asks for nothing (RFC 9110, section 9.3.7).
 */
export async function speaksPlainHttp({ host, address, port }: PortAddress): Promise<boolean> {
  const socket = connect({ host: address, port, timeout: TIMEOUT_MS });
  try {
    return await new Promise<boolean>((resolve) => {
      let answer = "";
      socket.on("data", (chunk: Buffer) => {
        answer += chunk.subarray(0, 64).toString("latin1");
        if (answer.length >= "HTTP/1.1 200".length) resolve(PLAIN_ANSWER.test(answer));
      });
      for (const end of ["timeout", "error", "close"]) socket.on(end, () => resolve(false));
      socket.write(`OPTIONS * HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
  } finally {
    socket.destroy();
  }
}
