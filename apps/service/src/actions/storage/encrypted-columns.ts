import { sealedColumn } from "../../lib/lib.ts";
import { parametersPlace, resultPlace, secretPlace, signingPlace } from "./encryption-context.ts";

export const sealedByActions = [
  ...["signing_secret_sealed", "previous_secret_sealed"].map((column) =>
    sealedColumn({ table: "action_contract", column, by: ["id"], place: ({ id }) => signingPlace(id) }),
  ),
  sealedColumn({
    table: "secret",
    column: "value_sealed",
    by: ["tag", "name"],
    place: ({ tag, name }) => secretPlace(tag, name),
  }),
  ...["action_proposal", "action_run"].map((table) =>
    sealedColumn({ table, column: "parameters_sealed", by: ["id"], place: ({ id }) => parametersPlace(id) }),
  ),
  sealedColumn({ table: "action_run", column: "result_sealed", by: ["id"], place: ({ id }) => resultPlace(id) }),
];
