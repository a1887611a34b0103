import { takeBinding } from "./binding.ts";
import type { Binding } from "./binding.ts";
import type {
  Actions,
  ConnectorEvent,
  Contacts,
  ContextProviders,
  HttpRequest,
  HttpResponse,
  IdentityProviders,
  JsonObject,
  KeyValues,
  LogLevel,
  Mail,
  Sayable,
  SettingValue,
  Subscribers,
  Timeline,
  WebhookRequest,
} from "./types.ts";

export type * from "./types.ts";
export { HostError } from "./host-error.ts";

/**
 * The base class of a connector. A new instance is created for each call, so members are not kept between calls. Use
 * `kv` instead. Services throw HostError.
 */
export abstract class AbstractConnector {
  readonly #host: Binding = takeBinding();

  readonly contacts: Contacts = {
    find: async (key) => (await this.#host.ask("contacts.find", [key])) as JsonObject | null,
    upsert: async (contact) => (await this.#host.ask("contacts.upsert", [contact])) as JsonObject,
  };

  readonly timeline: Timeline = {
    add: async (contactId, activity) => (await this.#host.ask("timeline.add", [contactId, activity])) as { id: string },
  };

  readonly kv: KeyValues = {
    get: async (key) => await this.#host.ask("kv.get", [key]),
    set: async (key, value, options) => {
      await this.#host.ask("kv.set", options === undefined ? [key, value] : [key, value, options]);
    },
    cas: async (key, expected, value) => (await this.#host.ask("kv.cas", [key, expected, value])) === true,
  };

  /** Returns the key, which is the name of the connector's folder. */
  abstract key(): string;

  /** Returns the handlers by event. */
  subscribers(): Subscribers {
    return {};
  }

  /** Returns the identity providers. A method returns an Identity, or null. */
  identityProviders(): IdentityProviders {
    return {};
  }

  /**
   * Returns the context providers, which add data to a customer. `GET /v1/tickets` includes the results of `tickets`.
   */
  contextProviders(): ContextProviders {
    return {};
  }

  /** Returns the methods by action of actions.json, without the actions that have their own endpoint. */
  registerActions(): Actions {
    return {};
  }

  /** Handles a webhook, whose signature is already verified. Each webhook is handled once. */
  handleWebhook(body: JsonObject, request?: WebhookRequest): unknown {
    void [body, request];
    return undefined;
  }

  /** The event of this call; null if no event caused it. */
  get event(): ConnectorEvent | null {
    return this.#host.event;
  }

  /** Fires an event of `fires`. Returns its id. */
  async fire(event: string, data: JsonObject): Promise<{ readonly id: string }> {
    return (await this.#host.ask("fire", [event, data])) as { id: string };
  }

  /** Sends a request to a host of `egress`. Responses with any status are returned. */
  async http(request: HttpRequest): Promise<HttpResponse> {
    const answer = (await this.#host.ask("http", [request])) as unknown as Omit<HttpResponse, "json">;
    return { ...answer, json: this.#host.read(answer.body) };
  }

  /** Sends a text mail. */
  async mail(mail: Mail): Promise<void> {
    await this.#host.ask("mail", [mail]);
  }

  log(level: LogLevel, message: string, fields?: Readonly<Record<string, Sayable>>): void {
    this.#host.log(level, message, fields);
  }

  /** Returns a setting, or null if it is not set. A secret is a handle, which is only useful in `http` and `mail`. */
  settings(name: string): SettingValue | null {
    return this.#host.setting(name) as SettingValue | null;
  }

  /** Returns the time of the service's clock (RFC 3339, UTC). */
  now(): string {
    return this.#host.now();
  }
}
