/** An action as a model is offered it. */
export interface Offer {
  /** The key of the contract. */
  readonly action: string;
  readonly description: string;
  /** JSON Schema of its parameters. */
  readonly parameters: object;
}

/** All that a model is told, redacted. */
export interface ModelRequest {
  readonly system: string;
  readonly user: string;
  readonly offers: readonly Offer[];
  /** The event that it is about, for those that follow a script. Redacted too. */
  readonly event: { readonly name: string; readonly data: unknown };
}

/** What a model asks for, exactly as it wrote it: nothing of it is trusted. */
export interface ToolCall {
  readonly id: string | null;
  readonly action: string;
  /** JSON text, if it kept to the protocol. */
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
      /** As the provider names what answered. */
      readonly model: string | null;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      readonly durationMs: number;
    }
  | {
      readonly ok: false;
      readonly code: ProviderErrorCode;
      /** Why, for people: without addresses and secrets. */
      readonly detail: string;
      /** The fault may pass. */
      readonly retryable: boolean;
      readonly durationMs: number;
    };

/** A model, or what stands for one. Never throws for anything that the other side does. */
export interface Provider {
  ask(question: ModelRequest): Promise<Answer>;
}
