import { createSmtp, smtpFault } from "../../platform/mail/mail.ts";
import { failed, ok, skipped } from "./checks.ts";
import type { Check } from "./checks.ts";
import type { MachineSettings } from "./command.ts";

const FIXES: Readonly<Record<string, string>> = {
  authentication: "Correct the user and the password in JUNCTION_SMTP_URL. Encode special characters with %.",
  tls: "Use the server's port for smtps:// or STARTTLS, with a valid certificate. In a network that you control, set JUNCTION_SMTP_TLS=optional.",
};
const FIX = "Check the host and the port in JUNCTION_SMTP_URL, and that a firewall allows the connection.";

/** Connects to the mail server and signs in, as the service does. Sends nothing. */
export async function mailCheck({ mail }: Pick<MachineSettings, "mail">): Promise<Check> {
  if (mail === null) return skipped("mail", "JUNCTION_SMTP_URL is not set. The service sends no e-mail.");
  const { host } = new URL(mail.smtpUrl);
  const smtp = createSmtp(mail);
  try {
    await smtp.verify();
    return ok("mail", `The mail server ${host} accepts the connection. The sender is ${mail.from}.`);
  } catch (error) {
    const { errorClass, error: cause } = smtpFault(error);
    return failed("mail", {
      detail: `The mail server ${host} cannot be used (${errorClass}).`,
      cause,
      fix: FIXES[errorClass] ?? FIX,
    });
  } finally {
    smtp.close();
  }
}
