/** The parts of an OpenAPI 3.0.3 document that the generator reads. */
export interface Document {
  readonly info: { readonly version: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Response>>;
  };
  readonly "x-webhooks"?: Readonly<Record<string, { readonly post: WebhookRequest }>>;
  readonly "x-errors"?: Readonly<Record<string, ErrorRow>>;
}

export interface Reference {
  readonly $ref: string;
}

export interface PathOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  /** The dotted name. A route without one is not part of the API for keys. */
  readonly "x-operation"?: string;
  /** Set if the operation accepts only credentials of that environment. */
  readonly "x-environment"?: "live";
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Response {
  readonly content?: Content;
}

export type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

interface WebhookRequest {
  readonly summary?: string;
  readonly description?: string;
  readonly "x-canonical"?: boolean;
  readonly requestBody: { readonly content: Content };
}

export interface ErrorRow {
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  readonly "x-secret"?: boolean;
  /** True for a member that was required once, so that positional arguments keep their places. */
  readonly "x-was-required"?: boolean;
}

/** Returns the name in a `$ref` such as `#/components/schemas/Event`. */
export function componentName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
