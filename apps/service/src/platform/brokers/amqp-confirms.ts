import type { Fields } from "./amqp-frames.ts";
import type { BrokerError } from "./broker.ts";
import type { Wait } from "./conversation.ts";

/** A message that the broker has not confirmed yet. */
interface Pending<Answer> {
  readonly id: string;
  readonly bytes: number;
  readonly wait: Wait<Answer>;
  /** Why the broker returned it; null if it did not. */
  returned: string | null;
}

export interface ConfirmsDeps<Answer> {
  confirmed(): Answer;
  /** The broker has given the message back, because no queue takes it. */
  unroutable(reason: string): BrokerError;
  refused(): BrokerError;
}

/** The messages of one channel that wait for their confirms. */
export function createConfirms<Answer>(deps: ConfirmsDeps<Answer>) {
  const pending = new Map<number, Pending<Answer>>();
  let published = 0;

  const confirm = ({ wait, returned }: Pending<Answer>): void => {
    if (returned === null) wait.resolve(deps.confirmed());
    else wait.reject(deps.unroutable(returned));
  };
  const refuse = ({ wait }: Pending<Answer>): void => wait.reject(deps.refused());

  function settle(fields: Fields, apply: (one: Pending<Answer>) => void): void {
    const tag = fields.u64();
    const isMultiple = (fields.u8() & 1) === 1;
    // The map is in the order of the tags. A multiple confirm with the tag 0 means all.
    for (const [each, one] of isMultiple ? pending : only(tag)) {
      if (isMultiple && tag !== 0 && each > tag) return;
      pending.delete(each);
      apply(one);
    }
  }

  function only(tag: number): readonly [number, Pending<Answer>][] {
    const one = pending.get(tag);
    return one === undefined ? [] : [[tag, one]];
  }

  return {
    /** Waits for the confirm of the next message that is written. */
    async next(message: { readonly id: string; readonly bytes: number }, wait: Wait<Answer>): Promise<Answer> {
      published += 1;
      const tag = published;
      pending.set(tag, { ...message, wait, returned: null });
      try {
        return await wait.answer;
      } finally {
        pending.delete(tag);
      }
    },
    ack: (fields: Fields): void => settle(fields, confirm),
    nack: (fields: Fields): void => settle(fields, refuse),
    /** A returned message is confirmed all the same, after it came back. */
    returned(id: string, reason: string): void {
      for (const one of pending.values()) {
        if (one.id !== id || one.returned !== null) continue;
        one.returned = reason;
        return;
      }
    },
    /** Refuses the messages of exactly this size. Returns whether there are any. */
    refuseSize(bytes: number, error: BrokerError): boolean {
      const found = [...pending.values()].filter((one) => one.bytes === bytes);
      for (const { wait } of found) wait.reject(error);
      return found.length > 0;
    },
  };
}
