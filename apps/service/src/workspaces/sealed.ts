import { sealedColumn } from "../kernel/kernel.ts";
import { secretPlace } from "./api-keys.ts";
import { totpPlace } from "./second-factor.ts";

export const sealedByWorkspaces = [
  sealedColumn({ table: "api_key", column: "signing_secret_sealed", by: ["id"], place: ({ id }) => secretPlace(id) }),
  ...["totp_pending_sealed", "totp_sealed"].map((column) =>
    sealedColumn({ table: "person", column, by: ["id"], place: ({ id }) => totpPlace(id) }),
  ),
];
