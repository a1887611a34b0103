import { createVerify } from "node:crypto";
import type { Hidden, ScannedJson } from "../../lib/lib.ts";
import type { SentRequest } from "./placeholders.ts";
import type { RemoteTexts } from "./remote-texts.ts";

/** The hosts of Amazon SNS. Only certificates and confirmations of these hosts are read. */
const SNS_HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/;
const ARN_FORM = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_.-]{1,256}$/;
const ALGORITHMS: Readonly<Record<string, string>> = { "1": "RSA-SHA1", "2": "RSA-SHA256" };
/** The signed members of each type, in their order. */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

export function isTopicArn(text: string): boolean {
  return ARN_FORM.test(text);
}

/** Returns true for an HTTPS address of Amazon SNS. */
export function isSnsUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.port === "" && url.username === "" && SNS_HOST.test(url.hostname);
}

/**
 * Checks a message of Amazon SNS by the certificate that it names. The secrets are ARNs: without them, any account
 * of Amazon could send validly signed messages.
 */
export async function isSnsSigned(
  texts: RemoteTexts,
  secrets: readonly Hidden[],
  request: SentRequest,
): Promise<"valid" | "invalid" | "undecided"> {
  const { TopicArn: topic } = textsOf(request.head("scheme"));
  // The whole body is signed member by member. Only a request that names the ARN may have it read.
  if (!secrets.some((secret) => secret.reveal() === topic)) return "invalid";
  const message = textsOf(await request.json());
  const { SigningCertURL: certificate = "" } = message;
  if (message["TopicArn"] !== topic || !isSnsUrl(certificate)) return "invalid";
  const pem = await texts.read(certificate, { isFresh: false });
  if (pem === undefined) return "undecided";
  return isSignedBy(pem, message) ? "valid" : "invalid";
}

type Message = Readonly<Record<string, string | undefined>>;

function isSignedBy(pem: string, message: Message): boolean {
  const { Type: type = "", SignatureVersion: version = "", Signature: signature = "" } = message;
  const signed = SIGNED[type];
  const algorithm = ALGORITHMS[version];
  if (signed === undefined || algorithm === undefined) return false;
  const verify = createVerify(algorithm);
  for (const name of signed) {
    const value = message[name];
    if (value !== undefined) verify.update(`${name}\n${value}\n`, "utf8");
  }
  try {
    return verify.verify(pem, signature, "base64");
  } catch {
    return false;
  }
}

/** Returns the members that are texts. */
function textsOf(json: ScannedJson | undefined): Message {
  const value = json?.value;
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, one]) => typeof one === "string"));
}
