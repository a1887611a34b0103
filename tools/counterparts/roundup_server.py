"""Serves a Roundup tracker by its WSGI application: roundup-server refuses to run as root, and tests in a container do."""

import sys

from roundup.cgi.wsgi_handler import RequestDispatcher
from werkzeug.serving import make_server

tracker, port = sys.argv[1:]
make_server("127.0.0.1", int(port), RequestDispatcher(tracker), threaded=True).serve_forever()
