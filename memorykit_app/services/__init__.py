"""Everything that changes a memory: one function per verb."""
