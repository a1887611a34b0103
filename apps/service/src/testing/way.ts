import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { TestService } from "./test-service.ts";

/** A way to the service that can be closed for a time, as a restart closes it. */
export interface Way {
  readonly url: string;
  /** Closes all connections, and each new one at once, for this time. */
  cut(ms: number): void;
  close(): void;
}

export async function wayTo({ baseUrl }: Pick<TestService, "baseUrl">): Promise<Way> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    if (!isOpen) {
      socket.destroy();
      return;
    }
    const onward = connect(Number(new URL(baseUrl).port), "127.0.0.1").on("error", () => undefined);
    sockets.add(socket.once("close", () => onward.destroy()));
    onward.once("close", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(ms) {
      isOpen = false;
      endAll();
      setTimeout(() => (isOpen = true), ms);
    },
    close() {
      endAll();
      server.close();
    },
  };
}
