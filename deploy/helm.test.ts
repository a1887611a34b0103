import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { debianProgram, whyNoDebianPrograms } from "../tools/debian-programs.ts";
import { helm, whyNoHelm } from "../tools/helm.ts";
import { must, run } from "../tools/run.ts";

const MINUTES_20 = 1_200_000;
const CHART = join(import.meta.dirname, "helm");
const NEEDED = [
  "--set=baseUrl=https://junction.example.com",
  "--set=database.existingSecret=junction",
  "--set=masterKey.existingSecret=junction",
];
const EVERYTHING = [
  ...NEEDED,
  "--set=ingress.enabled=true,ingress.host=junction.example.com,ingress.tlsSecret=tls,ingress.className=nginx",
  "--set=serviceMonitor.enabled=true,metricsToken.existingSecret=metrics",
  "--set=prometheusRule.enabled=true,prometheusRule.labels.release=prometheus",
  "--set=masterKey.previousKey=OLD,bootstrapPath=/data/bootstrap.json,env.JUNCTION_LOG_LEVEL=debug",
];
const missing = await whyNoHelm();
const missingPromtool = await whyNoDebianPrograms();
const deploymentsOf = (documents: readonly string[]): string[] =>
  documents.filter((document) => /^kind: Deployment$/m.test(document));

describe.skipIf(missing !== undefined)("with helm", () => {
  let program = "";
  beforeAll(async () => {
    program = await helm();
  }, MINUTES_20);

  const rendered = async (args: readonly string[]): Promise<string[]> => {
    const { stdout } = await must(program, ["template", "shop", CHART, "--kube-version=1.30.0", ...args]);
    return stdout.split(/^---$/m).filter((document) => /^kind:/m.test(document));
  };
  const kindsOf = (documents: readonly string[]): string[] =>
    documents.map((document) => /^kind: (\w+)$/m.exec(document)?.[1] ?? "").toSorted();

  test.each([{ args: NEEDED }, { args: EVERYTHING }])(
    "the chart is linted: $args.length settings",
    async ({ args }) => {
      const { output } = await must(program, ["lint", "--strict", CHART, ...args]);
      expect(output).toContain("0 chart(s) failed");
    },
  );

  test("roles are separate Deployments with budgets, and optional resources appear on request", async () => {
    const least = [
      "Deployment",
      "Deployment",
      "PodDisruptionBudget",
      "PodDisruptionBudget",
      "Service",
      "ServiceAccount",
    ];
    expect(kindsOf(await rendered(NEEDED))).toEqual(least);
    expect(kindsOf(await rendered(EVERYTHING))).toEqual(
      [...least, "Ingress", "PodMonitor", "PrometheusRule"].toSorted(),
    );
    const one = await rendered([...NEEDED, "--set=roles.worker.enabled=false,podDisruptionBudget.enabled=false"]);
    expect(kindsOf(one)).toEqual(["Deployment", "Service", "ServiceAccount"]);
  });

  test.skipIf(missingPromtool !== undefined)(
    "each alert fires with the labels that the chart's own monitor sets",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "junction-chart-"));
      onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
      const documents = (await rendered([...EVERYTHING, "--namespace=stores"])).map((text) => parse(text) as Resource);
      const rule = documents.find(({ kind }) => kind === "PrometheusRule");
      await writeFile(join(folder, "alerts.yaml"), stringify(rule?.spec));
      const labels = labelsOf(documents, "stores");
      expect(labels).toEqual({ job: "junction", namespace: "stores" });
      const promtool = await debianProgram("prometheus", "usr/bin/promtool");
      const outcomeWith = async (series: Labels): Promise<string> => {
        const cases = await readFile(join(import.meta.dirname, "prometheus/alerts.test.yaml"), "utf8");
        await writeFile(join(folder, "alerts.test.yaml"), relabeled(cases, series));
        return (await run(promtool, ["test", "rules", "alerts.test.yaml"], { cwd: folder })).output;
      };
      expect(await outcomeWith(labels)).toContain("SUCCESS");
      // The alerts of one installation are silent about another one.
      expect(await outcomeWith({ ...labels, namespace: "other" })).toContain("FAILED");
    },
  );

  test("an installation is claimed either by the log's link or by a bootstrap file", async () => {
    const [byLink, byFile] = await Promise.all([rendered(NEEDED), rendered(EVERYTHING)]);
    expect(deploymentsOf(byLink).every((text) => text.includes("name: JUNCTION_CLAIM, value: any"))).toBe(true);
    expect(deploymentsOf(byFile).every((text) => text.includes('name: JUNCTION_BOOTSTRAP, value: "/data/'))).toBe(true);
    expect(byFile.join("")).not.toContain("JUNCTION_CLAIM");
  });

  test("own connectors are a read-only volume next to those of the image", async () => {
    const volume = "--set=connectors.volume.persistentVolumeClaim.claimName=own-connectors";
    for (const text of deploymentsOf(await rendered([...NEEDED, volume]))) {
      expect(text).toContain('name: JUNCTION_CONNECTORS_DIR, value: "connectors,/connectors"');
      expect(text).toContain("{ name: connectors, mountPath: /connectors, readOnly: true }");
      expect(text).toMatch(/- name: connectors\n +persistentVolumeClaim:\n +claimName: own-connectors/);
    }
    expect((await rendered(NEEDED)).join("")).not.toContain("JUNCTION_CONNECTORS_DIR");
  });

  test("a pod has its probes, no power and no secret in clear", async () => {
    const documents = await rendered(EVERYTHING);
    const deployments = deploymentsOf(documents);
    for (const text of deployments) {
      const wanted = [
        "path: /livez",
        "path: /readyz",
        "runAsNonRoot: true",
        "readOnlyRootFilesystem: true",
        "drop: [ALL]",
      ];
      expect(wanted.filter((one) => !text.includes(one))).toEqual([]);
      for (const name of [
        "DATABASE_URL",
        "JUNCTION_MASTER_KEY",
        "JUNCTION_MASTER_KEY_PREVIOUS",
        "JUNCTION_METRICS_TOKEN",
      ])
        expect(text).toMatch(new RegExp(`name: ${name}\\n +valueFrom: \\{ secretKeyRef:`));
      expect(text).toMatch(/name: JUNCTION_LOG_LEVEL, value: "debug"/);
    }
    const roles = deployments.map((text) => /JUNCTION_ROLES, value: "([^"]+)"/.exec(text)?.[1]);
    expect(roles.toSorted()).toEqual(["api,worker", "worker"]);
    expect(documents.some((document) => /^kind: Secret$/m.test(document))).toBe(false);
  });

  test.each([
    { wrong: [], says: "baseUrl" },
    { wrong: [...NEEDED, "--set=baseUrl=junction"], says: "baseUrl" },
    { wrong: [...NEEDED, "--set=masterKey.existingSecret="], says: "existingSecret" },
    { wrong: [...NEEDED, "--set=env.JUNCTION_MASTER_KEY=secret"], says: "JUNCTION_MASTER_KEY" },
    { wrong: [...NEEDED, "--set=roles.api.roles=web"], says: "roles" },
    { wrong: [...NEEDED, "--set=ingress.enabled=true"], says: "ingress.host" },
    { wrong: [...NEEDED, "--set=serviceMonitor.enabled=true"], says: "metricsToken" },
    { wrong: [...NEEDED, "--set=prometheusRule.enabled=true"], says: "serviceMonitor" },
    { wrong: [...NEEDED, "--set=servicemonitor.enabled=true"], says: "servicemonitor" },
    { wrong: [...NEEDED, "--set=serviceMonitor.intervall=1m"], says: "intervall" },
  ])("wrong values are refused by what is wrong: $says", async ({ wrong, says }) => {
    const { status, output } = await run(program, ["template", "shop", CHART, "--kube-version=1.30.0", ...wrong]);
    expect([status === 0, output.includes(says)]).toEqual([false, true]);
  });
});

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly jobLabel?: string;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: { readonly metadata: { readonly labels: Labels } };
  };
}
type Labels = Readonly<Record<string, string>>;

/**
 * Returns the labels that the operator of Prometheus gives to the series of all pods of the chart. The job is the value of the pods' label
 * that `jobLabel` names, or else the monitor's own name.
 */
function labelsOf(documents: readonly Resource[], namespace: string): Labels {
  const monitor = documents.find(({ kind }) => kind === "PodMonitor");
  const pods = documents.filter(({ kind }) => kind === "Deployment").map(({ spec }) => spec.template.metadata.labels);
  expect(pods).toEqual([expect.any(Object), expect.any(Object)]);
  for (const labels of pods) expect(labels).toMatchObject(monitor?.spec.selector.matchLabels ?? {});
  const jobs = new Set(
    pods.map((labels) => labels[monitor?.spec.jobLabel ?? ""] ?? `${namespace}/${monitor?.metadata.name}`),
  );
  return { job: [...jobs].join(","), namespace };
}

/** The cases of alerts.test.yaml with other labels in place of `job="junction"`. */
function relabeled(cases: string, { job, namespace }: Labels): string {
  return cases
    .replaceAll('job="junction"', `job="${job}", namespace="${namespace}"`)
    .replaceAll("job: junction", `job: ${job}, namespace: ${namespace}`);
}
