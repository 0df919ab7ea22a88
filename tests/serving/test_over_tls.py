"""A league over TLS, from the server's command to those of an owner."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.certificates import certificate
from support.command import LIMIT, Ran, plain_environment, run_sandlot
from support.crashing import SEASON, league_in, submission
from support.live_server import SANDLOT, Home

from sandlot_server.league.places import DataFolder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by pidfd")


def test_an_owner_logs_in_submits_and_sees_the_standings(tmp_path: Path) -> None:
    folder, made = DataFolder(tmp_path / "data"), certificate(tmp_path / "tls", "localhost")
    folder.make()
    token = league_in(folder.database)
    environment = plain_environment() | {"XDG_CONFIG_HOME": str(tmp_path / "config")}

    def sandlot(*arguments: str, typed: str = "") -> Ran:
        ended = subprocess.run(
            [*SANDLOT, *arguments],
            cwd=tmp_path,
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        return Ran(ended.returncode, ended.stdout, ended.stderr)

    options = ("--tls-cert", str(made.certificate), "--tls-key", str(made.key), "--unsafe")
    with Home(folder.root, *options) as home:
        server = home.serve("--listen", "localhost:0")
        port = server.wait_for("serving")["address"].rpartition(":")[2]
        address = f"tls://localhost:{port}"
        unknown = sandlot("login", address, typed=token)
        assert (unknown.status, unknown.out) == (1, "")
        assert "certificate" in unknown.err
        known = sandlot("login", address, "--ca", str(made.authority), typed=token)
        assert (known.status, known.err) == (0, "")
        submission(tmp_path, "rat")
        sent = sandlot("submit", "rat.py", "--name", "rat")
        assert (sent.status, sent.err) == (0, "")
        assert sent.out.splitlines()[-1].startswith("rat@1 is active")
        server.wait_for("round completed")
        shown = sandlot("standings", "--server", address, "--json")
        assert (shown.status, shown.err) == (0, "")
        server.signal(signal.SIGTERM)
        assert server.end() == 0
    assert json.loads(shown.out)["tournament"] == SEASON
    assert '"rat@1"' in shown.out


@pytest.mark.parametrize("address", ["0.0.0.0:7400", "[::]:7400", ":7400"])
def test_without_tls_no_address_is_taken_that_others_can_reach(
    address: str, tmp_path: Path
) -> None:
    ran = run_sandlot("serve", "--data", str(tmp_path / "data"), "--listen", address, "--unsafe")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.splitlines()[-1] == (
        f"Error: {address} can be reached from elsewhere, and without TLS everybody on the way "
        "reads the tokens: give a certificate with --tls-cert and --tls-key, or listen at an "
        "address of this machine alone, as in 127.0.0.1:7400"
    )
