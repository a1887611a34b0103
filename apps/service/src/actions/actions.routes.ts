import type { App } from "../accounts/accounts.ts";
import type { Contracts } from "./contracts/contracts.ts";
import { contractRoutes } from "./contracts/contracts.routes.ts";
import { secretRoutes } from "./backend-secrets/secrets.routes.ts";

export function actionContractRoutes(app: App, { registry, secrets }: Contracts): void {
  contractRoutes(app, registry);
  secretRoutes(app, secrets);
}
