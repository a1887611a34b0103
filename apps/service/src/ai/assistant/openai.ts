import { foreignJson, isRecord } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Answer, Provider, ProviderErrorCode, ModelRequest, ToolCall } from "./provider.ts";
import { actionOf, toolName } from "./tool-names.ts";

export interface OpenAiSettings {
  /** The URL before `/chat/completions`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Null: no token is sent. */
  readonly apiKey: Hidden | null;
}

const TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 256 * 1024;

/** A model behind the chat completions protocol of most providers and local servers. Every request passes the check of its target address. */
export function createOpenAi(net: Pick<Net, "post">, settings: OpenAiSettings): Provider {
  const url = `${settings.baseUrl.replace(/(?<!\/)\/+$/, "")}/chat/completions`;
  return {
    async ask(question) {
      const exchange = await net.post({
        url,
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...(settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey.reveal()}` }),
        },
        body: JSON.stringify(bodyOf(question, settings.model)),
        totalTimeoutMs: TIMEOUT_MS,
        maxBodyBytes: MAX_BODY_BYTES,
      });
      return answerOf(exchange);
    },
  };
}

function bodyOf({ system, user, offers }: ModelRequest, model: string): object {
  const tools = offers.flatMap(({ action, description, parameters }) => {
    const name = toolName(action);
    return name === null ? [] : [{ type: "function", function: { name, description, parameters } }];
  });
  return {
    model,
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
    // Some servers refuse an empty list.
    ...(tools.length === 0 ? {} : { tools, tool_choice: "auto" }),
  };
}

function answerOf(exchange: Exchange): Answer {
  const durationMs = Math.round(exchange.latency.total);
  const failure = failureOf(exchange);
  if (failure !== null) return { ok: false, ...failure, durationMs };
  const answer = readAnswer(exchange);
  if (answer === undefined) {
    const detail = "The provider's response is not a chat completion.";
    return { ok: false, code: "provider_answer_invalid", detail, retryable: false, durationMs };
  }
  return { ok: true, ...answer, durationMs };
}

interface Failure {
  readonly code: ProviderErrorCode;
  readonly detail: string;
  readonly retryable: boolean;
}

function failureOf({ errorClass, status, truncated }: Exchange): Failure | null {
  if (errorClass === "target_refused")
    return {
      code: "provider_blocked",
      detail: "The provider's URL resolves to an address that is not allowed.",
      retryable: false,
    };
  if (errorClass === "timeout")
    return {
      code: "provider_timeout",
      detail: `The provider did not respond within ${TIMEOUT_MS / 1000} s.`,
      retryable: true,
    };
  if (status === null)
    return { code: "provider_unreachable", detail: "The provider cannot be reached.", retryable: true };
  if (errorClass !== null)
    return {
      code: "provider_refused",
      detail: `The provider responded with ${status}.`,
      retryable: status === 429 || status >= 500,
    };
  if (truncated)
    return {
      code: "provider_answer_invalid",
      detail: `The provider's response did not end within ${MAX_BODY_BYTES / 1024} KiB and ${TIMEOUT_MS / 1000} s.`,
      retryable: false,
    };
  return null;
}

/** Returns undefined if the body is not a chat completion. Unknown members are ignored. */
function readAnswer({
  body,
  headers,
}: Pick<Exchange, "body" | "headers">): Omit<Extract<Answer, { ok: true }>, "ok" | "durationMs"> | undefined {
  const completion = foreignJson(body, headers["content-type"]);
  if (!isRecord(completion)) return undefined;
  const { choices, model, usage } = completion;
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isRecord(first) ? first["message"] : undefined;
  if (!isRecord(message)) return undefined;
  const { content, tool_calls: calls } = message;
  const spent = isRecord(usage) ? usage : {};
  return {
    text: typeof content === "string" ? content : null,
    calls: Array.isArray(calls) ? calls.map(callOf) : [],
    model: typeof model === "string" ? model.slice(0, 200) : null,
    inputTokens: countOf(spent["prompt_tokens"]),
    outputTokens: countOf(spent["completion_tokens"]),
  };
}

function callOf(call: unknown): ToolCall {
  const { id, function: named } = isRecord(call) ? call : {};
  const { name, arguments: given } = isRecord(named) ? named : {};
  return {
    id: typeof id === "string" ? id.slice(0, 200) : null,
    action: typeof name === "string" ? actionOf(name).slice(0, 200) : "",
    arguments: typeof given === "string" ? given : (JSON.stringify(given) ?? ""),
  };
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 31 ? value : null;
}
