import { foreignJson, isRecord, retryAfterMs, VERSION } from "../../lib/lib.ts";
import type { Clock, Hidden } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { LIMITED } from "./announcements.store.ts";

/** The methods of Slack's Web API that are called. They need the scope `chat:write` alone. */
export type SlackMethod = "auth.test" | "chat.postMessage" | "chat.update" | "chat.postEphemeral" | "views.open";

export type SlackAnswer =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false;
      /** Slack's word, such as `channel_not_found`, or the class of a failure without an answer. */
      readonly error: string;
      /** The same call may succeed later. */
      readonly isPassing: boolean;
      /** The time that Slack asks to wait. */
      readonly waitSeconds: number;
    };

export type SlackApi = ReturnType<typeof createSlackApi>;

export interface SlackApiDeps {
  readonly net: Pick<Net, "send">;
  readonly clock: Clock;
  readonly slackApiUrl: string;
}

const TIMEOUT_MS = 8000;
/** Slack repeats the message in its answer. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Words of Slack that mean a fault of its own, or too many calls. All others are about the call. */
const PASSING: ReadonlySet<string> = new Set([
  LIMITED,
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
]);
const WORD = /^[a-z_]{1,64}$/;

export function createSlackApi({ net, clock, slackApiUrl }: SlackApiDeps) {
  return {
    /** Calls a method once, through the guard of outbound requests. Never throws because of the answer. */
    async call(token: Hidden, method: SlackMethod, body: Readonly<Record<string, unknown>>): Promise<SlackAnswer> {
      const exchange = await net.send({
        method: "POST",
        url: `${slackApiUrl}/${method}`,
        headers: {
          Authorization: `Bearer ${token.reveal()}`,
          "Content-Type": "application/json; charset=utf-8",
          "User-Agent": `Junction/${VERSION}`,
        },
        body: JSON.stringify(body),
        once: true,
        totalTimeoutMs: TIMEOUT_MS,
        maxBodyBytes: MAX_ANSWER_BYTES,
      });
      const { status, errorClass, headers } = exchange;
      if (status === null)
        return failed(errorClass ?? "network", { isPassing: errorClass !== "target_refused", waitSeconds: 0 });
      const waitSeconds = Math.ceil((retryAfterMs(headers["retry-after"], clock.now()) ?? 0) / 1000);
      const answer = foreignJson(exchange.body, headers["content-type"]);
      if (status === 200 && isRecord(answer)) {
        if (answer["ok"] === true) return { ok: true, body: answer };
        const error = wordOf(answer["error"]);
        return failed(error, { isPassing: PASSING.has(error), waitSeconds });
      }
      if (status === 429) return failed(LIMITED, { isPassing: true, waitSeconds });
      return failed(`http_${status}`, { isPassing: status >= 500, waitSeconds });
    },
  };
}

function failed(error: string, more: { readonly isPassing: boolean; readonly waitSeconds: number }): SlackAnswer {
  return { ok: false, error, ...more };
}

/** Slack's word is shown to people, so that only its own form is repeated. */
function wordOf(error: unknown): string {
  if (error === "rate_limited") return LIMITED;
  return typeof error === "string" && WORD.test(error) ? error : "unknown_error";
}
