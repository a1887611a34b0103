import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";

export interface Behaviour {
  readonly status: number;
  readonly delay_ms: number;
  /** Number of further messages that get the response 500. */
  readonly fail_times: number;
  readonly body: string | null;
}

/** The messages that an inbox received, newest first, and how it responds. */
export interface Inbox {
  readonly url: string;
  readonly behaviour: Behaviour;
  readonly messages: readonly wire.InboxMessage[];
}

const LOOK_MS = 2000;

// The inbox has no dotted names: the token in its path is the credential.

export function inboxQuery(url: string) {
  return queryOptions({
    queryKey: ["inbox", url],
    queryFn: async ({ signal }) => (await send({ method: "GET", path: pathOf(url), signal })) as Inbox,
    refetchInterval: LOOK_MS,
  });
}

/** Sends the whole behavior, because an omitted member returns to its default. */
export async function behave(url: string, change: Behaviour): Promise<Behaviour> {
  return (await send({ method: "PUT", path: `${pathOf(url)}/behaviour`, body: change })) as Behaviour;
}

/** Returns only the path, because the console may use another host name of the same service. */
function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? url;
}
