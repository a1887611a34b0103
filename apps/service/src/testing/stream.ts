import type { Parsed, TestService } from "./test-service.ts";

/** One server-sent event. */
export interface StreamMessage {
  readonly event: string;
  readonly data: Parsed;
}

export interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  /** The messages in the order in which they were received. */
  readonly messages: StreamMessage[];
  /** Returns everything that was received, including heartbeats. */
  text(): string;
  /** Returns the last `id:`, at which a client can resume. */
  lastId(): string;
  /** Waits for the first message that meets the condition, received before or after the call. */
  until(wanted: (message: StreamMessage) => boolean): Promise<StreamMessage>;
  /** Resolves when the stream ends. */
  readonly ended: Promise<void>;
  /** Disconnects, as a closed page does. */
  leave(): void;
}

const PATIENCE_MS = 60_000;

/** Opens `GET /v1/stream`, by default with the owner's key. Resolves when it is open or refused. */
export async function openStream(
  service: Pick<TestService, "baseUrl" | "key">,
  query = "",
  headers: Record<string, string> = { Authorization: `Bearer ${service.key}` },
): Promise<OpenStream> {
  const leaving = new AbortController();
  const response = await fetch(`${service.baseUrl}/v1/stream${query}`, { headers, signal: leaving.signal });
  const messages: StreamMessage[] = [];
  let text = "";
  let read = 0;
  let over = false;
  const stream: OpenStream = {
    status: response.status,
    headers: response.headers,
    messages,
    text: () => text,
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "",
    leave: () => leaving.abort(),
    ended: receive(),
    async until(wanted) {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const found = messages.find(wanted);
        if (found !== undefined) return found;
        if (over || Date.now() > deadline) throw new Error(`no such message came: ${text.slice(-2000)}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
  if (response.ok) await stream.until(({ event }) => event === "open");
  return stream;

  async function receive(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        for (let end = text.indexOf("\n\n", read); end !== -1; end = text.indexOf("\n\n", read)) {
          const message = messageOf(text.slice(read, end));
          if (message !== undefined) messages.push(message);
          read = end + 2;
        }
      }
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    } finally {
      over = true;
    }
  }
}

function messageOf(block: string): StreamMessage | undefined {
  const field = (name: string): string | undefined =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field("data");
  return data === undefined ? undefined : { event: field("event") ?? "message", data: JSON.parse(data) };
}
