import type { Command } from "./command.ts";
import { accountCommands } from "./commands/account.ts";
import { completionCommand } from "./commands/completion.ts";
import { contractCommands } from "./commands/contract.ts";
import { decisionCommands } from "./commands/decisions.ts";
import { deliveryCommands } from "./commands/deliveries.ts";
import { eventCommands } from "./commands/events.ts";
import { listenCommand } from "./commands/listen.ts";
import { signatureCommands } from "./commands/signatures.ts";
import { resourceCommands } from "./resources.ts";

/** Every command, in the order in which the help shows them. */
export const commands: readonly Command[] = [
  ...accountCommands,
  ...eventCommands,
  listenCommand,
  ...deliveryCommands,
  ...signatureCommands,
  ...decisionCommands,
  ...contractCommands,
  completionCommand(() => commands),
  ...resourceCommands,
];
