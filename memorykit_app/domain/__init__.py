"""The vocabulary of memorykit: pure Python, no Django, no I/O."""
