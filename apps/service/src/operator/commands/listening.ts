import { connect, createServer } from "node:net";

const CONNECT_MS = 5000;

/** Returns the error code of a test listen, or undefined if it succeeds. */
export async function listeningFault(host: string, port: number): Promise<string | undefined> {
  return await new Promise((settle) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => settle(undefined)));
  });
}

export async function answersAsJunction(host: string, port: number): Promise<boolean> {
  const answer = await new Promise<string>((settle) => {
    const socket = connect({ host: host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host, port });
    let text = "";
    socket.setTimeout(CONNECT_MS, () => socket.destroy());
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.once("error", () => undefined).once("close", () => settle(text));
    socket.end("GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  });
  return /^HTTP\/1\.1 200 [\s\S]*"version":/.test(answer);
}
