/**
 * What the SDK emitters are given: the published contract as a small model that knows no language.
 *
 * Names are the wire's (`snake_case`, dotted operations); an emitter turns them into its language's habits and keeps the
 * wire's spelling in what is sent. Everything is sorted, so that the same document always gives the same files.
 */
export interface Api {
  /** The contract's version, and the dated version (`X-Service-Version`) that the SDK was made for. */
  readonly version: string;
  readonly apiVersion: string;
  /** The top resources, sorted by name. */
  readonly resources: readonly Resource[];
  /** Every operation, sorted by dotted name. */
  readonly operations: readonly Operation[];
  /** Every type that an operation or an event uses, however deep; sorted by name. */
  readonly types: readonly NamedType[];
  readonly enums: readonly NamedEnum[];
  /** The body of a delivery, which `webhooks.verify` gives: a `ref`. Its `data` is that of one of `events`, or a custom event's. */
  readonly delivery: Type;
  /** In the order of the catalogue. */
  readonly events: readonly EventName[];
  /** In the order of the catalogue. */
  readonly errors: readonly ErrorCode[];
}

/** A group of operations: `webhook_endpoints`, and below it `webhook_endpoints.secret`. */
export interface Resource {
  /** The last part of the path: `secret`. */
  readonly name: string;
  readonly path: readonly string[];
  /** One sentence; "" below the top. */
  readonly description: string;
  readonly operations: readonly Operation[];
  readonly children: readonly Resource[];
}

export interface Operation {
  /** The dotted name as `blocked_actions` and the audit write it: `webhook_endpoints.secret.regenerate`. */
  readonly name: string;
  /** Where an SDK shows it: `["webhook_endpoints", "secret"]` and `regenerate`. Never the name of a resource too. */
  readonly resource: readonly string[];
  readonly method: string;
  readonly operationId: string;
  readonly http: { readonly method: string; readonly path: string };
  readonly summary: string;
  readonly description: string;
  /** In the order in which the path has them. All are required strings. */
  readonly pathParameters: readonly Field[];
  readonly queryParameters: readonly Field[];
  readonly body: Body | null;
  readonly answer: Answer;
  /** Set for a GET that answers `{object: "list", data}`. Without `cursor` there is one page only. */
  readonly page: { readonly item: Type; readonly cursor: boolean } | null;
  /** It takes an Idempotency-Key, which an SDK then always sends. */
  readonly write: boolean;
  /** It takes no sandbox credential. */
  readonly liveOnly: boolean;
}

export interface Body {
  /** A `ref` to an object type, whose fields are also here. */
  readonly type: Type;
  readonly required: boolean;
  /**
   * Fields that an SDK takes as its first arguments, in this order: `events.fire(event, data)`. Empty for most, which take
   * the whole body as one argument. The others of `fields` are then optional named arguments.
   */
  readonly positional: readonly Field[];
  readonly fields: readonly Field[];
}

export type Answer =
  /** 204. */
  | { readonly kind: "none"; readonly status: number }
  /** What a 2xx answer holds; a `union` where statuses differ. `status` and `example` are those of the first. */
  | {
      readonly kind: "json";
      readonly status: number;
      readonly type: Type;
      readonly example: unknown;
      /** Which of them each status holds. */
      readonly byStatus: readonly { readonly status: number; readonly type: Type }[];
    }
  /** Such as CSV: the text as it is. */
  | { readonly kind: "text"; readonly status: number; readonly mediaType: string };

export type Type =
  /** `format` as OpenAPI has it: date-time, email; null where there is none. */
  | { readonly kind: "string"; readonly format: string | null }
  | { readonly kind: "integer" }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  /** One value always, such as `object: "event"`. */
  | { readonly kind: "constant"; readonly value: string | number | boolean }
  /** Of `Api.enums`. */
  | { readonly kind: "enum"; readonly name: string }
  /** Of `Api.types`. */
  | { readonly kind: "ref"; readonly name: string }
  | { readonly kind: "array"; readonly items: Type }
  /** An object whose members are all `values`; `unknown` for any JSON object. */
  | { readonly kind: "map"; readonly values: Type }
  | { readonly kind: "union"; readonly of: readonly Type[] }
  | { readonly kind: "nullable"; readonly of: Type }
  /** Any JSON value. */
  | { readonly kind: "unknown" };

/** Which way a type goes. What only goes out is closed; what comes back may hold more than an SDK knows. */
export interface Direction {
  readonly request: boolean;
  readonly response: boolean;
}

/** An object with named fields. An object within it has a name of its own: `WebhookTestResponse`. */
export interface NamedType extends Direction {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly Field[];
  /** Whether it may be sent with members beside its fields. */
  readonly open: boolean;
}

export interface Field {
  readonly name: string;
  readonly description: string;
  readonly type: Type;
  readonly required: boolean;
  /** What the service takes where the field is left out; undefined where it says nothing. */
  readonly default?: unknown;
  /** A value as a fixture may have it; undefined where the document gives none. */
  readonly example?: unknown;
}

/** Always of texts, two or more. A value that an SDK does not know must survive in what comes back. */
export interface NamedEnum extends Direction {
  readonly name: string;
  readonly values: readonly string[];
}

export interface EventName {
  /** `order.created`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** One of the 52, which a caller may fire; the others are the service's own. */
  readonly canonical: boolean;
  /** The type of its `data`, and an example of it. */
  readonly data: Type;
  readonly example: unknown;
}

export interface ErrorCode {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
}

/** The files of one language: their paths in `folder`, and their text, formatted as committed. */
export type Emit = (api: Api) => ReadonlyMap<string, string>;
