import type { Tag, Uuid } from "../../lib/lib.ts";

/**
 * What a subscriber has to know of the database about every batch of events: asked in one statement with what the others ask, so that
 * one more subscriber costs no round trip. Nothing is kept: each batch asks again.
 */
export interface SubscriberQuery {
  /** Of all subscribers one alone has it. */
  readonly name: string;
  /**
   * SQL without parameters: a select of `(tag, event, found)`, all text, from `asked (bucket, tag, workspace_id, event, is_open,
   * is_sandbox)`, the distinct workspaces and names of the batch. `event` null: found for all events of the tag. `is_open`: `*` takes it.
   */
  readonly text: string;
}

/** Who is asked about, once for all events of a batch that are alike. */
export interface MatchInput {
  readonly bucket: number;
  readonly tag: Tag;
  readonly workspaceId: Uuid;
  readonly event: string;
  readonly isOpen: boolean;
  readonly isSandbox: boolean;
}
