"""The protocol, generated from proto/ by proto/generate.py: do not edit."""
