"""What surrounds the services of a server: its address, health, metrics, signals."""
