"""`croupier provider`: logins for the demo and for tests, in the foreground."""

import os
from typing import Annotated

import typer

from libs.stack import default_home
from services.cli.surroundings import Home, local_keys
from services.demo_provider.__main__ import main
from services.demo_provider.people import demo_passwords, demo_people

Port = Annotated[int, typer.Option(help="On this machine alone.", min=1, max=65535)]


def provider(port: Port = 8084, home: Home = None) -> None:
    """Run an OpenID Connect provider with one person for each role. For demo and tests only: no house may trust it."""
    folder = (home or default_home()) / "keys"
    keys = local_keys(folder)
    people = demo_people(folder)
    os.environ.update(
        CROUPIER_HTTP_PORT=str(port),
        CROUPIER_PROVIDER_KEY_FILE=str(keys["provider_key"]),
        CROUPIER_PEOPLE_FILE=str(people),
    )
    names = ", ".join(demo_passwords(folder))
    typer.echo(f"demo and tests only: http://127.0.0.1:{port}, people {names}; passwords in {folder / 'people.txt'}")
    main()
