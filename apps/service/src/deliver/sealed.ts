import { sealedColumn } from "../kernel/kernel.ts";
import { channelPlace } from "./channels.ts";
import { headersPlace } from "./header-values.ts";
import { secretPlace } from "./targets.ts";

export const sealedByDeliver = [
  sealedColumn({ table: "endpoint", column: "headers_sealed", by: ["id"], place: ({ id }) => headersPlace(id) }),
  ...["secret_sealed", "previous_secret_sealed"].flatMap((column) => [
    sealedColumn({ table: "endpoint", column, by: ["id"], place: ({ id }) => secretPlace(id) }),
    sealedColumn({ table: "channel", column, by: ["owner", "id"], place: channelPlace }),
  ]),
];
