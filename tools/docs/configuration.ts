import { SETTINGS } from "../../apps/service/src/config/settings.ts";
import type { Setting } from "../../apps/service/src/config/settings.ts";
import { DEFAULT_LIMITS } from "../../apps/service/src/gate/gate.ts";

/** The text of docs/reference/configuration.md, from what config.ts reads. */
export function configurationPage(): string {
  const settings = Object.entries<Setting>(SETTINGS).map(
    ([name, setting]) =>
      `## \`${name}\`\n\n${setting.meaning}${fileOf(name, setting)}\n\nMust be ${setting.form}. Default: ${defaultOf(setting)}.\n`,
  );
  const limits = Object.entries(DEFAULT_LIMITS).map(([name, limit]) => `- \`${name}\`: ${limit}`);
  return [
    "# Configuration\n",
    "The service is configured by environment variables alone. All wrong values are reported together, a line each, and the process exits with 78 before anything is started ([exit codes](../guide/self-hosting.md#exit-codes)). An empty variable counts as not set. A secret can be in a file that the same name with `_FILE` names; set one of the two. `junction doctor` looks at what is set ([doctor](../guide/doctor.md)).\n",
    "This page is made from the service's own list: `node tools/generate-configuration.ts`.\n",
    ...settings,
    "## Limits\n",
    "Calls a minute and key, where `JUNCTION_RATE_LIMITS` does not say otherwise:\n",
    `${limits.join("\n")}\n`,
  ].join("\n");
}

function fileOf(name: string, { isSecret }: Setting): string {
  return isSecret === true ? ` Or \`${name}_FILE\`.` : "";
}

function defaultOf(setting: Setting): string {
  return setting.shown ?? `\`${setting.fallback}\``;
}
