import { readdirSync, readFileSync } from "node:fs";
import { parseJson } from "../../lib/lib.ts";
import type { Answer, Handshake } from "./handshake.ts";
import type { Mapping } from "./mapping.ts";
import type { Scheme } from "./scheme.ts";

/** A product that sends webhooks, as its file in `senders/` describes it (contract, section 12). */
export interface Sender {
  readonly key: string;
  readonly title: string;
  readonly category: SenderCategory;
  readonly description: string;
  /** The page of the sender's documentation about its signature. */
  readonly documentation: string;
  readonly scheme: Scheme;
  readonly secret: {
    /** The sender's own word for the secret. */
    readonly label: string;
    readonly given_by: "you" | "sender";
  };
  /** `none`: its events contain no address of a person. */
  readonly contact: "if_present" | "none";
  readonly event_type_header: string | null;
  readonly idempotency_key_header: string | null;
  readonly mapping: SenderMapping;
  readonly event_types: readonly string[];
  readonly handshakes: readonly Handshake[];
  /** The answer to events, if the sender demands one of its own. */
  readonly respond: Answer | null;
  /** The steps to set it up, in the words of the sender's own pages. */
  readonly setup: readonly string[];
  /** An event of this sender, without its signature. */
  readonly sample: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

export interface SenderMapping extends Omit<
  Mapping,
  "contact" | "event_type_header" | "idempotency_key_header" | "summary_path" | "score"
> {
  /** A signed request of the sender is never `unmapped` for want of a type. */
  readonly event_type_default: string;
}

/** The members of a mapping that a file can leave out. */
const LEFT_OUT = { each: null, idempotency_key_template: null, dedupe_ignore: [] };

export const SENDER_CATEGORIES = [
  "payments",
  "code",
  "chat",
  "crm",
  "commerce",
  "mail",
  "monitoring",
  "forms",
  "identity",
  "telephony",
  "storage",
  "other",
] as const;
export type SenderCategory = (typeof SENDER_CATEGORIES)[number];

const FOLDER = new URL("senders/", import.meta.url);

/** All senders, by title. A new file in the folder is a new sender; senders.test.ts checks each. */
export const senders: readonly Sender[] = readdirSync(FOLDER)
  .filter((name) => /^\w+\.json$/.test(name))
  .map((name) => senderIn(readFileSync(new URL(name, FOLDER), "utf8")))
  .toSorted((a, b) => (a.title.toLowerCase() < b.title.toLowerCase() ? -1 : 1));

function senderIn(file: string): Sender {
  const sender = parseJson(file) as Sender;
  return { ...sender, mapping: { ...LEFT_OUT, ...sender.mapping } };
}

const byKey = new Map(senders.map((sender) => [sender.key, sender]));

export function senderOf(key: string | null): Sender | undefined {
  return key === null ? undefined : byKey.get(key);
}
