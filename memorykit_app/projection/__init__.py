"""Putting memory into a prompt: messages in, messages with a fenced memory block out.

    from memorykit_app.projection import UNTRUSTED_CONTEXT, project

    projected = project(messages, scope=scope, by=host, now=now)
    answer = model([{"role": "system", "content": UNTRUSTED_CONTEXT}, *projected.messages])

A host may keep the projected messages: the next projection takes earlier blocks out again.
"""

from memorykit_app.projection.block import UNTRUSTED_CONTEXT
from memorykit_app.projection.projector import Projection, Projector, project

__all__ = ["UNTRUSTED_CONTEXT", "Projection", "Projector", "project"]
