/**
 * Code with which a customer's receiver verifies a delivery: the Standard Webhooks libraries of npm and PyPI, and PHP itself. The
 * SDKs of the service are for the workspace, and no registry of the customer has them.
 */
export const STANDARD_SNIPPETS = [
  {
    id: "node",
    label: "Node",
    install: "npm install standardwebhooks express",
    text: `import express from "express";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const app = express();

// The signature covers the raw bytes of the body, so no other parser reads it first.
app.post("/webhooks", express.raw({ type: "*/*" }), (request, response) => {
  let message;
  try {
    message = webhook.verify(request.body.toString(), request.headers);
  } catch {
    return response.sendStatus(400);
  }
  console.log(message.type, request.headers["webhook-id"], message.data);
  response.sendStatus(204);
});

app.listen(3000);`,
  },
  {
    id: "python",
    label: "Python",
    install: "pip install standardwebhooks flask",
    text: `import os

from flask import Flask, request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])


@app.post("/webhooks")
def receive():
    try:
        message = webhook.verify(request.get_data(as_text=True), dict(request.headers))
    except WebhookVerificationError:
        return "", 400
    print(message["type"], request.headers["webhook-id"], message["data"])
    return "", 204`,
  },
  {
    id: "php",
    label: "PHP",
    install: null,
    text: `<?php // receive.php: needs no library

$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));

$isSigned = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
    $isSigned = $isSigned || hash_equals($expected, $signature);
}
if (!$isSigned || abs(time() - (int) $timestamp) > 300) {
    http_response_code(400);
    exit;
}

$message = json_decode($body, true);
error_log("$id {$message['type']}");
http_response_code(204);`,
  },
] as const;
