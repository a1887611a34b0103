import type { Answered, CallOptions, Transport } from "./calls.ts";
import { queryText } from "./calls.ts";
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

/** A workspace's API, by one key. It keeps no connection of its own: make one and use it everywhere. */
export class Junction extends Resources {
  readonly #transport: Transport;
  readonly #baseUrl: string;
  /** Try an endpoint, or an address, with a signed sample; check and sign deliveries. */
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
   * Any request, for what this SDK has no method for: signed, tried again and with an idempotency key as all are.
   * `path` begins with a slash and may hold a query.
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

  /** Without its key, whoever prints it. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `Junction <${this.#baseUrl}>`;
  }

  toJSON(): object {
    return { baseUrl: this.#baseUrl };
  }
}
