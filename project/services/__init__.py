"""PostgreSQL and Valkey of this checkout: start, wait for, check and stop them."""
