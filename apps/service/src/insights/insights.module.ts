import { access } from "../access/access.module.ts";
import { once } from "../lib/lib.ts";
import { defineModule } from "../composition/module.ts";
import { createNews } from "./live/live.ts";
import type { NewsReaders } from "./live/live.ts";
import { streamRoutes } from "./live/stream.routes.ts";
import { platform } from "../platform/platform.module.ts";
import { merged } from "../composition/points.ts";
import { searchRoutes } from "./search/search.routes.ts";
import { attentionRoutes } from "./usage/attention.routes.ts";
import { createUsage } from "./usage/usage.ts";
import type { AttentionParts } from "./usage/usage.ts";
import { usageRoutes } from "./usage/usage.routes.ts";

/** Provides usage counts, the event stream, and the items that need attention. */
export const insights = defineModule({
  name: "insights",
  needs: { platform, access },
  create({ platform: base }, { points }) {
    return {
      news: createNews({ ...base, readers: once(() => merged<NewsReaders>(points.liveKinds())) }),
      usage: createUsage(base),
      searchables: points.searchables,
      attention: () => merged<AttentionParts>(points.attention()),
    };
  },
  provides: ({ news, usage, attention, searchables }, { access: { accessChecks } }) => ({
    routes: [
      (app) => usageRoutes(app, usage),
      (app) => streamRoutes(app, { news, accessChecks }),
      (app) => attentionRoutes(app, attention()),
      (app) => searchRoutes(app, { accessChecks, searchables }),
    ],
    workers: [
      { name: "usage", phase: "records", ...usage },
      { name: "live stream", phase: "streams", ...news },
    ],
    gauges: [{ unwrittenUsage: usage.waiting }],
    signalListeners: [usage.listener, news.listener],
  }),
});
