import type { NewPortalSession, PortalSessionRequest } from "../../../../sdks/node/src/index.ts";
import { openInBrowser } from "../browser.ts";
import type { Command, Context } from "../command.ts";
import { commaList, visible } from "../text.ts";
import { readSeconds } from "../times.ts";

const CAPABILITIES = "endpoints,deliveries,replay,tester,secrets,event_types";

export const portalCommand: Command = {
  name: "portal",
  usage: "<tenant>",
  summary: "Create a link to the portal of a tenant",
  description:
    "The link shows the page on which this customer manages its own webhook endpoints. It works once, for five minutes. The session can do only what your key may do. `junction portal-sessions revoke <id>` ends it.",
  options: {
    capabilities: {
      type: "string",
      value: "<names>",
      about: `Comma-separated: ${CAPABILITIES},filters,transforms,mcp_tokens. Default: all except the last three.`,
    },
    expires: { type: "string", value: "<duration>", about: "The length of the session: 10m, 2h, 1d. Default: 1h." },
    open: { type: "boolean", about: "Open the link in the browser (BROWSER, or your system's default)." },
  },
  words: { least: 1, most: 1 },
  async run(context) {
    const request = requestOf(context);
    const junction = await context.junction();
    const session: NewPortalSession = await junction.portalSessions.create(request);
    context.print.line(session, session.url);
    if (!context.print.isJson) context.io.err(factsOf(session));
    if (context.has("open") && !(await openInBrowser(context.io, session.url)))
      context.io.err("No browser could be started. Open the link yourself.\n");
  },
};

function requestOf(context: Context): PortalSessionRequest {
  const expires = context.text("expires");
  const names = commaList(context.text("capabilities") ?? CAPABILITIES);
  return {
    tenant: context.words[0] ?? "",
    capabilities: names.filter((one) => one !== ""),
    ...(expires === undefined ? {} : { expires_in_seconds: readSeconds(expires, "expires") }),
  };
}

function factsOf({ id, tenant, environment, expires_at: end, url_expires_at: linkEnd }: NewPortalSession): string {
  return `The portal of ${visible(tenant)} (${environment}, ${id}). The link works once, until ${linkEnd}. The session ends at ${end}.\n`;
}
