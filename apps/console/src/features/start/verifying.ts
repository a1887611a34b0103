import { NODE_SDK } from "../../api/api.ts";

/** Code with which a receiver checks a delivery, for each SDK (docs/guide). */
export const verifying = [
  {
    id: "node",
    label: "Node",
    code: `import { webhooks } from "${NODE_SDK}";

// Use the raw body: JSON that was parsed and serialized again has different bytes.
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

// Throws WebhookVerificationException when the signature is not valid.
$message = Webhooks::verify(
    file_get_contents('php://input'),
    getallheaders(),
    getenv('WEBHOOK_SECRET'),
);
error_log($message->event);`,
  },
] as const;
