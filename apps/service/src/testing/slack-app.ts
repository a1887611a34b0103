import { createHmac } from "node:crypto";
import { OWNER, signIn } from "./people.ts";
import type { TestPerson } from "./people.ts";
import type { Parsed, TestService } from "./test-service.ts";

/** A person in Slack. */
export interface SlackUser {
  readonly userId: string;
  /** The Slack workspace of the person, and by default of the message. */
  readonly team_id: string;
}

export interface SignedPost {
  readonly secret: string;
  /** Unix seconds. Default: now. */
  readonly timestamp?: number;
  /** Headers that replace the correct ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SlackReply {
  readonly status: number;
  readonly text: string;
  readonly body: Parsed;
  readonly tookMs: number;
}

/** Returns the body of an interaction, in Slack's form. */
export function interactionBody(payload: object): string {
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

/** Sends a body as Slack does, with its signature: written from Slack's documents, independently of the code under test. */
export async function postAsSlack(
  url: string,
  body: string,
  { secret, timestamp, headers }: SignedPost,
): Promise<SlackReply> {
  const time = String(timestamp ?? Math.floor(Date.now() / 1000));
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex")}`;
  const startedAt = Date.now();
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "X-Slack-Request-Timestamp": time,
      "X-Slack-Signature": signature,
      ...headers,
    },
    body,
  });
  const text = await response.text();
  const isJson = text.startsWith("{");
  return { status: response.status, text, body: isJson ? JSON.parse(text) : {}, tookMs: Date.now() - startedAt };
}

/** Returns the payload of a form with a code. */
export function codeForm({ userId, team_id }: SlackUser, code: string): object {
  return {
    type: "view_submission",
    team: { id: team_id, domain: "shop" },
    user: { id: userId, username: "ines", team_id },
    view: {
      type: "modal",
      callback_id: "junction_link_code",
      state: { values: { code: { code: { type: "plain_text_input", value: code } } } },
    },
  };
}

/** Links a Slack account of a person as people do: a code in the console, entered in Slack. Returns the id of the link. */
export async function linkAccount(
  service: TestService,
  person: TestPerson,
  { signing_secret: secret, ...user }: SlackUser & { readonly signing_secret: string },
  headers: Record<string, string> = {},
): Promise<string> {
  const begun = await person.call("POST", "/v1/slack-links", { password: person.password }, headers);
  if (begun.status !== 201) throw new Error(`no code: ${begun.text}`);
  const url = await requestUrl(service, headers);
  const entered = await postAsSlack(url, interactionBody(codeForm(user, begun.body["code"])), { secret });
  if (entered.body["response_action"] !== "update") throw new Error(`not linked: ${entered.text}`);
  const { body } = await person.call("GET", "/v1/slack-links?limit=100", undefined, headers);
  return body["data"].find((link: Parsed) => link.slack_user_id === user.userId).id;
}

async function requestUrl(service: TestService, headers: Record<string, string>): Promise<string> {
  const owner = await signIn(service, OWNER);
  return (await owner.call("GET", "/v1/slack-app", undefined, headers)).body["request_url"];
}
