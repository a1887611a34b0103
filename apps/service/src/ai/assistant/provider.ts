/** An action that is offered to a model. */
export interface Offer {
  /** The key of the contract. */
  readonly action: string;
  readonly description: string;
  /** JSON Schema of its parameters. */
  readonly parameters: object;
}

/** The complete input of a model, redacted. */
export interface ModelRequest {
  readonly system: string;
  readonly user: string;
  readonly offers: readonly Offer[];
  /** The event of the request, for scripted providers. Redacted too. */
  readonly event: { readonly name: string; readonly data: unknown };
}

/** A call exactly as the model wrote it. No part of it is trusted. */
export interface ToolCall {
  readonly id: string | null;
  readonly action: string;
  /** JSON text if the model followed the protocol. */
  readonly arguments: string;
}

export type ProviderErrorCode =
  | "provider_unconfigured"
  | "provider_blocked"
  | "provider_unreachable"
  | "provider_timeout"
  | "provider_refused"
  | "provider_answer_invalid";

export type Answer =
  | {
      readonly ok: true;
      readonly text: string | null;
      readonly calls: readonly ToolCall[];
      /** The provider's name of the model that responded. */
      readonly model: string | null;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      readonly durationMs: number;
    }
  | {
      readonly ok: false;
      readonly code: ProviderErrorCode;
      /** The reason, for people. Without addresses and secrets. */
      readonly detail: string;
      /** True if the error may be temporary. */
      readonly retryable: boolean;
      readonly durationMs: number;
    };

/** A model, or a replacement for one. Never throws for an error of the other side. */
export interface Provider {
  ask(question: ModelRequest): Promise<Answer>;
}
