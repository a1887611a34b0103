/**
 * Fetches and builds the tools of tests on the first run of a machine, so that no test waits for them. .ci/run starts this at the same time
 * as the first tests. A failure is only reported: the test that needs the tool tries again, and fails with the reason.
 */
import { elasticmqJars } from "./aws/elasticmq.ts";
import { awsPrograms, versityGateway } from "./aws/programs.ts";
import { pythonTools } from "./contract/python.ts";
import { stripeMock } from "./counterparts/stripe-mock.ts";
import { pythonPrograms } from "./counterparts/python-programs.ts";
import { debianProgram } from "./debian-programs.ts";
import { helm } from "./helm.ts";
import { conformance, inspector } from "./mcp/programs.ts";
import { natsServer } from "./nats-server.ts";
import { php82 } from "./php/php82.ts";
import { pythonEnvironment } from "./python.ts";
import { rabbitmqPrograms } from "./rabbitmq.ts";
import { vale } from "./vale.ts";
import { LIBRARIES } from "./svix/libraries.ts";
import { findPythons, requirements } from "../sdks/python/pythons.ts";
import { kitModules, nodeProgram, nodeVersions } from "../sdks/node/test/kit.ts";

/** Names what is made, makes it, and names the group of tests (tools/test-tiers.ts) that alone needs it. */
type Steps = readonly (readonly [name: string, make: () => Promise<unknown>, group?: string])[];

/** Builds keep the processors busy, and downloads wait for the network. Each list is in the order in which the tests need its steps. */
const builds: Steps = [
  ["helm", helm, "toolchains"],
  ["stripe-mock", stripeMock, "vendors"],
  ["nats-server", natsServer, "brokers"],
  ["the S3 gateway", versityGateway, "brokers"],
  ["vale", vale, "language"],
  ["the programs with the libraries of Svix", svixPrograms, "vendors"],
];
const downloads: Steps = [
  ["PHP 8.2 and 8.4", php82],
  ["the contract's tools", pythonTools, "toolchains"],
  ["the counterparts", pythonPrograms],
  ["the Python SDK's tools", pythonSdkTools, "toolchains"],
  ["other Nodes", otherNodes, "toolchains"],
  ["the MCP inspector", inspector],
  ["the MCP conformance suite", conformance],
  ["RabbitMQ", rabbitmqPrograms, "brokers"],
  ["moto and boto3", awsPrograms, "brokers"],
  ["ElasticMQ", elasticmqJars, "brokers"],
  ["promtool", async () => await debianProgram("prometheus", "usr/bin/promtool")],
  ["nginx", async () => await debianProgram("nginx", "usr/sbin/nginx")],
  ["caddy", async () => await debianProgram("caddy", "usr/bin/caddy")],
];

const groups = process.env["JUNCTION_TEST_GROUPS"]?.split(",");

await Promise.all([inTurn(builds), inTurn(downloads)]);

async function inTurn(steps: Steps): Promise<void> {
  for (const [name, make, group] of steps) {
    if (group !== undefined && groups?.includes(group) === false) continue;
    try {
      await make();
    } catch (error) {
      console.error(`${name} could not be prepared for the tests: ${String(error)}`);
    }
  }
}

async function pythonSdkTools(): Promise<void> {
  for (const { program } of await findPythons())
    await pythonEnvironment({ name: "sdk-python", requirements, python: program });
}

async function svixPrograms(): Promise<void> {
  for (const { build } of LIBRARIES) await build();
}

async function otherNodes(): Promise<void> {
  for (const version of nodeVersions) await nodeProgram(version);
  await kitModules();
}
