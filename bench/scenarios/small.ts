import { createMemoryGroup } from "../memory-group.ts";
import { ORDER, sustained, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const LIMIT_MIB = 512;

/** Measures service and database together on one core with 512 MiB. Needs the right to make control groups, such as root's. */
export async function small(bench: Bench): Promise<Row[]> {
  const group = createMemoryGroup(LIMIT_MIB);
  if (group === null) {
    bench.say("small is left out: this user cannot make a control group with a limit for memory");
    return [];
  }
  const enter = 'echo $$ > "$0" && exec taskset -c 0 "$@"';
  const stage = await startStage(bench, { wrapper: ["sh", "-c", enter, group.membersFile] });
  const what = `One core, ${LIMIT_MIB} MiB`;
  try {
    await stage.endpoint({ path: "order", events: [ORDER] });
    await warm(stage);
    const memory = stage.memory();
    const perSecond = await sustained(stage, "small", bench.seconds * 1000, custom(ORDER));
    return [
      row(`${what}: ready after`, stage.readyMs / 1000, "s"),
      row(`${what}: custom events sustained`, perSecond, "/s"),
      row(`${what}: memory of service and database, without file pages`, group.anonymousMib(), "MiB", {
        goal: { atMost: LIMIT_MIB },
      }),
      row("· of it the service, peak", memory.stop().peak, "MiB"),
    ];
  } finally {
    await stage.stop();
    group.remove();
  }
}
