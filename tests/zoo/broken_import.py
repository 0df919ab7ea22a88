"""A bot that cannot be imported."""

import module_that_does_not_exist  # type: ignore[import-not-found]  # noqa: F401
