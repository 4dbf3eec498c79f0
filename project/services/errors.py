"""What goes wrong with the servers, as one sentence for the person at the terminal."""


class ServiceError(Exception):
    """Says what is wrong and what to do about it; printed without a traceback."""


class InUseError(ServiceError):
    """Somebody else holds a lock that we did not want to wait for."""
