import type { Command } from "./command.ts";
import { accountCommands } from "./commands/account.ts";
import { completionCommand } from "./commands/completion.ts";
import { configurationCommands } from "./commands/configuration.ts";
import { connectorCommand } from "./commands/connector.ts";
import { contractCommands } from "./commands/contract.ts";
import { decisionCommands } from "./commands/decisions.ts";
import { backfillCommands } from "./commands/backfill.ts";
import { laneCommands } from "./commands/lanes.ts";
import { deliveryCommands } from "./commands/deliveries.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { eventCommands } from "./commands/events.ts";
import { eventTypeCommands } from "./commands/event-types.ts";
import { exportCommands } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { installationCommands } from "./commands/installation.ts";
import { listenCommand } from "./commands/listen.ts";
import { peopleCommands } from "./commands/people.ts";
import { portalCommand } from "./commands/portal.ts";
import { pullCommand } from "./commands/pull.ts";
import { seedCommands } from "./commands/seed.ts";
import { setupCommands } from "./commands/setup.ts";
import { signatureCommands } from "./commands/signatures.ts";
import { resourceCommands } from "./resources.ts";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...accountCommands,
  ...eventCommands,
  ...eventTypeCommands,
  listenCommand,
  pullCommand,
  ...deliveryCommands,
  ...backfillCommands,
  ...laneCommands,
  ...signatureCommands,
  portalCommand,
  importCommand,
  ...configurationCommands,
  ...exportCommands,
  ...decisionCommands,
  ...contractCommands,
  connectorCommand,
  ...installationCommands,
  ...peopleCommands,
  ...setupCommands,
  doctorCommand,
  ...seedCommands,
  completionCommand(() => commands),
  ...resourceCommands,
];
