import { createTelemetry } from "../../../platform/telemetry/telemetry.ts";
import { createHosts, nodeBackend } from "../hosts.ts";
import { WALLS } from "../wall.ts";

// Runs a service that a test kills while its children are in endless loops: `killed.ts <folder> <wall>`.
const [, , directory = "", wall = ""] = process.argv;
const hosts = createHosts({
  log: createTelemetry("fatal").log,
  directory,
  backends: [nodeBackend()],
  walls: WALLS.filter((one) => one === wall),
});

const source = `import { AbstractConnector } from "@junction/connector";
export class Acme extends AbstractConnector {
  key() { return "acme"; }
  async loop() { await this.kv.get("x"); for (;;); }
}`;

for (const id of ["a", "b"]) {
  void hosts.call(
    {
      id,
      digest: id,
      runtime: "ts",
      key: "acme",
      files: async () => await Promise.resolve(new Map([["connector.ts", Buffer.from(source)]])),
    },
    {
      hook: "test",
      name: "loop",
      args: [],
      deadlineMs: 600_000,
      facts: { event: null, settings: {}, environment: "live", now: "2026-11-21T13:00:00.000Z" },
      service: async () => {
        calls += 1;
        // Both children are in their loops shortly after these calls.
        if (calls === 2) setTimeout(() => console.log("looping"), 200);
        return await Promise.resolve(null);
      },
      log: () => {},
    },
  );
}

let calls = 0;
