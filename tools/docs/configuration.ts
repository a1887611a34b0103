import { SETTINGS } from "../../apps/service/src/config/settings.ts";
import type { Setting } from "../../apps/service/src/config/settings.ts";
import { DEFAULT_LIMITS } from "../../apps/service/src/access/settings.ts";

/** The text of docs/reference/configuration.md, from what config.ts reads. */
export function configurationPage(): string {
  const settings = Object.entries<Setting>(SETTINGS).map(
    ([name, setting]) =>
      `## \`${name}\`\n\n${setting.meaning}${fileOf(name, setting)}\n\nMust be ${setting.form}. Default: ${defaultOf(setting)}.\n`,
  );
  const limits = Object.entries(DEFAULT_LIMITS).map(([name, limit]) => `- \`${name}\`: ${limit}`);
  return [
    "# Configuration\n",
    "This page lists every setting of the service, with its default and its limits.\n",
    "The service is configured only by environment variables. At startup, all configuration errors are reported together, one per line, and the process exits with code 78 before anything is started ([exit codes](../guide/self-hosting.md#exit-codes)). An empty variable counts as not set. A secret can also be read from a file: set the variable with the suffix `_FILE` to the file's path instead. Do not set both. `junction doctor` checks the current settings ([doctor](../guide/doctor.md)).\n",
    "This page is generated from the service's list of settings with `node tools/generate-configuration.ts`.\n",
    ...settings,
    "## Limits\n",
    "Default rate limits, in calls per minute and key. `JUNCTION_RATE_LIMITS` overrides them:\n",
    `${limits.join("\n")}\n`,
  ].join("\n");
}

function fileOf(name: string, { isSecret }: Setting): string {
  return isSecret === true ? ` Alternatively, set \`${name}_FILE\`.` : "";
}

function defaultOf(setting: Setting): string {
  return setting.shown ?? `\`${setting.fallback}\``;
}
