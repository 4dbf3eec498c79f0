"""`make run`: servers, database, demo, worker, sweeper and web server under one roof."""
