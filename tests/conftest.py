"""What all tests share."""

import sys
from pathlib import Path

from hypothesis import settings

# Test modules of one room may share code that lies beside them.
sys.path.insert(0, str(Path(__file__).parent))

# A slow or loaded machine is no reason to fail: nothing here is about time.
settings.register_profile("sandlot", deadline=None)
settings.load_profile("sandlot")
