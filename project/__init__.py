"""The project around the app: settings, the servers of a machine without any, `make run`."""

import os

# The local model hangs in a forked child when its parent ran OpenMP with more than one
# thread, so one thread is fixed before anything can load it.
os.environ["OMP_NUM_THREADS"] = "1"
