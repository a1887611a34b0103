/** One message of a stream of server-sent events. */
export interface StreamMessage {
  /** The `Last-Event-ID` that continues after this message; "" if the message has none. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events (HTML Living Standard, 9.2.6) from a body. `EventSource` cannot send headers, so this does it. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = "";
  let lastId = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const message = parseBlock(block, lastId);
        lastId = message.id;
        if (message.data !== "") yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function parseBlock(block: string, lastId: string): StreamMessage {
  let id = lastId;
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "id") id = value;
    else if (name === "event") event = value;
    else if (name === "data") data.push(value);
  }
  return { id, event, data: data.join("\n") };
}
