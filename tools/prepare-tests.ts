/**
 * Fetches and builds the tools of tests on the first run of a machine, so that no test waits for them. .ci/run starts this at the same time
 * as the first tests. A failure is only reported: the test that needs the tool tries again, and fails with the reason.
 */
import { pythonTools } from "./contract/python.ts";
import { stripeMock } from "./counterparts/stripe-mock.ts";
import { pythonPrograms } from "./counterparts/python-programs.ts";
import { debianProgram } from "./debian-programs.ts";
import { helm } from "./helm.ts";
import { conformance, inspector } from "./mcp/programs.ts";
import { php82 } from "./php/php82.ts";
import { pythonEnvironment } from "./python.ts";
import { vale } from "./vale.ts";
import { findPythons, requirements } from "../sdks/python/pythons.ts";
import { kitModules, nodeProgram, nodeVersions } from "../sdks/node/test/kit.ts";

type Steps = readonly (readonly [string, () => Promise<unknown>])[];

/** Builds keep the processors busy, and downloads wait for the network. Each list is in the order in which the tests need its steps. */
const builds: Steps = [
  ["helm", helm],
  ["stripe-mock", stripeMock],
  ["vale", vale],
];
const downloads: Steps = [
  ["PHP 8.2 and 8.4", php82],
  ["the contract's tools", pythonTools],
  ["the counterparts", pythonPrograms],
  ["the Python SDK's tools", pythonSdkTools],
  ["other Nodes", otherNodes],
  ["the MCP inspector", inspector],
  ["the MCP conformance suite", conformance],
  ["promtool", async () => await debianProgram("prometheus", "usr/bin/promtool")],
  ["nginx", async () => await debianProgram("nginx", "usr/sbin/nginx")],
  ["caddy", async () => await debianProgram("caddy", "usr/bin/caddy")],
];

await Promise.all([inTurn(builds), inTurn(downloads)]);

async function inTurn(steps: Steps): Promise<void> {
  for (const [name, make] of steps) {
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

async function otherNodes(): Promise<void> {
  for (const version of nodeVersions) await nodeProgram(version);
  await kitModules();
}
