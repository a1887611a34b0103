import { once } from "node:events";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a receiver that sends raw bytes. `talk` gets each connection after a complete request. It ends with the test. */
export async function startRawReceiver(talk: (socket: Socket) => void): Promise<{ readonly url: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
    let request = "";
    let answered = false;
    socket.on("data", (chunk) => {
      request += chunk.toString("latin1");
      if (answered || !isWhole(request)) return;
      answered = true;
      talk(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook` };
}

/** Returns a URL on 127.0.0.1 that refuses connections. */
export async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook`;
}

function isWhole(request: string): boolean {
  const end = request.indexOf("\r\n\r\n");
  const length = /content-length: (\d+)/i.exec(request)?.[1];
  return end !== -1 && length !== undefined && request.length >= end + 4 + Number(length);
}
