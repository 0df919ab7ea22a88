"""Write the Python code for the protocol into ``sdk/sandlot/v1``, or check that it is there.

    python proto/generate.py            writes
    python proto/generate.py --check    writes nothing; fails, with the difference, if it would

Needs the dependency group ``protos``. The version of ``grpcio-tools`` is the floor of the protobuf
runtime that the code will load with, so it is pinned there.
"""

from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PROTO = Path(__file__).resolve().parent
GENERATED = PROTO.parent / "sdk" / "sandlot" / "v1"


def generate(out: Path) -> dict[str, str]:
    """Run the compiler into ``out`` and return what it wrote: text by file name."""
    sources = sorted(path.relative_to(PROTO) for path in PROTO.rglob("*.proto"))
    plugin = Path(sysconfig.get_path("scripts")) / "protoc-gen-mypy"
    subprocess.run(
        [
            *(sys.executable, "-m", "grpc_tools.protoc", "-I", "."),
            f"--plugin=protoc-gen-mypy={plugin}",
            *(f"--python_out={out}", f"--mypy_out=quiet:{out}"),
            *map(str, sources),
        ],
        cwd=PROTO,
        check=True,
    )
    return {path.name: path.read_text() for path in sorted(out.rglob("*.py*"))}


def main() -> int:
    """Generate, then write or compare; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as out:
        wanted = generate(Path(out))
    there = {path.name: path.read_text() for path in sorted(GENERATED.glob("*_pb2.py*"))}
    if check:
        difference = [
            line
            for name in sorted({*wanted, *there})
            for line in difflib.unified_diff(
                there.get(name, "").splitlines(keepends=True),
                wanted.get(name, "").splitlines(keepends=True),
                f"sdk/sandlot/v1/{name}",
                f"generated {name}",
            )
        ]
        sys.stdout.writelines(difference)
        if difference:
            print("Error: sdk/sandlot/v1 is not what proto/ says; run: python proto/generate.py")
        return 1 if difference else 0
    GENERATED.mkdir(parents=True, exist_ok=True)
    for name in there.keys() - wanted.keys():
        (GENERATED / name).unlink()
    for name, text in wanted.items():
        (GENERATED / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
