"""Becomes more than it is: root by a program that may, or by namespaces of its own."""

import ctypes
import os
import subprocess

NEW_USER, NEW_NET = 0x1000_0000, 0x4000_0000  # CLONE_NEWUSER, CLONE_NEWNET
libc = ctypes.CDLL(None, use_errno=True)
for name, flags in (("user", NEW_USER), ("net", NEW_NET)):
    made = libc.unshare(flags) == 0
    print(f"{name} {'MADE' if made else 'held: ' + os.strerror(ctypes.get_errno())}")
try:
    os.setuid(0)
    print("ROOT")
except OSError as error:
    print(f"root held: {error.strerror}")
became = subprocess.run(["su", "-c", "id -u"], capture_output=True, text=True, check=False)
print("ROOT" if became.returncode == 0 else f"su held: {became.stderr.splitlines()[0]}")
with open("/proc/self/status") as status:
    print(*[line.split()[1] for line in status if line.startswith(("CapPrm", "CapBnd", "NoNew"))])
