"""The standing league: takes bots, tries them, draws rounds and plays them, day and night."""
