import type { Db, Tx } from "../../platform/db/db.ts";
import {
  canonicalJson,
  newSigningSecret,
  openSecrets,
  resultOf,
  revealSecrets,
  rotateSecret,
  ServiceError,
  sha256,
  validSecrets,
} from "../../lib/lib.ts";
import type { Clock, Hidden, RevealedSecret, Sealer, Uuid } from "../../lib/lib.ts";
import { changeChannel, findChannel, holdChannel, insertChannel } from "./signing-channels.store.ts";
import type { ChannelRow } from "./signing-channels.store.ts";
import { revealHeaders } from "../requests/header-values.ts";
import type { HeaderValues } from "../requests/header-values.ts";

/**
 * A rule or workflow that sends through endpoints of its own. One secret signs all of its requests to any URL, in both
 * environments.
 */
export interface Channel {
  readonly workspaceId: Uuid;
  /** The id of the workflow or rule. */
  readonly id: Uuid;
  readonly owner: "workflow" | "rule";
}

export type Channels = ReturnType<typeof createChannels>;

export interface ChannelsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
}

/** The owners that wait for the end of each of their deliveries. */
const AWAITS: Readonly<Record<Channel["owner"], boolean>> = { workflow: true, rule: false };

export function createChannels(deps: ChannelsDeps) {
  const { db, clock, sealer } = deps;
  return {
    /** Creates the secret of a new channel. The secret is shown once. */
    openChannel: async (tx: Tx, channel: Channel): Promise<string> => await openChannel(deps, tx, channel),
    /** Returns the secrets that sign for the channel, and creates one if there is none. Null: the current master key cannot decrypt them. */
    async signing(channel: Channel): Promise<readonly Hidden[] | null> {
      const row = (await findChannel(db.query, keyOf(channel))) ?? (await openedChannel(deps, channel));
      const opened = resultOf(() => openSecrets(sealer, channelPlace(channel), row, clock.now()));
      return opened instanceof Error ? null : validSecrets(opened);
    },
    /** Throws 404 for a channel that was never opened. Then a new secret must be created. */
    async revealSecret(channel: Channel): Promise<RevealedSecret> {
      const row = await findChannel(db.query, keyOf(channel));
      if (row === undefined)
        throw new ServiceError("not_found", { detail: "No secret has been created yet. Create one." });
      return revealSecrets(sealer, channelPlace(channel), row, clock.now());
    },
    /** Creates and returns a new secret. The old one also signs for `overlapSeconds`. */
    async regenerateSecret(tx: Tx, channel: Channel, overlapSeconds: number): Promise<string> {
      const before = await holdChannel(tx, keyOf(channel));
      if (before === undefined) return await openChannel(deps, tx, channel);
      const secret = newSigningSecret();
      const next = { secret, now: clock.now(), overlapSeconds };
      await changeChannel(tx, keyOf(channel), rotateSecret(sealer, channelPlace(channel), before.secret_sealed, next));
      return secret.reveal();
    },
  };
}

/**
 * Returns the secret that the channel then has. A channel that another transaction opened at this moment keeps its own.
 */
export async function openChannel({ sealer }: Pick<ChannelsDeps, "sealer">, tx: Tx, channel: Channel): Promise<string> {
  const { workspaceId, id, owner } = channel;
  const place = channelPlace(channel);
  const secret_sealed = sealer.seal(newSigningSecret(), place);
  const row = await insertChannel(tx, { workspace_id: workspaceId, id, owner, awaits: AWAITS[owner], secret_sealed });
  return sealer.open(row.secret_sealed, place).reveal();
}

async function openedChannel(deps: ChannelsDeps, channel: Channel): Promise<ChannelRow> {
  return await deps.db.transaction(async (tx) => {
    await openChannel(deps, tx, channel);
    const row = await findChannel(tx.query, keyOf(channel));
    if (row === undefined) throw new Error("a channel that was just opened is not there");
    return row;
  });
}

/** Returns the place that a channel's secrets are sealed for. */
export function channelPlace({ owner, id }: { readonly owner: string; readonly id: string }): string {
  return `${owner}:${id}`;
}

function keyOf({ workspaceId, id }: Channel): { workspace_id: Uuid; id: Uuid } {
  return { workspace_id: workspaceId, id };
}

/**
 * Returns the hash that identifies the channel's endpoint. With header values in it the hash is keyed, because short
 * values could be guessed from a plain hash.
 */
export function fingerprintOf(
  sealer: Sealer,
  channelId: Uuid,
  { url, headers }: { readonly url: string; readonly headers: HeaderValues },
): Buffer {
  const text = canonicalJson({ url, headers: revealHeaders(headers) });
  return headers.size === 0 ? sha256(text) : sealer.fingerprint(text, `channel:${channelId}`);
}
