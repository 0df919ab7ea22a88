"""The tournament: who plays whom where, what is left to play, and how the bots stand."""
