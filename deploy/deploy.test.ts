import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTelemetry } from "../apps/service/src/platform/telemetry/telemetry.ts";
import { debianProgram, whyNoDebianPrograms } from "../tools/debian-programs.ts";
import { must, run } from "../tools/run.ts";

const MINUTES_3 = 180_000;
const missing = await whyNoDebianPrograms();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "junction-deploy-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const textOf = async (path: string): Promise<string> => await readFile(join(import.meta.dirname, path), "utf8");

/** Returns the names of metrics in expressions and in the service's own output, without the suffixes of histograms. */
function metricsIn(text: string): Set<string> {
  const names = text.match(/\b(?:junction|process)_[a-z_]+/g) ?? [];
  return new Set(names.map((name) => name.replace(/_(?:bucket|count|sum)$/, "")));
}

describe.skipIf(missing !== undefined)("with the tools of Debian", () => {
  test(
    "each alert fires when it should and not before",
    async () => {
      const promtool = await debianProgram("prometheus", "usr/bin/promtool");
      const cwd = join(import.meta.dirname, "prometheus");
      await must(promtool, ["check", "rules", "alerts.yaml"], { cwd });
      const { output } = await must(promtool, ["test", "rules", "alerts.test.yaml"], { cwd });
      expect(output).toContain("SUCCESS");
    },
    MINUTES_3,
  );

  test(
    "the reverse proxies take their samples as they are",
    async () => {
      const certificate = join(folder, "junction");
      const request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=junction.example.com".split(" ");
      await must("openssl", [...request, "-keyout", `${certificate}.key`, "-out", `${certificate}.pem`]);
      const buffers = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path ${folder};`,
      );
      const sample = (await textOf("proxy/nginx.conf"))
        .replaceAll("/etc/ssl/", `${folder}/`)
        .replace("http {", `http { access_log off; ${buffers.join(" ")}`);
      await writeFile(join(folder, "nginx.conf"), `pid ${folder}/pid; error_log stderr;\n${sample}`);
      const nginx = await debianProgram("nginx", "usr/sbin/nginx");
      const { output } = await must(nginx, ["-t", "-p", folder, "-c", join(folder, "nginx.conf")]);
      expect(output).not.toContain("[warn]");
      const caddy = await debianProgram("caddy", "usr/bin/caddy");
      const config = join(import.meta.dirname, "proxy/Caddyfile");
      const validated = await must(caddy, ["validate", "--adapter", "caddyfile", "--config", config], {
        env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      });
      expect(validated.output).toContain("Valid configuration");
    },
    MINUTES_3,
  );

  test("systemd finds nothing wrong with the unit", async () => {
    const unit = (await textOf("systemd/junction.service"))
      .replaceAll("/opt/junction/node_modules/.bin/node", process.execPath)
      .replaceAll("/opt/junction", folder);
    const path = join(folder, "junction.service");
    await writeFile(path, unit);
    const { output } = await run("systemd-analyze", ["verify", "--man=no", path]);
    expect(output).not.toContain("ENOENT");
    const ours = output.split("\n").filter((line) => line.includes("junction.service"));
    // These messages appear only where the machine has no user of that name.
    expect(ours.filter((line) => !/Failed to (?:load|resolve)|user junction|group junction/i.test(line))).toEqual([]);
  });
});

test("alerts and dashboard use existing metrics, and each alert has its runbook", async () => {
  const telemetry = createTelemetry("silent");
  const zero = async (): Promise<number> => await Promise.resolve(0);
  telemetry.watch({
    oldestDueAgeSeconds: zero,
    pendingDeliveries: zero,
    openProposals: zero,
    mailsWaiting: zero,
    overdueAnnouncements: zero,
    overdueSchedules: zero,
    overdueEvents: zero,
    connectedApps: zero,
    mcpEventStreams: () => 0,
    mcpEventSubscriptions: zero,
    unwrittenRequests: () => 0,
    unwrittenUsage: () => 0,
    unwrittenKeyUsage: () => 0,
    overdueTenantDeletions: zero,
    inFlight: () => 0,
    queued: () => 0,
    actionsInFlight: () => 0,
    connectorProcesses: async () => await Promise.resolve({ children: 0, running: 0, waiting: 0 }),
    pool: () => ({ total: 0, idle: 0, waiting: 0 }),
    selfTest: () => undefined,
    lastBackupSeconds: async () => await Promise.resolve(0),
  });
  const has = metricsIn(await telemetry.metrics());
  const [alerts, dashboard] = await Promise.all([textOf("prometheus/alerts.yaml"), textOf("grafana/junction.json")]);
  for (const asked of [alerts, dashboard]) {
    const names = [...metricsIn(asked)].filter((name) => name !== "junction_");
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !has.has(name))).toEqual([]);
  }
  const runbooks = await textOf("../docs/guide/runbooks.md");
  const named = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);
  const linked = [...alerts.matchAll(/runbook: (\S+)/g)].map(([, link]) => link);
  expect(linked).toEqual(named.map((name) => `docs/guide/runbooks.md#${name.toLowerCase()}`));
  const [, commands, ...sections] = runbooks.split("\n## ");
  expect(commands).toMatch(/^How to run these commands\n/);
  expect(sections.map((section) => section.split("\n")[0])).toEqual(named);
  // Each section says what to check with which command, and what to do then.
  for (const section of sections) {
    const [name] = section.split("\n");
    expect([name, section.includes("\n```sh"), /\n1\. /.test(section)]).toEqual([name, true, true]);
  }
  expect(JSON.parse(dashboard).panels.length).toBeGreaterThan(10);
});
