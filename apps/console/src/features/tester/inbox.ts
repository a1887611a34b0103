import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";

export interface Behaviour {
  readonly status: number;
  readonly delay_ms: number;
  /** So many further messages are answered 500. */
  readonly fail_times: number;
  readonly body: string | null;
}

/** What it received, newest first, and how it answers. */
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

/** All of it is sent: what is left out goes back to how an inbox begins. */
export async function behave(url: string, change: Behaviour): Promise<Behaviour> {
  return (await send({ method: "PUT", path: `${pathOf(url)}/behaviour`, body: change })) as Behaviour;
}

/** The console may have come from another name of the same service. */
function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? url;
}
