/**
 * The input of the SDK emitters: the published contract as a small model that is independent of any language.
 *
 * Names are those of the wire (`snake_case`, dotted operations). An emitter translates them to its language's
 * conventions, and keeps the wire's spelling in requests. Everything is sorted, so that the same document always
 * produces the same files.
 */
export interface Api {
  /** The contract's version, and the dated version (`X-Service-Version`) for which the SDK was generated. */
  readonly version: string;
  readonly apiVersion: string;
  /** The top resources, sorted by name. */
  readonly resources: readonly Resource[];
  /** Every operation, sorted by dotted name. */
  readonly operations: readonly Operation[];
  /** Every type that an operation or an event uses, at any depth; sorted by name. */
  readonly types: readonly NamedType[];
  readonly enums: readonly NamedEnum[];
  /**
   * The body of a delivery, which `webhooks.verify` returns: a `ref`. Its `data` is that of one of `events`, or of a
   * custom event.
   */
  readonly delivery: Type;
  /** The event types, in the order of the catalog. */
  readonly events: readonly EventName[];
  /** The error codes, in the order of the catalog. */
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
  /** The dotted name as in `blocked_actions` and the audit log: `webhook_endpoints.secret.regenerate`. */
  readonly name: string;
  /** The place in an SDK: `["webhook_endpoints", "secret"]` and `regenerate`. A resource never has the same name. */
  readonly resource: readonly string[];
  readonly method: string;
  readonly operationId: string;
  readonly http: { readonly method: string; readonly path: string };
  readonly summary: string;
  readonly description: string;
  /** The parameters in the order of the path. All are required strings. */
  readonly pathParameters: readonly Field[];
  readonly queryParameters: readonly Field[];
  readonly body: Body | null;
  readonly answer: Answer;
  /** Set for a GET that returns `{object: "list", data}`. Without `cursor`, there is only one page. */
  readonly page: { readonly item: Type; readonly cursor: boolean } | null;
  /** True if the operation accepts an Idempotency-Key, which an SDK then always sends. */
  readonly write: boolean;
  /** True if the operation accepts no sandbox credential. */
  readonly liveOnly: boolean;
}

export interface Body {
  /** A `ref` to an object type, whose fields are repeated here. */
  readonly type: Type;
  readonly required: boolean;
  /**
   * Fields that an SDK takes as its first arguments, in this order: `events.fire(event, data)`. Empty for most
   * operations, whose whole body is one argument. The other `fields` are then optional named arguments.
   */
  readonly positional: readonly Field[];
  readonly fields: readonly Field[];
}

export type Answer =
  /** An empty answer, with status 204. */
  | { readonly kind: "none"; readonly status: number }
  /** The answer of a 2xx; a `union` if statuses differ. `status` and `example` are those of the first. */
  | {
      readonly kind: "json";
      readonly status: number;
      readonly type: Type;
      readonly example: unknown;
      /** The type for each status. */
      readonly byStatus: readonly { readonly status: number; readonly type: Type }[];
    }
  /** An answer such as CSV, as plain text. */
  | { readonly kind: "text"; readonly status: number; readonly mediaType: string };

export type Type =
  /** `format` as in OpenAPI: date-time, email; null if there is none. */
  | { readonly kind: "string"; readonly format: string | null }
  | { readonly kind: "integer" }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  /** A single value, such as `object: "event"`. */
  | { readonly kind: "constant"; readonly value: string | number | boolean }
  /** A reference to one of `Api.enums`. */
  | { readonly kind: "enum"; readonly name: string }
  /** A reference to one of `Api.types`. */
  | { readonly kind: "ref"; readonly name: string }
  | { readonly kind: "array"; readonly items: Type }
  /** An object whose members are all `values`; `unknown` for any JSON object. */
  | { readonly kind: "map"; readonly values: Type }
  | { readonly kind: "union"; readonly of: readonly Type[] }
  | { readonly kind: "nullable"; readonly of: Type }
  /** Any JSON value. */
  | { readonly kind: "unknown" };

/**
 * The direction of a type. A type of requests only is closed; a response may contain more members than an SDK knows.
 */
export interface Direction {
  readonly request: boolean;
  readonly response: boolean;
}

/** An object with named fields. An object within it has its own name: `WebhookTestResponse`. */
export interface NamedType extends Direction {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly Field[];
  /** True if further members than its fields may be sent. */
  readonly open: boolean;
}

export interface Field {
  readonly name: string;
  readonly description: string;
  readonly type: Type;
  readonly required: boolean;
  /** True for an optional field that was required once: it keeps its place among positional arguments, and null omits it. */
  readonly wasRequired?: boolean;
  /** True for a secret of a request, or a map of them. */
  readonly secret?: boolean;
  /** The value that the service assumes for an omitted field; undefined if the document names none. */
  readonly default?: unknown;
  /** An example value for fixtures; undefined if the document has none. */
  readonly example?: unknown;
}

/** An enum of two or more texts. A value that an SDK does not know must survive in responses. */
export interface NamedEnum extends Direction {
  readonly name: string;
  readonly values: readonly string[];
}

export interface EventName {
  /** The name, such as `order.created`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** True for one of the 52 that a caller may fire; the others are system events. */
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

/** Returns the files of one language: their paths in `folder`, and their text, formatted as committed. */
export type Emit = (api: Api) => ReadonlyMap<string, string>;
