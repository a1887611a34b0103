import { once } from "../lib/lib.ts";
import type { Composition, Module, ProductOf } from "./module.ts";
import { PHASES } from "./points.ts";
import type { Points, Provisions, Worker } from "./points.ts";

/** The created modules, and all that they provide. */
export interface Composed {
  readonly points: Points;
  /** The workers, in the order in which they start. */
  readonly workers: readonly Worker[];
  productOf<M extends Module>(module: M): ProductOf<M>;
  /** Makes `isStopping` true. */
  stopping(): void;
}

const POINTS: Readonly<Record<keyof Provisions, true>> = {
  routes: true,
  innerRoutes: true,
  workers: true,
  upgrades: true,
  subscribers: true,
  deliveries: true,
  auditPorts: true,
  announcers: true,
  eventTitles: true,
  redactionSources: true,
  addedSecrets: true,
  personalData: true,
  searchables: true,
  eventRecords: true,
  directories: true,
  liveKinds: true,
  attention: true,
  mailComposers: true,
  stepPorts: true,
  awaitedDeliveries: true,
  contractGuards: true,
  actionHandlers: true,
  operationHandlers: true,
  configurationHandlers: true,
  outboundSecrets: true,
  actionSecrets: true,
  callSecrets: true,
  scriptRunners: true,
  crashListeners: true,
  connectorHealth: true,
  issueObjects: true,
  gauges: true,
  signalListeners: true,
};

/**
 * Creates modules, each after those that it needs, and fills the list of each extension point. Items are listed in the
 * order of `modules`. `given` contains the products of modules that are not created. Throws if modules need each other
 * in a circle.
 */
export async function compose(
  modules: readonly Module[],
  given: readonly (readonly [Module, unknown])[],
): Promise<Composed> {
  const products = new Map<Module, unknown>(given);
  const provisions = new Map<Module, Partial<Provisions>>();
  let stopping = false;
  let isComplete = false;
  const points = pointsOf(
    () => modules.map((module) => provisions.get(module) ?? {}),
    () => isComplete,
  );
  const composition: Composition = { points, isStopping: () => stopping };
  const order = creationOrder(modules);
  for (const module of order) {
    if (module.readsPoints) isComplete = true;
    if (products.has(module)) continue;
    const made = Object.fromEntries(Object.entries(module.needs).map(([name, need]) => [name, products.get(need)]));
    const product = await module.create(made, composition);
    products.set(module, product);
    provisions.set(module, module.provides(product, made));
  }
  isComplete = true;
  const inOrder = order.flatMap((module) => provisions.get(module)?.workers ?? []);
  return {
    points,
    workers: PHASES.flatMap((phase) => inOrder.filter((worker) => worker.phase === phase)),
    productOf: <M extends Module>(module: M) => products.get(module) as ProductOf<M>,
    stopping: () => (stopping = true),
  };
}

function pointsOf(lists: () => readonly Partial<Provisions>[], isComplete: () => boolean): Points {
  const listOf = (name: keyof Provisions): readonly unknown[] => {
    if (!isComplete()) throw new Error(`"${name}" was read before all modules were created.`);
    return lists().flatMap((provided): readonly unknown[] => provided[name] ?? []);
  };
  const names = Object.keys(POINTS) as (keyof Provisions)[];
  return Object.fromEntries(names.map((name) => [name, once(() => listOf(name))])) as Points;
}

/**
 * Orders each module after those that it needs, and modules that read extension points last. Otherwise keeps the given
 * order.
 */
export function creationOrder(modules: readonly Module[]): readonly Module[] {
  const order: Module[] = [];
  const under = new Set<Module>();
  const visit = (module: Module): void => {
    if (order.includes(module)) return;
    if (under.has(module))
      throw new Error(`Modules need each other: ${[...under, module].map(({ name }) => name).join(" > ")}.`);
    under.add(module);
    for (const need of Object.values(module.needs)) visit(need);
    under.delete(module);
    order.push(module);
  };
  for (const module of modules) if (!module.readsPoints) visit(module);
  for (const module of modules) visit(module);
  return order;
}
