"""Memory over MCP: the agent's tools, bound to a host key and one of its projects."""
