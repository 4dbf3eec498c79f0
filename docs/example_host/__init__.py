"""A minimal Django project that embeds memorykit and runs an agent with its memory."""
