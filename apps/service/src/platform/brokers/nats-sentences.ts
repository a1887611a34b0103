import { BrokerError } from "./broker.ts";
import type { BrokerStep } from "./broker.ts";
import { seconds } from "./conversation.ts";

/** The answer of a stream: its place in the stream, or what is wrong. */
export interface Ack {
  readonly isStored: boolean;
  readonly text: string;
}

/** Reads the answer of JetStream to a message. */
export function ackSentence(body: string): Ack {
  const strange = { isStored: false, text: `the answer is not JetStream's: ${body.slice(0, 80)}` };
  try {
    const { error, stream, seq, duplicate } = JSON.parse(body) as Partial<Record<string, unknown>>;
    if (typeof error === "object" && error !== null)
      return { isStored: false, text: String((error as { readonly description?: unknown }).description) };
    if (typeof stream !== "string" || typeof seq !== "number") return strange;
    return {
      isStored: true,
      text: `${stream} at sequence ${seq}${duplicate === true ? ", where it was already" : ""}`,
    };
  } catch {
    return strange;
  }
}

interface Names {
  readonly subject: string;
  readonly jetstream: boolean;
  readonly username?: string;
}

/** The faults of a destination, in sentences that say what to do. */
export function natsSentences({ subject: template, jetstream, username }: Names, addressOf: () => string | null) {
  const failed = (step: BrokerStep, sentence: string): BrokerError => new BrokerError(step, sentence, addressOf());
  const step = (isSignedIn: boolean): BrokerStep => (isSignedIn ? "confirm" : "sign_in");
  const user = username === undefined ? "the credential" : `the user ${username} or the password`;
  return {
    lost: (isSignedIn: boolean, cause: string) =>
      failed(
        step(isSignedIn),
        `The connection ended before NATS ${isSignedIn ? "confirmed the message" : "let us in"}: ${cause}. The server's log says why.`,
      ),
    nonsense: (cause: string) =>
      failed("connect", `The port does not speak NATS: ${cause}. Check the port: NATS is 4222.`),
    unconfirmed: (isSignedIn: boolean, withinMs: number) =>
      failed(
        step(isSignedIn),
        `NATS did not ${isSignedIn ? "confirm the message" : "answer"} within ${seconds(withinMs)}. Check that the server is up${jetstream ? " and that the stream has a leader" : ""}.`,
      ),
    noHeaders: () =>
      failed(
        "sign_in",
        "The server knows no headers. NATS has them from version 2.2; check that no_header_support is off.",
      ),
    noStream: () =>
      failed(
        "confirm",
        "No stream takes this subject. Create a stream with the subject in JetStream, or check the account of the credential.",
      ),
    notStored: (text: string) =>
      failed("confirm", `The stream did not store the message: ${text}. Check the limits of the stream.`),
    refused: (isSignedIn: boolean, text: string) => {
      if (/^Authorization Violation/i.test(text) || /^Authentication/i.test(text))
        return failed("sign_in", `NATS refused ${user} (${text}). Check it, and that it belongs to this server.`);
      if (text.startsWith("Permissions Violation for Subscription"))
        return failed("sign_in", `NATS refused the subject of answers (${text}). Let the user subscribe to _INBOX.>.`);
      if (text.startsWith("Permissions Violation"))
        return failed("confirm", `NATS refused the subject (${text}). Let the user publish to it.`);
      return failed(step(isSignedIn), `NATS ended the connection: ${text}. The next attempt opens another.`);
    },
    /** Throws for a message that cannot be sent. */
    check(subject: string, bytes: number, maxPayload: number | null): void {
      if (!SUBJECT.test(subject) || subject.length > SUBJECT_CHARACTERS)
        throw failed(
          "send",
          `The subject ${JSON.stringify(subject.slice(0, 80))} is not allowed in NATS: parts between dots are not empty and have no spaces, * or >.`,
        );
      // A template's values must not reach the server's own subjects, such as those that delete a stream.
      if (subject.startsWith("$") && !template.startsWith("$"))
        throw failed(
          "send",
          "The subject begins with $, which is for the server itself. Only a template that begins with $ may render to it.",
        );
      if (maxPayload !== null && bytes > maxPayload)
        throw failed(
          "send",
          `The message has ${bytes} bytes with its headers. The server allows ${maxPayload}: make it smaller, or raise max_payload.`,
        );
    },
  };
}

const SUBJECT = /^[^\s.*>\p{Cc}]+(?:\.[^\s.*>\p{Cc}]+)*$/u;
const SUBJECT_CHARACTERS = 1000;
