"""Calls AWS services with boto3: one order as JSON on each line of the input, one answer on each line of the output."""

import base64
import datetime
import json
import sys

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.credentials

clients = {}


def call(server, service, operation, parameters):
    name = json.dumps([server, service], sort_keys=True)
    if name not in clients:
        clients[name] = boto3.client(service, region_name="eu-west-1", **server)
    return getattr(clients[name], operation)(**parameters)


def sign(access_key, secret, service, method, url, headers, body):
    """Returns the headers that botocore signs a request with, at its own time."""
    signers = {"s3": botocore.auth.S3SigV4Auth}
    request = botocore.awsrequest.AWSRequest(method=method, url=url, headers=headers, data=body)
    credentials = botocore.credentials.Credentials(access_key, secret)
    signers.get(service, botocore.auth.SigV4Auth)(credentials, service, "eu-west-1").add_auth(request)
    return dict(request.headers.items())


def plain(value):
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return base64.b64encode(value.read()).decode()


for line in sys.stdin:
    order = json.loads(line)
    try:
        answer = {"result": (sign if "sign" in order else call)(*(order.get("sign") or order["call"]))}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer, default=plain), flush=True)
