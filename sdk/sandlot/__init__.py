"""Sandlot: the game, and what a bot author touches."""
