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
  Json,
  JsonObject,
  KeyValues,
  LogLevel,
  Mail,
  Sayable,
  Subscribers,
  Timeline,
} from "./types.ts";

export type * from "./types.ts";
export { HostError } from "./host-error.ts";

/**
 * What a connector's class extends. A new instance is made for each call, so nothing is kept in members: `kv` keeps. Services throw
 * HostError.
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

  /** The folder's name. */
  abstract key(): string;

  /** Which events it hears, and with which methods. */
  subscribers(): Subscribers {
    return {};
  }

  /** Who can say who somebody is: a method answers an Identity, or null. */
  identityProviders(): IdentityProviders {
    return {};
  }

  /** Who knows more about a customer. What `tickets` answers feeds `GET /v1/tickets`. */
  contextProviders(): ContextProviders {
    return {};
  }

  /** Which actions of actions.json are its methods; those with an endpoint of their own are left out. */
  registerActions(): Actions {
    return {};
  }

  /** What its webhook was sent: verified already, and given once. */
  handleWebhook(body: JsonObject): unknown {
    void body;
    return undefined;
  }

  /** The event of this call; null when no event caused it. */
  get event(): ConnectorEvent | null {
    return this.#host.event;
  }

  /** Fires an event of `fires`. Answers its id. */
  async fire(event: string, data: JsonObject): Promise<{ readonly id: string }> {
    return (await this.#host.ask("fire", [event, data])) as { id: string };
  }

  /** Calls a host of `egress`. Whatever status it answers is an answer. */
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

  /** A setting, null when it is not set. A secret is a handle: of use in `http` and `mail`, and nowhere else. */
  settings(name: string): Json {
    return this.#host.setting(name);
  }

  /** RFC 3339, UTC, by the service's clock. */
  now(): string {
    return this.#host.now();
  }
}
