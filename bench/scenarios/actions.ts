import { printProfile, profileFolder } from "../profile.ts";
import { assertArrived, CONNECTIONS, latencyRows } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

/** Runs that confirm themselves: each a proposal with its approval, a signed call, two audit entries, an event and an answer that is kept. */
export async function actions(bench: Bench): Promise<Row[]> {
  const profile = bench.profile ? await profileFolder() : undefined;
  const stage = await startStage(
    bench,
    profile === undefined ? {} : { nodeArguments: ["--cpu-prof", `--cpu-prof-dir=${profile}`] },
  );
  try {
    const action = await stage.action();
    await stage.actions(action, { connections: CONNECTIONS, forMs: 4000 });
    await stage.reset();
    const stopCounting = await stage.counting();
    const stopMeter = stage.meter("actions");
    const load = await stage.actions(action, { connections: CONNECTIONS, forMs: (bench.seconds * 1000) / 2 });
    const usage = stopMeter();
    const database = await stopCounting();
    const { requests } = await stage.received();
    assertArrived(load, requests);
    const perSecond = (load.accepted / load.wallMs) * 1000;
    return [
      row("Actions: proposed, confirmed, executed, audited", perSecond, "/s", {
        against: [bench.found.ceiling, "ceiling"],
        goal: { atLeast: 1000 },
      }),
      ...latencyRows("Actions: from call to answer", load.latencies),
      row("Actions: the service's processor time per run", usage.serviceMs / load.accepted, "ms"),
      row("Actions: the database's processor time per run", usage.databaseMs / load.accepted, "ms"),
      row("Actions: SQL statements per run", database.calls / load.accepted, ""),
    ];
  } finally {
    await stage.stop();
    if (profile !== undefined) await printProfile(profile, bench.say);
  }
}
