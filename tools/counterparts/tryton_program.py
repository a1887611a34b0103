"""Runs one of Tryton's programs: trytond, or trytond-admin.

Passwords are stretched as little as can be. As Tryton does it, each call by name and password takes a large part of the second that a
connector is given, on a machine that runs tests beside it.
"""

import sys

import pwdlib.hashers.argon2 as argon2

careful = argon2.Argon2Hasher
argon2.Argon2Hasher = lambda: careful(time_cost=1, memory_cost=8, parallelism=1)

program = sys.argv.pop(1)
if program == "trytond-admin":
    from trytond.cli.admin import main
else:
    from trytond.cli import main

sys.argv[0] = program
sys.exit(main())
