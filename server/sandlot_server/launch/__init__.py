"""Bots as processes: found, started, watched, and never left behind."""
