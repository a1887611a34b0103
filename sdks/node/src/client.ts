import type { Answered, CallOptions, Transport } from "./calls.ts";
import { queryText } from "./calls.ts";
import { consume } from "./consume.ts";
import type { ConsumedMessage, ConsumeOptions } from "./consume.ts";
import { API_VERSION, Resources } from "./generated/resources.ts";
import { readSettings } from "./settings.ts";
import type { JunctionOptions } from "./settings.ts";
import { createTransport } from "./transport.ts";
import { WebhooksResource } from "./webhooks.ts";

export interface RequestOptions extends CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly query?: object | undefined;
}

const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** A client for the API of one workspace, with one API key. It holds no connections, so one client can be shared everywhere. */
export class Junction extends Resources {
  readonly #transport: Transport;
  readonly #baseUrl: string;
  /** Test an endpoint or a URL with a signed sample. Verify and sign deliveries. */
  override readonly webhooks: WebhooksResource;

  constructor(options: JunctionOptions = {}) {
    const settings = readSettings(options, typeof process === "object" ? process.env : {}, API_VERSION);
    const transport = createTransport(settings);
    super(transport);
    this.#transport = transport;
    this.#baseUrl = settings.baseUrl;
    this.webhooks = new WebhooksResource(transport);
  }

  /**
   * Sends any request, for operations without a method in this SDK. It is signed and retried, and has an idempotency key,
   * like all other calls. `path` begins with a slash and can contain a query.
   */
  async request<Body = { [member: string]: unknown }>(
    method: string,
    path: string,
    { body, query = {}, ...options }: RequestOptions = {},
  ): Promise<Answered<Body>> {
    if (!path.startsWith("/")) throw new TypeError('path must begin with "/": the key goes to baseUrl only.');
    const upper = method.toUpperCase();
    const more = queryText(query);
    const whole = path.includes("?") ? path + more.replace("?", "&") : path + more;
    return await this.#transport.send<Body>(
      { method: upper, path: whole, body, write: !READING.has(upper), answer: "any" },
      options,
    );
  }

  /**
   * Iterates over the messages of a pull endpoint: `for await (const message of junction.consume(id, { consumer: "billing" }))`.
   * A message is committed after the body of the loop, and comes again if the body throws or the process ends.
   */
  consume(endpoint: string, options: ConsumeOptions): AsyncGenerator<ConsumedMessage, void, undefined> {
    return consume(this.#transport, endpoint, options);
  }

  /** Printed without the key. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `Junction <${this.#baseUrl}>`;
  }

  toJSON(): object {
    return { baseUrl: this.#baseUrl };
  }
}
