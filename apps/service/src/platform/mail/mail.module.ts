import { defineModule } from "../../composition/module.ts";
import { merged } from "../../composition/points.ts";
import { platform } from "../platform.module.ts";
import { createMail } from "./mail.ts";
import type { MailComposers } from "./mail.ts";

/** The service's own e-mail. Each purpose's module writes its text. */
export const mail = defineModule({
  name: "mail",
  needs: { platform },
  create: ({ platform: base }, { points }) =>
    createMail({ ...base, settings: base.config.mail, composers: () => merged<MailComposers>(points.mailComposers()) }),
  provides: (made) => ({
    workers: [{ name: "mail", phase: "effects", ...made }],
    gauges: [{ mailsWaiting: made.waiting }],
  }),
});
