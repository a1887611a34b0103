import { actionContractRoutes, createContracts } from "./actions/actions.ts";
import type { Contracts } from "./actions/actions.ts";
