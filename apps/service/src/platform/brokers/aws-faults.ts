import { foreignJson, isRecord } from "../../lib/lib.ts";
import type { Exchange } from "../outbound-http/outbound-http.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerStep } from "./broker.ts";

/** The things that the sentences name. */
export interface AwsAbout {
  /** Such as `Amazon SQS`. */
  readonly service: string;
  /** The destination for people, such as `the queue https://…`. */
  readonly name: string;
  /** The member of the destination that names it. */
  readonly member: string;
  /** The right that sending needs. */
  readonly right: string;
  readonly region: string;
  readonly accessKeyId: string;
}

export interface AwsFault {
  readonly error: BrokerError;
  /** True if the key is valid and only lacks a right. */
  readonly isRight: boolean;
}

/** An error as a service named it. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** The region that the service names instead; null for none. */
  readonly region: string | null;
}

interface Advice {
  readonly codes: RegExp;
  /** Limits the advice to errors whose message is like this. */
  readonly message?: RegExp;
  readonly step: BrokerStep;
  readonly say: (about: AwsAbout, refusal: Refusal) => string;
  /** True if what the service said is repeated. Messages about signatures repeat the request. */
  readonly quoted?: true;
  /** True if the signature is valid. */
  readonly isRight?: true;
}

/** The first that fits an error is used. */
const ADVICE: readonly Advice[] = [
  {
    codes: /^(?:RequestTimeTooSkewed|RequestExpired)$/,
    step: "sign_in",
    say: skewed,
  },
  {
    codes: /^(?:InvalidSignatureException|SignatureDoesNotMatch)$/,
    message: /expired|not yet current|too skewed/i,
    step: "sign_in",
    say: skewed,
  },
  {
    codes: /^(?:InvalidClientTokenId|InvalidAccessKeyId|UnrecognizedClientException|NotSignedUp|OptInRequired)$/,
    step: "sign_in",
    say: ({ service, accessKeyId }) =>
      accessKeyId.startsWith("ASIA")
        ? `${service} does not take the key ${accessKeyId}: it is a temporary one, which needs a session token. Use the access key of an IAM user.`
        : `${service} does not know the key ${accessKeyId}. Check that \`access_key_id\` is an active access key, and that its account may use this region.`,
  },
  {
    codes: /^(?:InvalidSignatureException|SignatureDoesNotMatch|IncompleteSignature\w*|MissingAuthenticationToken\w*)$/,
    step: "sign_in",
    say: ({ accessKeyId }) =>
      `The secret of \`secret_ref\` does not belong to the access key ${accessKeyId}. Store the secret access key of this key again.`,
  },
  {
    codes: /^ExpiredToken(?:Exception)?$|^TokenRefreshRequired$/,
    step: "sign_in",
    say: ({ accessKeyId }) =>
      `The credential ${accessKeyId} has expired. Use the access key of an IAM user, which does not expire.`,
  },
  {
    codes: /^Kms|^KMS/,
    step: "sign_in",
    say: ({ name, accessKeyId }) =>
      `The KMS key of ${name} cannot be used by the access key ${accessKeyId}. Allow \`kms:GenerateDataKey\` and \`kms:Decrypt\`, and check that the KMS key is enabled.`,
    quoted: true,
  },
  {
    codes: /^(?:AccessDenied\w*|AuthorizationError\w*|AllAccessDisabled|AccountProblem|NotAuthorizedForSource\w*)$/,
    step: "sign_in",
    say: ({ name, right, accessKeyId }) =>
      `The access key ${accessKeyId} does not have the right \`${right}\` on ${name}. Allow it in an IAM policy of its user, and check that no other policy denies it.`,
    quoted: true,
    isRight: true,
  },
  {
    codes:
      /^(?:QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue|NotFound\w*|ResourceNotFoundException|NoSuchBucket|InvalidAddress)$/,
    step: "send",
    say: ({ name, member, region }) =>
      `There is no such destination in the region ${region}: ${name}. Create it, or correct \`${member}\` and \`region\`.`,
  },
  {
    codes: /^(?:PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/,
    step: "send",
    say: ({ name, region }, refusal) =>
      refusal.region === null
        ? `The region of ${name} is not ${region}. Correct \`region\`.`
        : `The region of ${name} is ${refusal.region}, not ${region}. Correct \`region\`.`,
  },
  {
    codes:
      /Throttl|^(?:RequestLimitExceeded|TooManyRequests\w*|SlowDown|OverLimit|LimitExceeded\w*|BandwidthLimitExceeded)$/,
    step: "confirm",
    say: ({ service }) =>
      `${service} limits the rate of the account. Nothing was written, and the retry schedule goes on. Lower \`rate_limit_per_second\` if it happens often, or raise the quota.`,
    quoted: true,
  },
  {
    codes:
      /^(?:MessageTooLong|BatchRequestTooLong|EntityTooLarge|PayloadTooLarge|RequestEntityTooLarge|PutEventsRequestEntryTooLarge|MaxMessageLengthExceeded)$/,
    step: "send",
    say: tooLong,
    quoted: true,
  },
  {
    codes: /^/,
    message: /MessageTooLong|must be shorter than|too long|over the limit|too large|exceeds? the (?:maximum|limit)/i,
    step: "send",
    say: tooLong,
    quoted: true,
  },
  {
    codes:
      /^(?:InternalFailure|InternalError|InternalException|InternalServerError|ServiceUnavailable\w*|OperationAborted|ConditionalRequestConflict|RequestTimeout)$/,
    step: "confirm",
    say: ({ service }) => `${service} has a fault of its own. The retry schedule goes on.`,
    quoted: true,
  },
  {
    codes: /^NotImplemented$/,
    step: "send",
    say: ({ service }) => `The server does not know a part of the protocol of ${service}. Use another server, or AWS.`,
    quoted: true,
  },
  {
    codes: /^MalformedDetail$/,
    step: "send",
    say: ({ service }) =>
      `${service} takes only bodies that are JSON objects. Correct the transformation of the endpoint.`,
    quoted: true,
  },
];

const REFUSED: Advice = {
  codes: /^/,
  step: "send",
  say: ({ service }) => `${service} refused the message.`,
  quoted: true,
};

/** Returns why an exchange confirmed nothing; null for a 2xx that names no error. */
export function exchangeFault(exchange: Exchange, about: AwsAbout): AwsFault | null {
  const { status, headers, body, resolvedIp, cut } = exchange;
  if (status === null) return { error: connectionFault(exchange, about), isRight: false };
  if (cut !== null) return { error: new BrokerError("confirm", cutText(cut, about), resolvedIp), isRight: false };
  const refusal = refusalIn(body.toString(), headers);
  if (refusal !== null) return refusalFault(refusal, about, resolvedIp);
  if (exchange.errorClass === null) return null;
  return { error: new BrokerError("confirm", strangeText(exchange, about), resolvedIp), isRight: false };
}

/** Returns the fault of an error that the service named. */
export function refusalFault(refusal: Refusal, about: AwsAbout, address: string | null): AwsFault {
  const { step, say, quoted, isRight = false } = adviceFor(refusal);
  const said = [refusal.code, refusal.message].filter((part) => part !== "").join(": ");
  const text = quoted === undefined ? ` (${refusal.code})` : ` It said: "${quotable(said)}"`;
  return { error: new BrokerError(step, `${say(about, refusal)}${text}`, address), isRight };
}

function adviceFor({ code, message }: Refusal): Advice {
  return ADVICE.find((one) => one.codes.test(code) && (one.message?.test(message) ?? true)) ?? REFUSED;
}

function skewed({ service }: AwsAbout): string {
  return `The clocks of this node and of ${service} differ by more than five minutes. Set the clock of the node, for example with NTP.`;
}

function tooLong({ name }: AwsAbout): string {
  return `The message is larger than ${name} takes. Make it smaller with a transformation or a filter, or raise the limit of the destination.`;
}

const CONNECTION_STEPS: Readonly<Partial<Record<NonNullable<Exchange["errorClass"]>, BrokerStep>>> = {
  dns: "resolve",
  target_refused: "guard",
  connect: "connect",
  tls: "tls",
  proxy: "proxy",
};

function connectionFault({ errorClass, errorDetail, sent, resolvedIp }: Exchange, about: AwsAbout): BrokerError {
  const known = errorClass === null ? undefined : CONNECTION_STEPS[errorClass];
  if (known !== undefined)
    return new BrokerError(
      known,
      `${about.service} was not reached: ${errorDetail}.${ADVICE_OF_STEP[known] ?? ""}`,
      resolvedIp,
    );
  if (!sent)
    return new BrokerError(
      "connect",
      `${about.service} was not reached: ${errorDetail}. Check \`endpoint_url\`.`,
      resolvedIp,
    );
  return new BrokerError(
    "confirm",
    `${about.service} confirmed nothing: ${errorDetail}. The message may have been written, and the next attempt may write it again.`,
    resolvedIp,
  );
}

const ADVICE_OF_STEP: Readonly<Partial<Record<BrokerStep, string>>> = {
  resolve: " Check `region` and `endpoint_url`.",
  guard: " The address must be public, or be allowed by the operator in `JUNCTION_ALLOW_TARGETS`.",
  connect: " Check `endpoint_url`, and that its port can be reached.",
  tls: " Check that the certificate is for the host of `endpoint_url`.",
};

function cutText(cut: NonNullable<Exchange["cut"]>, { service }: AwsAbout): string {
  if (cut === "size") return `The answer is far larger than one of ${service}. Check \`endpoint_url\`.`;
  return `The answer of ${service} did not end. The message may have been written, and the next attempt may write it again.`;
}

function strangeText({ status, errorClass }: Exchange, { service }: AwsAbout): string {
  if (status !== null && status >= 500)
    return `${service} has a fault of its own (HTTP ${status}). The retry schedule goes on.`;
  if (errorClass === "redirect")
    return `The server redirects (HTTP ${status}), which is not followed. Check \`region\` and \`endpoint_url\`.`;
  return `The server does not answer as ${service} does (HTTP ${status}, without a code of an error). Check \`endpoint_url\`.`;
}

/** Returns the error that an answer names, in JSON or XML; null for none. */
function refusalIn(text: string, headers: Readonly<Record<string, string>>): Refusal | null {
  const refusal = text.trimStart().startsWith("<") ? xmlRefusal(text) : jsonRefusal(text, headers["x-amzn-errortype"]);
  if (refusal === null || refusal.code === "") return null;
  return { ...refusal, region: nameOfRegion(refusal.region ?? headers["x-amz-bucket-region"] ?? null) };
}

function xmlRefusal(text: string): Refusal | null {
  const code = tagIn(text, "Code");
  if (code === null || !/<(?:\w+:)?Error[\s>]/.test(text)) return null;
  return { code, message: tagIn(text, "Message") ?? "", region: tagIn(text, "Region") };
}

function jsonRefusal(text: string, header: string | undefined): Refusal | null {
  const read = foreignJson(text);
  if (!isRecord(read)) return null;
  const [named = header, message = ""] = [
    ["__type", "code"],
    ["message", "Message"],
  ].map((names) => names.map((name) => read[name]).find((value) => typeof value === "string"));
  if (named === undefined) return null;
  // Such as `com.amazonaws.sqs#QueueDoesNotExist`, and `ThrottlingException:http://…`.
  const [code = ""] = (named.split("#").at(-1) ?? "").split(":");
  return { code, message, region: null };
}

function tagIn(text: string, name: string): string | null {
  return new RegExp(`<${name}>([^<]{0,500})`).exec(text)?.[1] ?? null;
}

function nameOfRegion(text: string | null): string | null {
  return text !== null && /^[a-z0-9-]{1,32}$/.test(text) ? text : null;
}

/** A text of the server for the log: without signatures that it repeats, on one line, and short. */
function quotable(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{64}/gi, "[redacted]")
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .slice(0, 300);
}
