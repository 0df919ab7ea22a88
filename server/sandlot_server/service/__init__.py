"""What people ask of a league server: ``LeagueService`` of ``proto/sandlot/v1/league.proto``.

``values`` and ``tables`` are for both sides of a call, and can be had with the base install alone.
The rest is the server's: ``league_handler`` in ``handler`` gives what goes on the public server.
"""
