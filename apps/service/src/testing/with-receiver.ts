import { startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import { startService } from "./service.ts";
import type { TestService } from "./test-service.ts";

export interface ServiceWithReceiver {
  readonly service: TestService;
  readonly receiver: Receiver;
  close(): Promise<void>;
}

/** Starts a service, and the receiver for its webhooks and actions. */
export async function startWithReceiver(env: Readonly<Record<string, string>>): Promise<ServiceWithReceiver> {
  const [service, receiver] = await Promise.all([startService({ env }), startReceiver()]);
  return {
    service,
    receiver,
    async close() {
      await service.close();
      await receiver.close();
    },
  };
}

/** Returns the number of requests that the receiver gets during the work. */
export async function callsDuring(receiver: Receiver, work: () => Promise<unknown>): Promise<number> {
  const before = receiver.received.length;
  await work();
  return receiver.received.length - before;
}

export function answerJson(receiver: Receiver, text: string): void {
  receiver.answer((response) => response.writeHead(200, { "Content-Type": "application/json" }).end(text));
}
