import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import type { Tag } from "../apps/service/src/lib/lib.ts";
import { createTelemetry } from "../apps/service/src/platform/telemetry/telemetry.ts";
import type { Telemetry } from "../apps/service/src/platform/telemetry/telemetry.ts";
import { freePort } from "../apps/service/src/testing/process.ts";
import { startService } from "../apps/service/src/testing/service.ts";
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

/** Makes the series that appear with the first use. */
async function everySignal({ signals, watchLoop }: Telemetry): Promise<void> {
  const tag = "aaaaaaaa" as Tag;
  signals.deliveryEnded(tag, "failed", null);
  signals.receiptWritten(tag, "ok", null);
  signals.actionEnded(tag, "executed", 1);
  signals.standingUsed(tag, "approved");
  for (const outcome of ["delivered", "timeout"]) signals.attemptMade({ tag, tenant: null, outcome, ms: 1 } as never);
  signals.requestAnswered("events.fire", 500, 1);
  const stop = watchLoop();
  onTestFinished(() => stop());
  await new Promise((resolve) => setTimeout(resolve, 50));
  const until = performance.now() + 400;
  while (performance.now() < until);
}

/** Starts Prometheus with the sample of a configuration, of which only the addresses and the interval are others. Returns its queries. */
async function startPrometheus(baseUrl: string, token: string): Promise<Query> {
  const home = await mkdtemp(join(folder, "prometheus-"));
  const port = await freePort();
  await writeFile(join(home, "junction.token"), token);
  await writeFile(join(home, "alerts.yaml"), await textOf("prometheus/alerts.yaml"));
  const config = (await textOf("prometheus/prometheus.yml"))
    .replace("/etc/prometheus/", `${home}/`)
    .replace("127.0.0.1:4000", new URL(baseUrl).host)
    .replace("15s", "1s");
  await writeFile(join(home, "prometheus.yml"), config);
  await must(await debianProgram("prometheus", "usr/bin/promtool"), ["check", "config", join(home, "prometheus.yml")]);
  const args = ["--config.file=prometheus.yml", "--storage.tsdb.path=data", `--web.listen-address=127.0.0.1:${port}`];
  const program = spawn(await debianProgram("prometheus", "usr/bin/prometheus"), args, { cwd: home, stdio: "ignore" });
  const ended = once(program, "exit");
  onTestFinished(async () => {
    program.kill("SIGTERM");
    await ended;
  });
  return async (query) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`).catch(
      () => undefined,
    );
    if (answer?.ok !== true) return [];
    return ((await answer.json()) as { data: { result: readonly { metric: Record<string, string> }[] } }).data.result;
  };
}

type Query = (query: string) => Promise<readonly { readonly metric: Record<string, string> }[]>;

interface Expression {
  readonly expression: string;
  /** The labels by which it groups, and those that its text shows. */
  readonly labels: readonly string[];
}

/** Returns the expressions of alerts and of a dashboard's panels, at any depth. */
function expressionsOf(value: unknown): Expression[] {
  if (typeof value !== "object" || value === null) return [];
  const { expr, legendFormat } = value as { expr?: string; legendFormat?: string };
  const inside = Object.values(value).flatMap(expressionsOf);
  if (expr === undefined) return inside;
  const groups = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/,\s*/));
  const shown = [...(legendFormat ?? "").matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name);
  return [{ expression: expr.replaceAll("$job", "junction"), labels: [...groups, ...shown] }, ...inside];
}

/** Returns the selectors that find no series, or one without the labels that the expression needs. */
async function unmet(asked: readonly Expression[], query: Query): Promise<string[]> {
  const without: string[] = [];
  for (const { expression, labels } of asked) {
    const selectors = expression.match(/\b(?:up|(?:junction|process)_\w+)\{[^}]*\}/g) ?? [`none in ${expression}`];
    for (const selector of selectors) {
      const [found] = await query(selector);
      if (found === undefined || !labels.every((name) => name in found.metric))
        without.push(`${selector} by ${labels.join()}`);
    }
  }
  return without;
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

  test(
    "Prometheus finds what alerts and dashboard ask for in a running service",
    async () => {
      const telemetry = createTelemetry("silent");
      const token = "a-token-of-the-metrics-that-nobody-guesses";
      const service = await startService({ deps: { telemetry }, env: { JUNCTION_METRICS_TOKEN: token } });
      onTestFinished(async () => await service.close());
      // A counter that began with 1 would be no increase.
      expect(await telemetry.metrics()).toContain('junction_deliveries_total{outcome="failed"} 0');
      await everySignal(telemetry);
      await service.fire();
      const query = await startPrometheus(service.baseUrl, token);
      await expect.poll(async () => await query('up{job="junction"} == 1'), { timeout: 30_000 }).toHaveLength(1);
      const [alerts, dashboard] = await Promise.all([
        textOf("prometheus/alerts.yaml"),
        textOf("grafana/junction.json"),
      ]);
      const asked = [...expressionsOf(parse(alerts)), ...expressionsOf(JSON.parse(dashboard))];
      expect(asked.length).toBeGreaterThan(35);
      // Some are there only after a second scrape: an event is delivered after it was fired.
      await expect.poll(async () => await unmet(asked, query), { timeout: 60_000 }).toEqual([]);
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

  test("systemd finds nothing wrong with the unit of an agent", async () => {
    const path = join(folder, "junction-pull@billing.service");
    await writeFile(path, await textOf("systemd/junction-pull@.service"));
    const { output } = await run("systemd-analyze", ["verify", "--man=no", path]);
    expect(output).not.toContain("ENOENT");
    expect(output.split("\n").filter((line) => line.includes("junction-pull"))).toEqual([]);
  });
});

test("the guide shows the scrape configuration of the samples", async () => {
  const sample = (await textOf("prometheus/prometheus.yml")).trimEnd();
  expect(await textOf("../docs/guide/self-hosting.md")).toContain(`\`\`\`yaml\n${sample}\n\`\`\``);
});

test("each alert has its runbook, and a case in which it fires", async () => {
  const [alerts, cases] = await Promise.all([textOf("prometheus/alerts.yaml"), textOf("prometheus/alerts.test.yaml")]);
  const runbooks = await textOf("../docs/guide/runbooks.md");
  const named = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name = ""]) => name);
  const linked = [...alerts.matchAll(/runbook: (\S+)/g)].map(([, link]) => link);
  expect(linked).toEqual(named.map((name) => `docs/guide/runbooks.md#${name.toLowerCase()}`));
  const { tests } = parse(cases) as { tests: readonly { alert_rule_test: readonly AlertCase[] }[] };
  const firing = tests.flatMap((one) => one.alert_rule_test).filter((one) => one.exp_alerts.length > 0);
  expect(new Set(firing.map((one) => one.alertname))).toEqual(new Set(named));
  const [, commands, ...sections] = runbooks.split("\n## ");
  expect(commands).toMatch(/^How to run these commands\n/);
  expect(sections.map((section) => section.split("\n")[0])).toEqual(named);
  // Each section says what to check with which command, and what to do then.
  for (const section of sections) {
    const [name] = section.split("\n");
    expect([name, section.includes("\n```sh"), /\n1\. /.test(section)]).toEqual([name, true, true]);
  }
});

interface AlertCase {
  readonly alertname: string;
  readonly exp_alerts: readonly object[];
}
