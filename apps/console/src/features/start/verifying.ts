import { NODE_SDK } from "../../api/api.ts";

/** How a receiver checks a delivery, with each SDK (docs/guide). */
export const verifying = [
  {
    id: "node",
    label: "Node",
    code: `import { webhooks } from "${NODE_SDK}";

// The body as it came: JSON that was parsed and printed again is other bytes.
const delivery = webhooks.verify(rawBody, request.headers, process.env.WEBHOOK_SECRET);
console.log(delivery.event, delivery.data);`,
  },
  {
    id: "python",
    label: "Python",
    code: `from junction_sdk import WebhookVerificationError, webhooks

try:
    event = webhooks.verify(body, headers, os.environ["WEBHOOK_SECRET"])
except WebhookVerificationError as error:
    return 400, error.reason
print(event.event, event.data)`,
  },
  {
    id: "php",
    label: "PHP",
    code: `use Junction\\Webhooks;

// Throws WebhookVerificationException when it is not ours.
$message = Webhooks::verify(
    file_get_contents('php://input'),
    getallheaders(),
    getenv('WEBHOOK_SECRET'),
);
error_log($message->event);`,
  },
] as const;
