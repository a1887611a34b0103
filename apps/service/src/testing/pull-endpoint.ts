import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

export interface PullEndpoint {
  readonly id: string;
  readonly secret: string;
  /** The endpoint's path in the API. */
  readonly path: string;
  /** The event that only this endpoint gets. */
  readonly event: string;
  /** Fires events in one batch, and returns the ids of their deliveries. */
  fire(...data: unknown[]): Promise<string[]>;
  /** Calls an operation of the endpoint. */
  call(what: string, body: object, options?: Parameters<TestService["api"]>[3]): Promise<ApiAnswer>;
  /** Pulls as consumer `c`. */
  pull(body?: object, options?: Parameters<TestService["api"]>[3]): Promise<ApiAnswer>;
  /** Pulls and commits all messages, and returns their numbers. */
  drain(consumer?: string): Promise<unknown[]>;
}

let made = 0;

export async function pullEndpoint(service: TestService, more: object = {}): Promise<PullEndpoint> {
  made += 1;
  const event = `pull.event-${made}`;
  const answer = await service.api("POST", "/v1/webhook-endpoints", { kind: "pull", events: [event], ...more });
  if (answer.status !== 201) throw new Error(`no endpoint: ${answer.text}`);
  const { id, secret } = answer.body as { id: string; secret: string };
  const path = `/v1/webhook-endpoints/${id}`;
  const call: PullEndpoint["call"] = async (what, body, options = {}) =>
    await service.api("POST", `${path}/${what}`, body, options);
  return {
    id,
    secret,
    path,
    event,
    async fire(...data) {
      const events = data.map((one) => ({ event, data: one }));
      const fired = await service.api("POST", "/v1/events/batch", { events });
      if (fired.status !== 202) throw new Error(`not fired: ${fired.text}`);
      return (fired.body["data"] as Parsed[]).flatMap(({ deliveries }) =>
        (deliveries as Parsed[]).map((one) => one["id"]),
      );
    },
    call,
    pull: async (body = {}, options = {}) => await call("pull", { consumer: "c", ...body }, options),
    async drain(consumer = "c") {
      const all: unknown[] = [];
      for (;;) {
        const pulled = await call("pull", { consumer, limit: 500 });
        if (pulled.body["lease"] === null) return all;
        all.push(...numbersIn(pulled));
        await call("commit", { consumer, lease_id: pulled.body["lease"]["id"] });
      }
    },
  };
}

interface Message {
  readonly data: { readonly n: unknown };
}

export function offsetsIn({ body }: ApiAnswer): number[] {
  return (body["messages"] as Parsed[]).map(({ offset }) => offset as number);
}

/** Returns `data.n` of each message, and null for an erased one. */
export function numbersIn({ body }: ApiAnswer): unknown[] {
  return (body["messages"] as Parsed[]).map(({ body: text }) =>
    text === null ? null : (JSON.parse(text as string) as Message).data.n,
  );
}

export function leaseIn({ body }: ApiAnswer): string {
  return body["lease"]["id"] as string;
}
