import { useEffect, useMemo, useSyncExternalStore } from "react";
import { useLive, useScope } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { createDeliveryLog } from "./log.ts";
import type { DeliveryLog, LogView } from "./log.ts";
import type { LogQuery } from "./search.ts";

/** The log of a search, live while it is shown. Another search is another log. */
export function useDeliveryLog(query: LogQuery): DeliveryLog & { readonly id: string; readonly shown: LogView } {
  const { environment, workspaceId } = useScope();
  const asked = JSON.stringify([query, environment, workspaceId]);
  const log = useMemo(() => createDeliveryLog((JSON.parse(asked) as [LogQuery])[0]), [asked]);
  const shown = useSyncExternalStore(log.subscribe, log.view);
  useEffect(() => log.start(), [log]);
  useLive("delivery", (news) => log.hear(news as wire.Delivery | null));
  return useMemo(() => ({ ...log, id: asked, shown }), [log, asked, shown]);
}
